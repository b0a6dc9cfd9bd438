import { memoize } from '../lib/bounded-map.ts';
import {
  buttonAmounts,
  type ChoiceOption,
  type Localized,
  type PaidCommandName,
  paidCommandNames,
  type PlatformName,
  type TextOption,
} from '../port/index.ts';
import { image, speech, video } from '../service-rules/limits.ts';
import { type ChatModel, chatModels } from '../service-rules/models.ts';
import { maxPersonaName, noPersona } from './personas.ts';

/** Undoes a choice: the channel follows its workspace again, and the workspace the defaults. */
export const inherit = 'inherit';

/** Whether a choice is undone by what was entered, in any case: a phone begins with a capital. */
export function isInherit(entered: string): boolean {
  return entered.toLowerCase() === inherit;
}

/** The setting that says who can use a paid command. */
type UsersSetting = `users_${PaidCommandName}`;

/** Something for each setting that says who can use a paid command. */
export function forUsersSettings<T>(
  make: (command: PaidCommandName) => T,
): Readonly<Record<UsersSetting, T>> {
  const made = paidCommandNames.map((command) => [`users_${command}`, make(command)]);
  return Object.fromEntries(made) as Record<UsersSetting, T>;
}

/** Commands that can be turned off in a place: all but those that turn them on again and explain them. */
export const switchableCommands = [...paidCommandNames, 'voices', 'reset', 'usage', 'renders', 'me'] as const;
export type SwitchableCommand = (typeof switchableCommands)[number];

