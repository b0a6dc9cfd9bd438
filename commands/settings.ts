import type { CommandDependencies } from '../src/app/command-dependencies.ts';
import { defineCommand } from '../src/app/define-command.ts';
import { InputError } from '../src/app/faults/input-error.ts';
import {
  ceilingInWords,
  fieldsOf,
  type Group,
  groupNames,
  isPersonal,
  type Page,
  type Scope,
  scopeOf,
  settingsPage,
} from '../src/app/presenters/settings-pages.ts';
import {
  type Choices,
  definitions,
  inherit,
  isOffQuarter,
  type SettingName,
  type SwitchableCommand,
  settingNames,
  switchableCommands,
  written,
} from '../src/place-settings/index.ts';
import {
  type Action,
  type AnyValues,
  type ButtonPress,
  type Form,
  type Job,
  type Message,
  type Option,
  PlatformError,
} from '../src/port/index.ts';
import { type Words, words } from '../src/words/index.ts';

const options: Readonly<Record<string, Option>> = {
  scope: {
    type: 'choice',
    choices: ['channel', 'workspace'],
    description: {
      en: 'For this channel, or for the whole workspace; channel by default',
      'zh-CN': '为这个频道，还是整个工作区；默认频道',
    },
  },
  ...Object.fromEntries(settingNames.map((name) => [name, definitions[name].option])),
};

/** `/settings`: what administrators choose for a channel or a workspace, and people for their direct messages. */
export default defineCommand({
  name: 'settings',
  localNames: { 'zh-CN': '设置' },
  description: {
    en: 'Settings for this channel or workspace (administrators only), or for your direct messages with me',
    'zh-CN': '这个频道或工作区的设置，仅限管理员；也可设置你和我的私信',
  },
  help: {
    en: 'On its own it shows all settings, with buttons to change them. A channel’s settings override its workspace’s, and those override my defaults; `inherit` undoes a choice.\nExample: `/settings scope:workspace user_credits:200`',
    'zh-CN':
      '不带选项时显示全部设置和修改按钮。频道的设置优先于工作区，工作区优先于默认设置；填 `inherit` 恢复继承。\n例如：`/settings scope:workspace user_credits:200`',
  },
  options,
  seenBy: 'requester',
  restrictedTo: 'administrators',
  async run({ job, options: given, requester, reply }, parts) {
    const { scope, ...entered } = given as AnyValues;
    if (scope === 'workspace') requireAdministrator(job);
    const say = words(requester.locale, job.address.platform);
    const above = Object.keys(entered).length === 0 ? undefined : await choose(job, entered, parts, say);
    await reply.say(await settingsPage('overview', job, parts.placeSettings, above));
  },
  actions: {
    ...Object.fromEntries(groupNames.map((group) => [group, enter(group)])),
    ...Object.fromEntries(switchableCommands.map((name) => [`switch_${name}`, switchOver(name)])),
    overview: show('overview'),
    commands: show('commands'),
    history: show('history'),
    channel: forScope('channel'),
    workspace: forScope('workspace'),
  },
});

/** What concerns more than a person's own direct messages is for administrators. */
function requireAdministrator({ requester }: Pick<Job, 'requester'>): void {
  if (requester.direct) throw new InputError((say) => say.spending.settings.notHere);
}

/** Makes the choices entered for the job's place; answers what to say about it. */
async function choose(
  job: Job,
  entered: AnyValues,
  dependencies: CommandDependencies,
  say: Words,
): Promise<string> {
  if (!Object.keys(entered).every((name) => isPersonal(name as SettingName))) requireAdministrator(job);
  const choices = read(entered, dependencies);
  if (typeof choices.voice === 'string') requireVoice(choices.voice, dependencies);
  const changed: SettingName[] = [];
  for (const scope of ['channel', 'workspace'] as const) {
    const ofScope = Object.entries(choices).filter(([name]) => scopeFor(name as SettingName, job) === scope);
    const made = Object.fromEntries(ofScope) as Choices;
    changed.push(...(await dependencies.placeSettings.choose(job.address, scope, made, job.requester)));
  }
  const { settings } = say.spending;
  if (changed.length === 0) return settings.unchanged;
  return settings.changed(changed.map((name) => `\`${name}\``).join(', '));
}

