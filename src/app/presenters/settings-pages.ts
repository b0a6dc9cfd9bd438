import {
  type AnyDefinition,
  definitions,
  type EffectiveSettings,
  type PlaceSettings,
  type SettingName,
  type SwitchableCommand,
  switchableCommands,
  written,
} from '../../place-settings/index.ts';
import { actionId, type Button, type Job, type Message, timestampFor } from '../../port/index.ts';
import { creditsInWords, type Words, words } from '../../words/index.ts';
import { titleOf } from '../format-text.ts';
import { describeVoice } from '../voices/describe-voice.ts';
import type { VoiceList } from '../voices/voice-list.ts';
import { type GroupName, groupNames, type Page, pages } from './settings-groups.ts';

export type Scope = 'channel' | 'workspace';

export interface SettingsPageDependencies {
  readonly placeSettings: PlaceSettings;
  readonly voiceList: Pick<VoiceList, 'find'>;
}

/** How many changes the history shows. */
const historyLength = 20;

/** Whether people can choose it for their own direct messages. */
export function isPersonal(name: SettingName): boolean {
  const { personal }: AnyDefinition = definitions[name];
  return personal === true;
}

/** The settings of a page that can be chosen where a job is. */
export function fieldsOf(page: Page, job: Job): readonly SettingName[] {
  const names = pages[page].fields;
  if (job.requester.direct) return names.filter(isPersonal);
  return names.filter((name) => scopeOf(job) === 'workspace' || definitions[name].scope === 'channel');
}

/** What a job’s settings apply to: its channel, unless it says the whole workspace. Direct messages have no other. */
export function scopeOf(job: Job): Scope {
  return job.options.scope === 'workspace' && !job.requester.direct ? 'workspace' : 'channel';
}

/**
 * A page about the settings of the job's channel or workspace, below `above`. @param chosen What stands right below that
 * where the page doesn't show it: a channel's has nothing that's for the whole workspace.
 */
export async function settingsPage(
  page: Page,
  job: Job,
  dependencies: SettingsPageDependencies,
  above?: string,
  chosen: readonly SettingName[] = [],
): Promise<Message> {
  const { text, buttons } = await contentOf(page, job, dependencies);
  const unseen = chosen.filter((name) => !shownOn(page, job).includes(name));
  const effective = unseen.length === 0 ? undefined : await dependencies.placeSettings.at(job.address);
  const say = words(job.requester.locale, job.address.platform);
  const lines = effective
    ? unseen.map((name) => settingLine(name, effective, say, dependencies.voiceList))
    : [];
  const top = above === undefined ? [] : [above, ...lines, ''];
  return { text: [...top, text].join('\n'), buttons };
}

/** The settings whose values a page shows. */
function shownOn(page: Page, job: Job): readonly SettingName[] {
  return page === 'overview' ? groupNames.flatMap((group) => fieldsOf(group, job)) : fieldsOf(page, job);
}

async function contentOf(
  page: Page,
  job: Job,
  { placeSettings, voiceList }: SettingsPageDependencies,
): Promise<{ readonly text: string; readonly buttons: readonly Button[] }> {
  const say = words(job.requester.locale, job.address.platform);
  const { settings } = say.spending;
  if (page === 'history') return { text: await history(job, placeSettings, say), buttons: [back(job, say)] };
  const effective = await placeSettings.at(job.address, scopeOf(job));
  if (page === 'commands') return { text: settings.commandsTitle, buttons: switches(job, effective, say) };
  const title = settings.title[job.requester.direct ? 'direct' : scopeOf(job)];
  const shownGroups = page === 'overview' ? groupsOf(job) : [page];
  const blocks = shownGroups.map((group) => [
    `**${pages[group].title[say.locale]}**`,
    ...fieldsOf(group, job).map((name) => settingLine(name, effective, say, voiceList)),
  ]);
  return {
    text: [title, ...blocks.flat()].join('\n'),
    buttons: page === 'overview' ? menu(job, say) : [button(job, page, settings.enter), back(job, say)],
  };
}