const commandsOff = list(
  { en: 'Commands turned off here', 'zh-CN': '这里关闭的命令' },
  (word) => switchableCommands.find((name) => name === word.replace(/^\//, '').toLowerCase()),
  `${switchableCommands.join(', ')}, all, none`,
);

/** The id of a person, a role or a group: bare, or as platforms write a mention. */
const mention =
  /^(?:<(?:@[!&]?|!subteam\^)([A-Za-z0-9_-]{1,64})(?:\|[^>]*)?>|(?=\D*\d)([A-Za-z0-9_-]{1,64}))$/;
const idOf = (word: string) => {
  const match = mention.exec(word);
  return match?.[1] ?? match?.[2];
};

/** The id of a channel: bare, or as platforms write a mention of one. */
const channelOf = (entered: string) =>
  /^(?:<#([A-Za-z0-9]{5,64})(?:\|[^>]*)?>|(?=\D*\d)([A-Za-z0-9]{5,64}))$/
    .exec(entered)
    ?.slice(1)
    .find(Boolean);

const usersOf = (command: PaidCommandName) =>
  peopleIn(
    {
      en: `Who can use /${command}; administrators always can`,
      'zh-CN': `谁可以用 /${command}；管理员总是可以`,
    },
    { en: 'Everyone', 'zh-CN': '所有人' },
  );

const creditsForm = /^\d{1,9}(?:\.\d{1,6})?$/;

/** The model that goes on where a budget is used up: the cheapest. */
export const cheapestModel: ChatModel = chatModels[0];

/** A role or group and the daily budget of its people, `ID=200`. */
const tierOf = (word: string) => {
  const [who = '', credits = '', ...more] = word.split(/[=:：＝]/u);
  const id = idOf(who);
  return id !== undefined && more.length === 0 && creditsForm.test(credits) ? `${id}=${credits}` : undefined;
};

/** The daily budget of each role or group, in credits. */
export function tiersIn(tiers: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    tiers.map((tier) => {
      const [id = '', credits] = tier.split('=');
      return [id, Number(credits)];
    }),
  );
}

/** Everything administrators can choose for a channel or workspace, by the name it's entered and stored under. */
export const definitions = {
  model: personal(choice(chatModels, { en: 'The model for /ask', 'zh-CN': '/ask 用的模型' })),
  at_once: whole(1, 10, {
    en: 'People I answer at the same time in a conversation',
    'zh-CN': '一个对话里同时回答多少人',
  }),
  conversation: choice(['channel', 'thread', 'person'], {
    en: 'One conversation for the channel, for each /ask in a thread, or for each person',
    'zh-CN': '整个频道一个对话，每次 /ask 在消息列里一个，或每人一个',
  }),
  mention_only: onOrOff({
    en: 'Whether I answer in threads only when mentioned',
    'zh-CN': '在消息列里是否只回答提及我的消息',
  }),
  persona: personal(
    orNobody(
      text(
        { en: 'Who I am here and how I answer', 'zh-CN': '我在这里是谁、怎么回答' },
        { maxCharacters: 4_000 },
      ),
    ),
  ),
  as: orNobody(
    text(
      {
        en: 'The persona that answers here, from /settings personas; none for nobody',
        'zh-CN': '在这里回答的角色，见 /settings personas；none 表示不用角色',
      },
      { maxCharacters: maxPersonaName, suggest: 'personas' },
    ),
  ),
  buttons: personal(
    choice(buttonAmounts, {
      en: 'Buttons under answers, images and videos',
      'zh-CN': '回答、图片和视频下面的按钮',
    }),
  ),
  machine_note: choice(['off', 'media', 'everything'], {
    en: 'Where I write “Made with AI”: nowhere, on clips, images and videos, or on answers, too',
    'zh-CN': '在哪里标注“AI 生成”：不标注，语音、图片和视频，或连同回答',
  }),
  voice: personal(
    text({ en: 'The voice for /speak', 'zh-CN': '/speak 的音色' }, { maxCharacters: 128, suggest: 'voices' }),
  ),
  language: personal({
    ...text(
      { en: 'The language for /speak, such as zh-CN or en', 'zh-CN': '/speak 的语言，如 zh-CN 或 en' },
      {
        maxCharacters: 35,
        pattern: speech.language,
        suggest: 'languages',
      },
    ),
    readAgain: true,
  }),
  image_size: personal({
    ...text(
      { en: 'The image size for /imagine', 'zh-CN': '/imagine 的尺寸' },
      {
        maxCharacters: 11,
        pattern: { expression: image.sizePattern, allowed: `${image.sizes.join(', ')}, WIDTHxHEIGHT` },
        suggest: 'sizes',
      },
    ),
    readAgain: true,
  }),
  video_duration: personal(
    whole(video.duration.min, video.duration.max, {
      en: 'Video length in seconds for /video',
      'zh-CN': '/video 的秒数',
    }),
  ),
  video_resolution: personal(
    choice(video.resolutions, {
      en: 'The resolution for /video',
      'zh-CN': '/video 的分辨率',
    }),
  ),
  video_quality: personal(
    choice(video.qualities, { en: 'The quality for /video', 'zh-CN': '/video 的质量' }),
  ),
  video_ratio: personal(
    choice(video.ratios, { en: 'The aspect ratio for /video', 'zh-CN': '/video 的宽高比' }),
  ),
  video_audio: personal(onOrOff({ en: 'Whether /video has sound', 'zh-CN': '/video 的声音' })),
  user_credits: budget({
    en: 'Daily credits for each person; 0 for no extra limit',
    'zh-CN': '每人每天可用的积分，0 表示不另设上限',
  }),
  channel_credits: budget({
    en: 'Daily credits for each channel; 0 for no extra limit',
    'zh-CN': '每个频道每天可用的积分，0 表示不另设上限',
  }),
  workspace_credits: {
    ...budget({
      en: 'Daily credits for this whole workspace; 0 for no extra limit',
      'zh-CN': '整个工作区每天可用的积分，0 表示不另设上限',
    }),
    scope: 'workspace',
  },
  confirm_over: credits({
    en: 'I ask before I spend more credits than this',
    'zh-CN': '超过多少积分时我先询问',
  }),
  exempt_administrators: onOrOff({
    en: 'Whether administrators are exempt from budgets and cooldown set here',
    'zh-CN': '管理员是否不受这里设置的预算和间隔限制',
  }),
  role_credits: list(
    {
      en: 'Daily credits by role or group, in place of user_credits; the highest counts',
      'zh-CN': '按身份组或用户组的每日积分，代替 user_credits，取最高的',
    },
    tierOf,
    '@…=500, none',
    { ids: true },
  ),
  over_budget: choice(['stop', 'cheaper'], {
    en: `When a budget set here is used up: /ask stops, or goes on with ${cheapestModel}`,
    'zh-CN': `这里设置的预算用完后：/ask 停止，或改用 ${cheapestModel} 继续`,
  }),
  cooldown: {
    ...upTo(86_400, {
      en: 'Seconds until a person can use the same command again; 0 for no wait',
      'zh-CN': '每人再次使用同一命令要等的秒数，0 表示不用等',
    }),
    bound: 'least',
  },
  renders_at_once: {
    ...whole(1, 10, {
      en: 'Images and videos a person can have under way in a channel',
      'zh-CN': '每人在一个频道里同时进行的图片和视频数',
    }),
    bound: 'most',
  },
  time_zone: {
    ...text(
      {
        en: 'Budgets set here reset at midnight in this time zone, such as Asia/Shanghai',
        'zh-CN': '这里设置的预算在哪个时区的零点重置，如 Asia/Shanghai',
      },
      {
        maxCharacters: 64,
        pattern: { expression: /^[A-Za-z0-9_+/-]{1,64}$/, allowed: 'UTC, Asia/Shanghai, …' },
      },
    ),
    scope: 'workspace',
    readAgain: true,
    read: (entered: string) => (kindOfZone(entered) === 'allowed' ? entered : undefined),
  },
  off: {
    ...commandsOff,
    read: (entered: string) =>
      entered.toLowerCase() === 'all' ? switchableCommands : commandsOff.read(entered),
  },
  blocked_words: list(
    {
      en: 'Words blocked in prompts and answers; * at either end matches any letters',
      'zh-CN': '提示词和回答里不能出现的词，* 代表词首或词尾的任意字母',
    },
    (word) => (word.length <= 100 ? word : undefined),
    'word, word*, none',
  ),
  answer_bots: onOrOff({
    en: 'Whether I answer other bots that mention me, until only bots talk here',
    'zh-CN': '是否回答提及我的其他机器人，只剩机器人对话时停止',
  }),
  keep_prompts: upTo(90, {
    en: 'Days I keep prompts with their cost for administrators; 0 to keep none',
    'zh-CN': '提示词与费用一起保存的天数，供管理员查看；0 表示不保存',
  }),
  audit_channel: {
    ...text(
      {
        en: 'The channel of this workspace where I post who used what, and reports',
        'zh-CN': '我在这个工作区的哪个频道写下谁用了什么，并转发举报',
      },
      { maxCharacters: 100, channel: true },
    ),
    scope: 'workspace',
    allowed: '#…, ID',
    read: channelOf,
  },
  connect: {
    ...onOrOff({
      en: 'Whether I answer in a channel that other organizations share (Slack Connect)',
      'zh-CN': '在与其他组织共享的频道（Slack Connect）里是否回答',
    }),
    only: 'slack',
  },
  outsiders: {
    ...onOrOff({
      en: 'Whether guests and people from other organizations can spend credits',
      'zh-CN': '访客和其他组织的人能否花积分',
    }),
    only: 'slack',
  },
  outsider_credits: {
    ...budget({
      en: 'Daily credits for each of them; 0 for as much as members',
      'zh-CN': '他们每人每天可用的积分，0 表示与成员相同',
    }),
    only: 'slack',
  },
  blocked: peopleIn(
    { en: 'Who can’t use me; administrators always can', 'zh-CN': '谁不能使用我；管理员总是可以' },
    { en: 'Nobody', 'zh-CN': '没有人' },
  ),
  ...forUsersSettings(usersOf),
} as const satisfies Record<string, AnyDefinition>;

export type SettingName = keyof typeof definitions;
type ValueOf<Name extends SettingName> = NonNullable<ReturnType<(typeof definitions)[Name]['read']>>;
/** The values of all settings. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<Name> };

export const settingNames = Object.keys(definitions) as SettingName[];

/** How many time zones are remembered: checking one takes a millisecond. */
const zonesKept = 100;

/**
 * `off-quarter`: its days don't begin on a quarter of an hour, which is what budgets are counted in. Only bare offsets (`+0507`)
 * can be that; real time zones aren't.
 */
const kindOfZone = memoize(zonesKept, (name): 'allowed' | 'off-quarter' | 'unknown' => {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: name,
      timeZoneName: 'longOffset',
    }).formatToParts();
    const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return /:(?!(?:00|15|30|45)$)/.test(offset) ? 'off-quarter' : 'allowed';
  } catch {
    return 'unknown';
  }
});

