import {
  definitions,
  type PlaceSettings,
  type SettingName,
  type Settled,
  type SwitchedCommand,
  switchedCommands,
  written,
} from '../../src/place-settings/index.ts';
import { actionId, type Button, type Job, type Message, momentFor } from '../../src/port/index.ts';
import { type Words, words } from '../../src/words/index.ts';
import { titleOf } from './texts.ts';

export type Scope = 'channel' | 'workspace';

/** Settings that are entered together: as many as the strictest platform's forms have fields. */
export const groups = {
  answers: ['model', 'persona', 'time_zone'],
  media: ['voice', 'language', 'image_size'],
  video: ['video_duration', 'video_resolution', 'video_quality', 'video_ratio', 'video_audio'],
  budgets: ['user_credits', 'channel_credits', 'workspace_credits', 'confirm_over', 'exempt_administrators'],
  people: ['users_ask', 'users_speak', 'users_imagine', 'users_video'],
} as const satisfies Record<string, readonly SettingName[]>;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/** What the settings of a place are shown as. */
export type Page = 'overview' | 'commands' | 'history';

/** Changes that the history shows. */
const historyLength = 20;

/** The settings of one group that can be chosen for a scope. */
export function fieldsOf(group: Group, scope: Scope): readonly SettingName[] {
  return groups[group].filter((name) => scope === 'workspace' || definitions[name].scope === 'channel');
}

export function scopeOf(job: Job): Scope {
  return job.options.scope === 'workspace' ? 'workspace' : 'channel';
}

/** A page about the settings of the job's place; `above` stands before it. */
export async function settingsPage(
  page: Page,
  job: Job,
  places: PlaceSettings,
  above?: string,
): Promise<Message> {
  const say = words(job.requester.locale);
  const scope = scopeOf(job);
  const settled = await places.at(job.address, scope);
  const { text, buttons } =
    page === 'history'
      ? { text: await history(job, places, say), buttons: [back(job, say)] }
      : page === 'commands'
        ? { text: say.spending.settings.commandsTitle, buttons: switches(job, settled, say) }
        : { text: overview(scope, settled, say), buttons: menu(job, say) };
  return { text: above === undefined ? text : `${above}\n\n${text}`, buttons };
}

function overview(scope: Scope, settled: Settled, say: Words): string {
  const { settings } = say.spending;
  const blocks = groupNames.map((group) =>
    [`**${settings.groups[group]}**`, ...fieldsOf(group, scope).map((name) => line(name, settled, say))].join(
      '\n',
    ),
  );
  const commands = [`**${settings.groups.commands}**`, line('off', settled, say)].join('\n');
  return [settings.title[scope], ...blocks, commands].join('\n');
}

function line(name: SettingName, { values, sources }: Settled, say: Words): string {
  const { settings } = say.spending;
  return settings.line(name, shown(name, values[name], say), settings.sources[sources[name]]);
}

/** A value as people read it. */
function shown(name: SettingName, value: unknown, { spending: { settings } }: Words): string {
  if (name === 'language' && value === '') return settings.own;
  if (name.endsWith('_credits') && value === 0) return settings.noLimit;
  if (typeof value === 'boolean') return value ? settings.on : settings.off;
  if (Array.isArray(value) && value.length === 0)
    return name === 'off' ? settings.noneOff : settings.everybody;
  return `\`${titleOf(written(name, value), 80).replaceAll('`', "'")}\``;
}

async function history(job: Job, places: PlaceSettings, say: Words): Promise<string> {
  const { settings } = say.spending;
  const changes = await places.changes(job.address, historyLength);
  const lines = changes.map(({ name, scope, before, after, personName, changedAt }) => {
    const chosen = (value: string | undefined) =>
      value === undefined ? settings.notChosen : `\`${titleOf(value, 40).replaceAll('`', "'")}\``;
    const when = momentFor(job.requester, changedAt);
    return settings.change(when, personName, name, chosen(before), chosen(after), settings.sources[scope]);
  });
  return [settings.historyTitle, ...(lines.length > 0 ? lines : [settings.noChanges])].join('\n');
}

function menu(job: Job, { spending: { settings } }: Words): readonly Button[] {
  const other = scopeOf(job) === 'channel' ? 'workspace' : 'channel';
  return [
    ...groupNames.map((group) => button(job, group, settings.groups[group])),
    button(job, 'commands', settings.groups.commands),
    button(job, 'history', settings.history),
    button(job, other, other === 'channel' ? settings.forChannel : settings.forWorkspace),
  ];
}

function switches(job: Job, { values }: Settled, say: Words): readonly Button[] {
  const isOff = (name: SwitchedCommand) => values.off.includes(name);
  return [
    ...switchedCommands.map((name) => ({
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
