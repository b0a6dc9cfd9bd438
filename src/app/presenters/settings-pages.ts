import {
  type AnyDefinition,
  definitions,
  type EffectiveSettings,
  type PlaceSettings,
  type SettingName,
  type SwitchableCommand,
  switchableCommands,
  usersSettingOf,
  written,
} from '../../place-settings/index.ts';
import {
  actionId,
  type Button,
  type Job,
  type Message,
  paidCommandNames,
  timestampFor,
} from '../../port/index.ts';
import { creditsInWords, type Words, words } from '../../words/index.ts';
import { titleOf } from '../format-text.ts';
import { describeVoice } from '../voices/describe-voice.ts';
import type { VoiceList } from '../voices/voice-list.ts';

export type Scope = 'channel' | 'workspace';

/** Settings that are entered in one form: at most five, the strictest platform's limit. */
export const groups = {
  answers: ['model', 'persona', 'time_zone'],
  conversation: ['conversation', 'mention_only', 'at_once'],
  media: ['voice', 'language', 'image_size'],
  video: ['video_duration', 'video_resolution', 'video_quality', 'video_ratio', 'video_audio'],
  budgets: ['user_credits', 'channel_credits', 'workspace_credits', 'confirm_over', 'exempt_administrators'],
  people: paidCommandNames.map(usersSettingOf),
} as const satisfies Record<string, readonly SettingName[]>;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/** The pages of settings. */
export type Page = 'overview' | 'commands' | 'history';

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

/** The settings of one group that can be chosen where a job is. */
export function fieldsOf(group: Group, job: Job): readonly SettingName[] {
  const names: readonly SettingName[] = groups[group];
  if (job.requester.direct) return names.filter(isPersonal);
  return names.filter((name) => scopeOf(job) === 'workspace' || definitions[name].scope === 'channel');
}

export function scopeOf(job: Job): Scope {
  return job.options.scope === 'workspace' && !job.requester.direct ? 'workspace' : 'channel';
}

/** A page about the settings of the job's channel or workspace, below `above`. */
export async function settingsPage(
  page: Page,
  job: Job,
  { placeSettings, voiceList }: SettingsPageDependencies,
  above?: string,
): Promise<Message> {
  const say = words(job.requester.locale, job.address.platform);
  const scope = scopeOf(job);
  const settings = await placeSettings.at(job.address, scope);
  const { text, buttons } =
    page === 'history'
      ? { text: await history(job, placeSettings, say), buttons: [back(job, say)] }
      : page === 'commands'
        ? { text: say.spending.settings.commandsTitle, buttons: switches(job, settings, say) }
        : { text: overview(job, settings, say, voiceList), buttons: menu(job, say) };
  return { text: above === undefined ? text : `${above}\n\n${text}`, buttons };
}

function overview(
  job: Job,
  effective: EffectiveSettings,
  say: Words,
  voiceList: Pick<VoiceList, 'find'>,
): string {
  const { settings } = say.spending;
  const line = (name: SettingName) => settingLine(name, effective, say, voiceList);
  const blocks = groupsOf(job).map((group) =>
    [`**${settings.groups[group]}**`, ...fieldsOf(group, job).map((name) => line(name))].join('\n'),
  );
  if (job.requester.direct) return [settings.title.direct, ...blocks].join('\n');
  const commands = [`**${settings.groups.commands}**`, line('off')].join('\n');
  return [settings.title[scopeOf(job)], ...blocks, commands].join('\n');
}

/** The groups with settings that can be chosen where a job is. */
function groupsOf(job: Job): readonly Group[] {
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

function menu(job: Job, { spending: { settings } }: Words): readonly Button[] {
  const other = scopeOf(job) === 'channel' ? 'workspace' : 'channel';
  const groups = groupsOf(job).map((group) => button(job, group, settings.groups[group]));
  if (job.requester.direct) return groups;
  return [
    ...groups,
    button(job, 'commands', settings.groups.commands),
    button(job, 'history', settings.history),
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
