import { asCode, shortened } from '../../lib/text.ts';
import {
  type AnyDefinition,
  definitions,
  type EffectiveSettings,
  maxPersonas,
  type Persona,
  type PlaceSettings,
  type SettingChange,
  type SettingName,
  type SwitchableCommand,
  switchableCommands,
  tiersIn,
  written,
} from '../../place-settings/index.ts';
import {
  type Button,
  type Job,
  type Message,
  type OptionGroup,
  paidCommandNames,
  type PlatformAdapters,
  timestampFor,
} from '../../port/index.ts';
import { spanInWords, type Words, words } from '../../words/index.ts';
import { jobButton } from '../endings.ts';
import { describeVoice, type VoiceList } from '../voices.ts';
import { channelNameOf, nameInLine } from './usage-report.ts';

export type Scope = 'channel' | 'workspace';

interface SettingsPageDependencies {
  readonly placeSettings: PlaceSettings;
  readonly adapters: PlatformAdapters;
  readonly voiceList: Pick<VoiceList, 'find'>;
}

/** How many people of a list are named. */
const mostNames = 10;
/** How many changes the history shows. */
const historyLength = 20;

/** Whether people can choose it for their own direct messages. */
export function isPersonal(name: SettingName): boolean {
  const { personal }: AnyDefinition = definitions[name];
  return personal === true;
}

/** The settings of a page that can be chosen where a job is. */
export function fieldsOf(page: Page, job: Job): readonly SettingName[] {
  const names = isGroup(page) ? groups[page].fields.filter((name) => isThere(name, job)) : [];
  if (job.requester.direct) return names.filter(isPersonal);
  return names.filter((name) => scopeOf(job) === 'workspace' || definitions[name].scope === 'channel');
}

function isThere(name: SettingName, { address }: Job): boolean {
  const { only }: AnyDefinition = definitions[name];
  return only === undefined || only === address.platform;
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
  const lines = effective ? await settingLines(unseen, effective, job, say, dependencies) : [];
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
  dependencies: SettingsPageDependencies,
): Promise<{ readonly text: string; readonly buttons: readonly Button[] }> {
  const say = words(job.requester.locale, job.address.platform);
  const { settings } = say.spending;
  const { placeSettings } = dependencies;
  if (page === 'history') return { text: await history(job, dependencies, say), buttons: [back(job, say)] };
  const effective = await placeSettings.at(job.address, scopeOf(job));
  if (page === 'personas') return personaList(job, effective, say);
  if (page === 'commands') return { text: settings.commandsTitle, buttons: switches(job, effective, say) };
  const title = settings.title[job.requester.direct ? 'direct' : scopeOf(job)];
  const shownGroups = page === 'overview' ? groupsOf(job) : [page];
  const blocks = await Promise.all(
    shownGroups.map(async (group) => [
      `**${pages[group].title[say.locale]}**`,
      ...(await settingLines(fieldsOf(group, job), effective, job, say, dependencies)),
    ]),
  );
  return {
    text: [title, ...blocks.flat()].join('\n'),
    buttons: page === 'overview' ? menu(job, say) : [jobButton(job, page, settings.enter), back(job, say)],
  };
}

/** The groups with settings that can be chosen where a job is. */
function groupsOf(job: Job): readonly GroupName[] {
  return groupNames.filter((group) => fieldsOf(group, job).length > 0);
}

async function settingLines(
  shown: readonly SettingName[],
  effective: EffectiveSettings,
  job: Job,
  say: Words,
  { adapters, voiceList }: SettingsPageDependencies,
): Promise<readonly string[]> {
  const chosen = shown.map((name) => [name, effective.values[name]] as const);
  const names = await chosenNames(chosen, job, say, adapters);
  return shown.map((name) => settingLine(name, effective, say, voiceList, names));
}

/** Names of what settings have the ids of, where their platform has no mentions for them: people, groups, a channel. */
async function chosenNames(
  chosen: readonly (readonly [SettingName, unknown])[],
  { address, requester }: Job,
  say: Words,
  adapters: PlatformAdapters,
): Promise<ReadonlyMap<string, string>> {
  const adapter = adapters(address.platform);
  const ids = say.people ? [] : chosen.flatMap(([name, value]) => idsIn(name, value));
  const names = new Map(adapter && ids.length > 0 ? await adapter.chosenNames(address, ids) : []);
  for (const [name, value] of chosen) {
    const channel = name === 'audit_channel' ? String(value ?? '') : '';
    if (channel !== '' && !names.has(channel) && !adapter?.channelMention({ ...address, channel }))
      names.set(channel, await channelNameOf(channel, address, adapters, requester.id));
  }
  return names;
}