/** The groups with settings that can be chosen where a job is. */
function groupsOf(job: Job): readonly GroupName[] {
  return groupNames.filter((group) => fieldsOf(group, job).length > 0);
}

function settingLine(
  name: SettingName,
  { values, sources }: EffectiveSettings,
  say: Words,
  voiceList: Pick<VoiceList, 'find'>,
): string {
  const { settings } = say.spending;
  const source = sources[name];
  const { capped }: AnyDefinition = definitions[name];
  const isCeiling = capped && source === 'environment' && values[name] !== 0;
  const from = isCeiling ? settings.ceiling : settings.sources[source];
  const voice = name === 'voice' ? voiceList.find(values.voice) : undefined;
  const about = voice ? describeVoice(voice, say.locale) : '';
  return settings.line(
    say.optionName(name),
    `${shown(name, values[name], say)}${about && ` ${about}`}`,
    from,
  );
}

/** A limit as people read it. */
export function ceilingInWords(credits: number, { locale }: Words): string {
  return creditsInWords({ low: credits, high: credits }, locale);
}

/** A value as people read it. */
function shown(name: SettingName, value: unknown, { people, spending: { settings } }: Words): string {
  if (name === 'language' && value === '') return settings.own;
  if (name.endsWith('_credits') && value === 0) return settings.noLimit;
  if (typeof value === 'boolean') return value ? settings.on : settings.off;
  if (Array.isArray(value) && value.length === 0)
    return name === 'off' ? settings.noneOff : settings.everybody;
  const { option }: AnyDefinition = definitions[name];
  if (people && option.type === 'text' && option.people) return people(value as readonly string[]);
  return `\`${titleOf(written(name, value), 80).replaceAll('`', "'")}\``;
}

async function history(job: Job, placeSettings: PlaceSettings, say: Words): Promise<string> {
  const { settings } = say.spending;
  const changes = await placeSettings.changes(job.address, historyLength);
  const lines = changes.map(({ name, scope, before, after, personName, changedAt }) => {
    const chosen = (value: string | undefined) =>
      value === undefined ? settings.notChosen : `\`${titleOf(value, 40).replaceAll('`', "'")}\``;
    const when = timestampFor(job.requester, changedAt);
    const option = say.optionName(name);
    return settings.change(when, personName, option, chosen(before), chosen(after), settings.sources[scope]);
  });
  return [settings.historyTitle, ...(lines.length > 0 ? lines : [settings.noChanges])].join('\n');
}

function menu(job: Job, say: Words): readonly Button[] {
  const { settings } = say.spending;
  const other = scopeOf(job) === 'channel' ? 'workspace' : 'channel';
  const groups = groupsOf(job).map((group) => button(job, group, pages[group].title[say.locale]));
  if (job.requester.direct) return groups;
  return [
    ...groups,
    button(job, 'history', pages.history.title[say.locale]),
    // A person's own page is no channel.
    ...(job.address.isHome
      ? []
      : [button(job, other, other === 'channel' ? settings.forChannel : settings.forWorkspace)]),
  ];
}

function switches(job: Job, { values }: EffectiveSettings, say: Words): readonly Button[] {
  const isOff = (name: SwitchableCommand) => values.off.includes(name);
  return [
    ...switchableCommands.map((name) => ({
      ...button(job, `switch_${name}`, `${isOff(name) ? '✗' : '✓'} /${name}`),
      style: isOff(name) ? ('plain' as const) : ('primary' as const),
    })),
    back(job, say),
  ];
}

function back(job: Job, { spending: { settings } }: Words): Button {
  return button(job, 'overview', settings.back);
}

function button(job: Job, action: string, label: string): Button {
  return { id: actionId('settings', action, job.id), label };
}