/** Whether this is a time zone, but one whose offset from UTC isn't a multiple of 15 minutes. */
export function isOffQuarter(name: string): boolean {
  return kindOfZone(name) === 'off-quarter';
}

/** One thing administrators can choose for a channel or workspace. */
interface Definition<T = unknown> {
  /** How it is entered; `inherit` is always allowed. */
  readonly option: TextOption | ChoiceOption;
  /** Whether it can be chosen per channel, or only for the whole workspace. */
  readonly scope: 'channel' | 'workspace';
  /** People can choose it for their own direct messages with the bot, which nobody administers. */
  readonly personal?: true;
  /**
   * The environment's value, if not 0, is the most or the least that a channel or workspace can choose; where it's the most, 0
   * means that.
   */
  readonly bound?: 'most' | 'least';
  /** The platform where it means something; all if absent. */
  readonly only?: PlatformName;
  /** Another version may have stored what this one doesn't allow: it's checked again, and if that fails it counts as not chosen. */
  readonly readAgain?: true;
  /** What's allowed, for the error about anything else. */
  readonly allowed: string;
  /** The value of what was entered; undefined if it isn't allowed. */
  read(entered: string): T | undefined;
  /** What of a list that was entered isn't allowed. */
  unread?(entered: string): string;
  /** A value as it's entered. */
  write(value: T): string;
}

/** A definition whose type of value is only known at run time. */
export interface AnyDefinition extends Omit<Definition, 'write'> {
  write(value: never): string;
}

/** A setting that people can also choose for their own direct messages: it lifts no limit and spends nobody else's credits. */
function personal<D extends AnyDefinition>(definition: D): D & { readonly personal: true } {
  return { ...definition, personal: true };
}