function choosesPeople(name: SettingName): boolean {
  const { option }: AnyDefinition = definitions[name];
  return name === 'role_credits' || (option.type === 'text' && option.people !== undefined);
}

/** The ids of the people, roles and groups that a setting is about. */
function idsIn(name: SettingName, value: unknown): readonly string[] {
  if (!choosesPeople(name) || !Array.isArray(value)) return [];
  return name === 'role_credits' ? [...tiersIn(value).keys()] : value;
}

function settingLine(
  name: SettingName,
  { values, sources }: EffectiveSettings,
  say: Words,
  voiceList: Pick<VoiceList, 'find'>,
  names: ReadonlyMap<string, string>,
): string {
  const { settings } = say.spending;
  const source = sources[name];
  const { bound }: AnyDefinition = definitions[name];
  const isBound = bound && source === 'environment' && values[name] !== 0;
  const from = isBound ? settings.bounds[bound] : settings.sources[source];
  const voice = name === 'voice' ? voiceList.find(values.voice) : undefined;
  const about = voice ? describeVoice(voice, say.locale) : '';
  return settings.line(
    say.optionName(name),
    `${settingInWords(name, values[name], say, names)}${about && ` ${about}`}`,
    from,
  );
}

/** A value as people read it: what they can type as code, the rest in words; what it has ids of, by their names. */
export function settingInWords(
  name: SettingName | 'private',
  value: unknown,
  say: Words,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const {
    locale,
    comma,
    spending: { settings },
  } = say;
  const people =
    say.people ?? (names.size > 0 ? (ids: readonly string[]) => listed(ids, names, comma) : undefined);
  if (name === 'language' && value === '') return settings.own;
  if (name === 'as' && value === '') return settings.nobody;
  if (name.endsWith('_credits') && value === 0) return settings.noLimit;
  if (name === 'keep_prompts' && value === 0) return settings.off;
  if (name === 'audit_channel')
    return value === '' ? settings.nobody : (names.get(String(value)) ?? `<#${String(value)}>`);
  if (name === 'cooldown') return value === 0 ? settings.off : spanInWords(Number(value) * 1000, locale);
  if (typeof value === 'boolean' || name === 'private') return value ? settings.on : settings.off;
  if (Array.isArray(value) && value.length === 0) return settings.empty[name] ?? settings.everybody;
  const { option }: AnyDefinition = definitions[name];
  if (people && name === 'role_credits')
    return [...tiersIn(value as readonly string[])]
      .map(([id, credits]) => `${people([id], true)} ${credits}`)
      .join(comma);
  if (people && option.type === 'text' && option.people) return people(value as readonly string[]);
  return asCode(written(name, value), 80);
}

/** The first of many, by their names, else by their ids. */
function listed(ids: readonly string[], names: ReadonlyMap<string, string>, comma: string): string {
  const more = ids.length - mostNames;
  const first = ids.slice(0, mostNames).map((id) => nameInLine(names.get(id) ?? '') || asCode(id, 80));
  return [...first, ...(more > 0 ? [`+${more}`] : [])].join(comma);
}

/** A stored value of a setting that has ids; none of others. */
function withIds(
  name: SettingChange['name'],
  value: string | undefined,
): readonly (readonly [SettingName, unknown])[] {
  if (name === 'personas' || value === undefined) return [];
  const read = name === 'audit_channel' || choosesPeople(name) ? definitions[name].read(value) : undefined;
  return read === undefined ? [] : [[name, read]];
}

async function history(
  job: Job,
  { placeSettings, adapters }: SettingsPageDependencies,
  say: Words,
): Promise<string> {
  const { settings } = say.spending;
  const changes = await placeSettings.changes(job.address, historyLength);
  const ofIds = changes.flatMap(({ name, before, after }) => [
    ...withIds(name, before),
    ...withIds(name, after),
  ]);
  const names = await chosenNames(ofIds, job, say, adapters);
  const lines = changes.map(({ name, scope, before, after, personName, changedAt }) => {
    const chosen = (value: string | undefined) => {
      if (value === undefined) return settings.notChosen;
      // Mentions can't be cut.
      const [one] = say.people ? [] : withIds(name, value);
      return one ? shortened(settingInWords(...one, say, names), 80) : asCode(value, 40);
    };
    const when = timestampFor(job.requester, changedAt);
    const option = say.optionName(name);
    const who = nameInLine(personName);
    return settings.change(when, who, option, chosen(before), chosen(after), settings.sources[scope]);
  });
  return [settings.historyTitle, ...(lines.length > 0 ? lines : [settings.noChanges])].join('\n');
}