/** What concerns the whole workspace is chosen for it, wherever it is entered. */
function scopeFor(name: SettingName, job: Job): Scope {
  return definitions[name].scope === 'workspace' ? 'workspace' : scopeOf(job);
}

function read(entered: AnyValues, { placeSettings: places }: CommandDependencies): Choices {
  const choices = Object.entries(entered).map(([name, given]) => {
    const definition = definitions[name as SettingName];
    const text = String(given).trim();
    if (text === inherit) return [name, undefined];
    const value = definition.read(text);
    const ceiling = places.ceilingOf(name as SettingName);
    if (ceiling !== undefined && Number(value) > ceiling)
      throw new InputError((say) => say.spending.settings.overCeiling(name, ceilingInWords(ceiling, say)));
    if (value !== undefined) return [name, value];
    if (name === 'time_zone' && isOffQuarter(text))
      throw new InputError((say) => say.spending.settings.offQuarter(text));
    const fault = { option: name, code: 'wrong-form', given: text, allowed: definition.allowed } as const;
    throw new InputError((say) => say.faults('settings', [fault]));
  });
  return Object.fromEntries(choices) as Choices;
}

function requireVoice(voice: string, { suggestions }: CommandDependencies): void {
  if (suggestions.voices.some(({ id }) => id === voice)) return;
  throw new InputError((say) => say.spending.settings.unknownVoice(voice));
}

/** Opens a group as a form. What is left empty in it is taken back. */
function enter(group: Group): Action<CommandDependencies> {
  return {
    who: 'requester',
    answers: 'quiet',
    form: (job, locale, parts) => formOf(group, job, words(locale, job.address.platform), parts),
    async run(press, parts) {
      const { job, requester, values } = press;
      const fields = fieldsOf(group, job);
      const entered = Object.fromEntries(fields.map((name) => [name, values[name] ?? inherit]));
      const above = await choose(
        { ...job, requester },
        entered,
        parts,
        words(requester.locale, job.address.platform),
      );
      await change(press, await settingsPage('overview', job, parts.placeSettings, above), parts);
    },
  };
}

async function formOf(
  group: Group,
  job: Job,
  say: Words,
  { placeSettings: places }: CommandDependencies,
): Promise<Form> {
  const fields = fieldsOf(group, job);
  const chosen = await places.chosen(job.address, scopeOf(job));
  const values = fields.map((name) => {
    const value = chosen[name];
    return [name, value === undefined ? undefined : written(name, value)];
  });
  return {
    title: say.spending.settings.groups[group],
    command: 'settings',
    fields,
    values: Object.fromEntries(values),
  };
}

/** Switches a command off here, or on again. */
function switchOver(command: SwitchableCommand): Action<CommandDependencies> {
  return {
    who: 'requester',
    answers: 'quiet',
    async run(press, parts) {
      const { job, requester } = press;
      requireAdministrator(press);
      const scope = scopeOf(job);
      const { off } = (await parts.placeSettings.at(job.address, scope)).values;
      const others = off.filter((name) => name !== command);
      const choices = { off: others.length < off.length ? others : [...off, command] };
      await parts.placeSettings.choose(job.address, scope, choices, requester);
      await change(press, await settingsPage('commands', job, parts.placeSettings), parts);
    },
  };
}

function show(page: Page): Action<CommandDependencies> {
  return {
    who: 'requester',
    answers: 'quiet',
    async run(press, parts) {
      if (page !== 'overview') requireAdministrator(press);
      await change(press, await settingsPage(page, press.job, parts.placeSettings), parts);
    },
  };
}

function forScope(scope: Scope): Action<CommandDependencies> {
  return {
    who: 'requester',
    answers: 'private',
    call: () => ({ command: 'settings', options: { scope } }),
  };
}

/** Replaces the page that was shown, or sends a new message where a private one can't be edited. */
async function change(
  { message, reply }: ButtonPress,
  page: Message,
  { adapters }: CommandDependencies,
): Promise<void> {
  try {
    await adapters(message.platform)?.edit(message, page);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    await reply.whisper(page);
  }
}