/** One of a list. */
function choice<const T extends string>(choices: readonly T[], description: Localized): Definition<T> {
  return {
    option: { type: 'choice', choices: [...choices, inherit], description },
    scope: 'channel',
    readAgain: true,
    allowed: choices.join(', '),
    read: (entered) => choices.find((one) => one === entered),
    write: (value) => value,
  };
}

/** On or off. */
export function onOrOff(description: Localized): Definition<boolean> {
  return {
    option: { type: 'choice', choices: ['on', 'off', inherit], description },
    scope: 'channel',
    allowed: 'on, off',
    read: (entered) => ({ on: true, off: false })[entered],
    write: (value) => (value ? 'on' : 'off'),
  };
}

/** A whole number in a range, from a menu. */
function whole(min: number, max: number, description: Localized): Definition<number> {
  const choices = Array.from({ length: max - min + 1 }, (_, index) => String(min + index));
  return {
    option: { type: 'choice', choices: [...choices, inherit], description },
    scope: 'channel',
    readAgain: true,
    allowed: `${min}–${max}`,
    read: (entered) => (choices.includes(entered) ? Number(entered) : undefined),
    write: String,
  };
}

/** A daily budget in credits, up to the environment's limit; 0 for that limit. */
function budget(description: Localized): Definition<number> & { readonly bound: 'most' } {
  return { ...credits(description), bound: 'most' };
}

function credits(description: Localized): Definition<number> {
  return figure(description, creditsForm, '0–999999999');
}

/** A whole number that's typed: there are too many for a list. */
function upTo(most: number, description: Localized): Definition<number> {
  const typed = figure(description, /^\d{1,5}$/, `0–${most}`);
  const read = (entered: string) => {
    const value = typed.read(entered);
    return value !== undefined && value <= most ? value : undefined;
  };
  return { ...typed, read };
}

/** A number that's typed. */
function figure(description: Localized, form: RegExp, allowed: string): Definition<number> {
  return {
    ...text(description, { pattern: { expression: form, allowed } }),
    read: (entered) => (form.test(entered) ? Number(entered) : undefined),
    write: String,
  };
}

type TextRules = Omit<TextOption, 'type' | 'description'>;

/** Free text. */
function text(description: Localized, { pattern, ...rules }: TextRules): Definition<string> {
  return {
    option: {
      type: 'text',
      description,
      ...rules,
      ...(pattern && {
        pattern: {
          ...pattern,
          expression: orInherit(pattern.expression),
          allowed: `${pattern.allowed}, ${inherit}`,
        },
      }),
    },
    scope: 'channel',
    allowed: pattern?.allowed ?? `${rules.maxCharacters}`,
    read: (entered) => (pattern && !pattern.expression.test(entered) ? undefined : entered),
    write: (value) => value,
  };
}

/** A text that says who answers: `none`, in any case, for nobody. */
function orNobody(definition: Definition<string>): Definition<string> {
  const read = (entered: string) => (entered.toLowerCase() === noPersona ? '' : entered);
  return { ...definition, read, write: (value) => value || noPersona };
}

/** A list of words, separated by spaces or commas; `none` for an empty one. */
function list(
  description: Localized,
  item: (word: string) => string | undefined,
  allowed: string,
  rules: TextRules = {},
): Definition<readonly string[]> {
  const split = (entered: string) =>
    entered.toLowerCase() === none ? [] : entered.split(/[\s,，、]+/u).filter(Boolean);
  const read = (entered: string) => {
    const items = split(entered).map(item);
    return items.every((one) => one !== undefined) ? [...new Set(items)] : undefined;
  };
  return {
    option: { type: 'text', description: withAllowed(description, allowed), maxCharacters: 2_000, ...rules },
    scope: 'channel',
    allowed,
    read,
    unread: (entered) =>
      split(entered)
        .filter((word) => item(word) === undefined)
        .join(' '),
    write: (value) => (value.length === 0 ? none : value.join(' ')),
  };
}

/** A list of people, roles and groups, and what an empty one means; it doesn't hold for administrators. */
function peopleIn(description: Localized, nobodyNamed: Localized): Definition<readonly string[]> {
  return list(description, idOf, '@…, none', {
    people: { note: { en: 'Administrators always can.', 'zh-CN': '管理员总是可以。' }, none: nobodyNamed },
  });
}

/** An empty list, as it is entered. */
export const none = 'none';

function withAllowed(description: Localized, allowed: string): Localized {
  return { en: `${description.en}: ${allowed}`, 'zh-CN': `${description['zh-CN']}：${allowed}` };
}

function orInherit({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${inherit}|${source.replace(/^\^|\$$/g, '')})$`, flags);
}