function menu(job: Job, say: Words): readonly Button[] {
  const { settings } = say.spending;
  const other = scopeOf(job) === 'channel' ? 'workspace' : 'channel';
  const groups = groupsOf(job).map((group) => jobButton(job, group, pages[group].title[say.locale]));
  if (job.requester.direct) return groups;
  return [
    ...groups,
    jobButton(job, 'personas', pages.personas.title[say.locale]),
    jobButton(job, 'history', pages.history.title[say.locale]),
    // A person's own page is no channel.
    ...(job.address.isHome
      ? []
      : [jobButton(job, other, other === 'channel' ? settings.forChannel : settings.forWorkspace)]),
  ];
}

function switches(job: Job, { values }: EffectiveSettings, say: Words): readonly Button[] {
  const isOff = (name: SwitchableCommand) => values.off.includes(name);
  return [
    ...switchableCommands.map((name) => ({
      ...jobButton(job, `switch_${name}`, `${isOff(name) ? '✗' : '✓'} /${name}`, isOff(name) ? 1 : 0),
      style: isOff(name) ? ('plain' as const) : ('primary' as const),
    })),
    back(job, say),
  ];
}

/** All personas, each with a button that shows it. */
function personaList(job: Job, { personas }: EffectiveSettings, say: Words) {
  const { title, noneYet, add } = say.spending.personas;
  const lines = personas.map((persona) => `- ${[asCode(persona.name, 80), ...partsOf(persona)].join(' · ')}`);
  return {
    text: [title, ...(lines.length > 0 ? lines : [noneYet])].join('\n'),
    buttons: [
      ...personas.map(({ name, number }) => jobButton(job, 'persona', name, number)),
      ...(personas.length < maxPersonas
        ? [{ ...jobButton(job, 'add_persona', add), style: 'primary' as const, row: 1 }]
        : []),
      { ...back(job, say), row: 1 },
    ],
  };
}

/** One persona with what can be done with it, below `above`. */
export function personaPage(persona: Persona, job: Job, above?: string): Message {
  const say = words(job.requester.locale, job.address.platform);
  const { edit, remove, confirmRemove } = say.spending.personas;
  const { name, number, prompt } = persona;
  const shown = [`**${asCode(name, 80)}**`, ...partsOf(persona, ['model', 'voice', 'image_size'])];
  return {
    text: [
      ...(above === undefined ? [] : [above]),
      shown.join(' · '),
      ...(prompt ? [asCode(prompt, 1_000)] : []),
    ].join('\n'),
    buttons: [
      jobButton(job, 'edit_persona', edit, number),
      {
        ...jobButton(job, 'remove_persona', remove, number),
        style: 'danger',
        confirm: confirmRemove(name),
      },
      jobButton(job, 'personas', say.spending.settings.back),
    ],
  };
}

/** What a persona has besides its name. */
function partsOf(
  persona: Persona,
  names: readonly Exclude<keyof Persona, 'name' | 'number'>[] = ['model', 'voice', 'image_size', 'prompt'],
): readonly string[] {
  return names.flatMap((name) => persona[name] ?? []).map((part) => asCode(part, 60));
}

function back(job: Job, { spending: { settings } }: Words): Button {
  return jobButton(job, 'overview', settings.back);
}

/** Settings that are read and changed together, below a title of their own. */
interface SettingsGroup extends OptionGroup {
  /** At most five, the most inputs of a form on the strictest platform. */
  readonly fields: readonly SettingName[];
}

/** Every setting is in one of these. */
export const groups = {
  answers: {
    title: { en: 'Answers', 'zh-CN': '回答' },
    description: { en: 'The model, who I am here, and the buttons', 'zh-CN': '模型、人设和按钮' },
    fields: ['model', 'as', 'persona', 'buttons', 'machine_note'],
  },
  conversation: {
    title: { en: 'Conversations', 'zh-CN': '对话' },
    description: {
      en: 'Who shares a conversation, and how many are answered at once',
      'zh-CN': '谁共用一个对话，同时回答多少人',
    },
    fields: ['conversation', 'mention_only', 'at_once'],
  },
  media: {
    title: { en: 'Voice and image', 'zh-CN': '音色和图片' },
    description: { en: 'Defaults for /speak and /imagine', 'zh-CN': '/speak 和 /imagine 的默认值' },
    fields: ['voice', 'language', 'image_size'],
  },
  video: {
    title: { en: 'Video', 'zh-CN': '视频' },
    description: { en: 'Defaults for /video', 'zh-CN': '/video 的默认值' },
    fields: ['video_duration', 'video_resolution', 'video_quality', 'video_ratio', 'video_audio'],
  },
  budgets: {
    title: { en: 'Budgets', 'zh-CN': '预算' },
    description: { en: 'What can be spent in a day', 'zh-CN': '每天可以用多少积分' },
    fields: ['user_credits', 'channel_credits', 'workspace_credits', 'exempt_administrators', 'time_zone'],
  },
  limits: {
    title: { en: 'Limits', 'zh-CN': '限制' },
    description: {
      en: 'What I ask about first, and how much a person can do',
      'zh-CN': '什么要先确认，每人能用多少',
    },
    fields: ['confirm_over', 'cooldown', 'renders_at_once', 'role_credits', 'over_budget'],
  },
  people: {
    title: { en: 'Who can use what', 'zh-CN': '谁可以用什么' },
    description: { en: 'Who can use /ask, /speak, /imagine and /video', 'zh-CN': '谁可以用四个命令' },
    fields: [...paidCommandNames.map((command) => `users_${command}` as const), 'blocked'],
  },
  moderation: {
    title: { en: 'Moderation', 'zh-CN': '内容管理' },
    description: {
      en: 'What people may give me, and where I say who used what',
      'zh-CN': '可以发给我什么，在哪里写下谁用了什么',
    },
    fields: ['blocked_words', 'answer_bots', 'audit_channel', 'keep_prompts'],
  },
  guests: {
    title: { en: 'Guests', 'zh-CN': '访客' },
    description: {
      en: 'Whether guests and people from other organizations can use me',
      'zh-CN': '访客和其他组织的人能否使用我',
    },
    fields: ['connect', 'outsiders', 'outsider_credits'],
    only: 'slack',
  },
  commands: {
    title: { en: 'Commands', 'zh-CN': '命令' },
    description: { en: 'Which commands are on', 'zh-CN': '哪些命令开启' },
    fields: ['off'],
  },
} as const satisfies Record<string, SettingsGroup>;
export type GroupName = keyof typeof groups;
/** All groups, in the order in which they’re shown. */
export const groupNames = Object.keys(groups) as GroupName[];

function isGroup(page: Page): page is GroupName {
  return Object.hasOwn(groups, page);
}

/** What a persona's form asks for. */
export const personaFields = ['name', 'prompt', 'voice', 'model', 'image_size'] as const;

/** All settings together, one group alone, personas, or who changed what. */
export type Page = 'overview' | GroupName | 'personas' | 'history';
/** The pages of `/settings`; on Discord a sub-command each. */
export const pages: Readonly<Record<Page, OptionGroup>> = {
  overview: {
    title: { en: 'Overview', 'zh-CN': '总览' },
    description: { en: 'All settings, and where each comes from', 'zh-CN': '全部设置和各自的来源' },
    fields: [],
  },
  ...groups,
  personas: {
    title: { en: 'Personas', 'zh-CN': '角色' },
    description: { en: 'Named ways to answer, for /ask as', 'zh-CN': '有名字的回答方式，用于 /ask as' },
    fields: personaFields,
  },
  history: {
    title: { en: 'History', 'zh-CN': '更改记录' },
    description: { en: 'Who changed what, and when', 'zh-CN': '谁在什么时候改了什么' },
    fields: [],
  },
};
/** The page that shows settings that were chosen with `page`: that one if it has them, or else theirs. */
export function pageWith(names: readonly SettingName[], page: Page): Page {
  const has = (candidate: Page) => names.every((name) => pages[candidate].fields.includes(name));
  if (page === 'overview' || has(page)) return page;
  return groupNames.find(has) ?? 'overview';
}

/** All pages, in the order in which they’re offered. */
export const pageNames = Object.keys(pages) as Page[];
