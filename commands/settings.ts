import { isDeepStrictEqual } from 'node:util';
import {
  type Action,
  type CommandDependencies,
  defineCommand,
  type EffectAction,
} from '../src/app/define-command.ts';
import { InputError } from '../src/app/faults/explain.ts';
import { changedParts, keptPersona, readPersona } from '../src/app/inputs/personas.ts';
import {
  fieldsOf,
  type GroupName,
  groupNames,
  groups,
  isPersonal,
  type Page,
  pageNames,
  pages,
  pageWith,
  personaFields,
  personaPage,
  type Scope,
  scopeOf,
  settingsPage,
} from '../src/app/presenters/settings-pages.ts';
import type { ButtonPress } from '../src/engine/index.ts';
import { asCode, randomId } from '../src/lib/text.ts';
import {
  type AnyDefinition,
  type Choices,
  definitions,
  inherit,
  isInherit,
  isOffQuarter,
  maxPersonaName,
  type Persona,
  personaNamed,
  personaNumbers,
  personasAmong,
  type PlaceSettings,
  type SettingName,
  type SwitchableCommand,
  switchableCommands,
  written,
} from '../src/place-settings/index.ts';
import {
  actionId,
  type AnyValues,
  type Form,
  type Job,
  type Message,
  type Option,
  PlatformError,
} from '../src/port/index.ts';
import { creditsInWords, type Words, words } from '../src/words/index.ts';

const options: Readonly<Record<string, Option>> = {
  scope: {
    type: 'choice',
    choices: ['channel', 'workspace'],
    description: {
      en: 'For this channel, or for the whole workspace; channel by default',
      'zh-CN': '为这个频道，还是整个工作区；默认频道',
    },
  },
  page: {
    type: 'choice',
    choices: pageNames,
    description: { en: 'What to show; everything by default', 'zh-CN': '显示什么，默认全部' },
  },
  ...Object.fromEntries(
    groupNames.flatMap((group) => groups[group].fields.map((name) => [name, definitions[name].option])),
  ),
  // Last: a form of all options begins with the settings.
  name: {
    type: 'text',
    maxCharacters: maxPersonaName,
    pattern: { expression: /\S/, allowed: 'Ada, …' },
    description: { en: 'The persona to add or change', 'zh-CN': '要添加或更改的角色' },
  },
  prompt: {
    type: 'text',
    maxCharacters: 4_000,
    description: { en: 'Who the persona is and how it answers', 'zh-CN': '角色是谁、怎么回答' },
  },
};

/** Groups that are entered in a form; the commands have switches. */
const formNames = groupNames.filter((group) => group !== 'commands');

/** `/settings`: what administrators choose for a channel or a workspace, and people for their direct messages. */
export default defineCommand({
  name: 'settings',
  localNames: { 'zh-CN': '设置' },
  description: {
    en: 'Settings for this channel or workspace (administrators only), or for your direct messages with me',
    'zh-CN': '这个频道或工作区的设置，仅限管理员；也可设置你和我的私信',
  },
  help: {
    en: 'On its own it shows all settings, with buttons to change them. A channel’s settings override its workspace’s, and those override my defaults; `inherit` undoes a choice.\nExample: `/settings budgets scope:workspace user_credits:200`',
    'zh-CN':
      '不带选项时显示全部设置和修改按钮。频道的设置优先于工作区，工作区优先于默认设置；填 `inherit` 恢复继承。\n例如：`/settings budgets scope:workspace user_credits:200`',
  },
  options,
  textOption: 'page',
  groups: pages,
  seenBy: 'requester',
  restrictedTo: 'administrators',
  async run({ job, options: given, requester, reply }, dependencies) {
    const { scope, page = 'overview', ...entered } = given as AnyValues & { readonly page?: Page };
    if (scope === 'workspace' || !isShownIn(page, job)) requireAdministrator(job);
    const say = words(requester.locale, job.address.platform);
    const names = Object.keys(entered) as SettingName[];
    const isPersona = entered.name !== undefined || entered.prompt !== undefined;
    if (isPersona || (page === 'personas' && names.length > 0)) {
      requireAdministrator(job);
      return void (await reply.say(await changePersona(job, entered, dependencies, say)));
    }
    const above = names.length === 0 ? undefined : await choose(job, entered, dependencies, say);
    await reply.say(await settingsPage(pageWith(names, page), job, dependencies, above, names));
  },
  actions: {
    ...Object.fromEntries(formNames.map((group) => [group, enter(group)])),
    ...Object.fromEntries(switchableCommands.map((name) => [`switch_${name}`, switchOver(name)])),
    overview: show('overview'),
    commands: show('commands'),
    personas: show('personas'),
    persona: turnsTo(persona),
    add_persona: enterPersona(),
    edit_persona: enterPersona(),
    remove_persona: turnsTo(personaRemoved),
    history: show('history'),
    channel: forScope('channel'),
    workspace: forScope('workspace'),
  },
});

/** Whether a page has something to show where a job is. */
function isShownIn(page: Page, job: Job): boolean {
  return page === 'overview' || !job.requester.direct || fieldsOf(page, job).length > 0;
}

/** A button that shows another page in place of the one it's on. */
function turnsTo(
  page: (press: ButtonPress, dependencies: CommandDependencies) => Promise<Message>,
): EffectAction {
  return {
    who: 'requester',
    answers: 'quiet',
    run: async (press, dependencies) => change(press, await page(press, dependencies), dependencies),
  };
}

/**
 * Opens a group as a form. What is left empty in it is taken back, but what's left as it was when it was opened stays: another
 * administrator may have changed that meanwhile.
 */
function enter(group: GroupName): Action {
  return {
    ...turnsTo(async ({ job, requester, values, argument: openedAt }, dependencies) => {
      const fields = fieldsOf(group, job);
      const shown = await dependencies.placeSettings.chosen(job.address, scopeOf(job), openedAt);
      const entered = Object.fromEntries(fields.map((name) => [name, values[name] ?? inherit]));
      const say = words(requester.locale, job.address.platform);
      const above = await choose({ ...job, requester }, entered, dependencies, say, shown);
      return settingsPage('overview', job, dependencies, above);
    }),
    form: (job, locale, _, __, dependencies) =>
      formOf(group, job, words(locale, job.address.platform), dependencies),
  };
}

async function formOf(
  group: GroupName,
  job: Job,
  say: Words,
  { placeSettings, clock }: CommandDependencies,
): Promise<Form> {
  const sentAs = actionId('settings', group, job.id, clock.now());
  const fields = fieldsOf(group, job);
  const chosen = await placeSettings.chosen(job.address, scopeOf(job));
  const values = fields.map((name) => {
    const value = chosen[name];
    return [name, value === undefined ? undefined : written(name, value)];
  });
  return {
    title: pages[group].title[say.locale],
    command: 'settings',
    fields,
    values: Object.fromEntries(values),
    sentAs,
  };
}

/** Adds a typed persona, or changes what was typed of it. */
async function changePersona(
  job: Job,
  entered: AnyValues,
  { placeSettings, personas, voiceList }: CommandDependencies,
  say: Words,
): Promise<Message> {
  const before = personaNamed(String(entered.name ?? ''), (await placeSettings.at(job.address)).personas);
  const parts = await readPersona(entered, voiceList, before);
  const kept = keptPersona(await personas.save(job.address, parts, job.requester, before?.number), parts);
  return personaPage(kept, job, say.spending.personas.saved(asCode(kept.name, 80)));
}

/** A persona as it is, or as it was at a moment before. */
async function personaNumbered(
  job: Job,
  number: number | undefined,
  { placeSettings }: CommandDependencies,
  at?: number,
): Promise<Persona | undefined> {
  const personas = personasAmong(await placeSettings.chosen(job.address, 'workspace', at));
  return personas.find((one) => one.number === number);
}

/** A moment in hundredths of a second that start over after months: an id has no room for more beside a persona's number. */
const momentOf = (time: number) => Math.ceil(time / 10) % moments;
const moments = 1e9;

/** When a persona's form was opened; undefined for a button. */
function openedBefore(argument = 0, now: number): number | undefined {
  const opened = Math.floor(argument / personaNumbers);
  return opened === 0 ? undefined : now - ((momentOf(now) - opened + moments) % moments) * 10;
}

/**
 * Opens a persona as a form, or an empty one. What's left empty in it, it doesn't have; what's left as it was when it was
 * opened stays: another administrator may have changed that meanwhile.
 */
function enterPersona(): Action {
  return {
    ...turnsTo(async (press, dependencies) => {
      const { job, requester, argument, values } = press;
      requireAdministrator(press);
      const { personas } = words(requester.locale, job.address.platform).spending;
      const number = argument && argument % personaNumbers;
      const openedAt = openedBefore(argument, dependencies.clock.now());
      const now = await personaNumbered(job, number, dependencies);
      if (number !== undefined && !now) return settingsPage('personas', job, dependencies, personas.gone);
      const shown = await personaNumbered(job, number, dependencies, openedAt);
      const parts = changedParts(await readPersona(values, dependencies.voiceList), shown, now);
      const kept = keptPersona(
        await dependencies.personas.save(job.address, parts, requester, number),
        parts,
      );
      return settingsPage('personas', job, dependencies, personas.saved(asCode(kept.name, 80)));
    }),
    async form(job, locale, _, argument, dependencies) {
      const number = argument && argument % personaNumbers;
      const persona = await personaNumbered(job, number, dependencies);
      if (number !== undefined && !persona) return undefined;
      const { number: __, ...values } = persona ?? {};
      const title = persona?.name ?? words(locale).spending.personas.add;
      const opened = number && momentOf(dependencies.clock.now()) * personaNumbers + number;
      const sentAs = actionId('settings', 'edit_persona', job.id, opened);
      return { title, command: 'settings', fields: personaFields, values, ...(number && { sentAs }) };
    },
  };
}

async function persona(press: ButtonPress, dependencies: CommandDependencies): Promise<Message> {
  requireAdministrator(press);
  const { job, requester, argument } = press;
  const found = await personaNumbered(job, argument, dependencies);
  if (found) return personaPage(found, job);
  return settingsPage('personas', job, dependencies, words(requester.locale).spending.personas.gone);
}

async function personaRemoved(press: ButtonPress, dependencies: CommandDependencies): Promise<Message> {
  requireAdministrator(press);
  const { job, requester, argument = 0 } = press;
  const found = await personaNumbered(job, argument, dependencies);
  const { personas } = words(requester.locale).spending;
  const isRemoved = await dependencies.personas.remove(job.address, argument, requester);
  const above = found && isRemoved ? personas.removed(asCode(found.name, 80)) : personas.gone;
  return settingsPage('personas', job, dependencies, above);
}

/** Switches a command off here, or on again, as the button says: another administrator may have done so meanwhile. */
function switchOver(command: SwitchableCommand): Action {
  return turnsTo(async (press, dependencies) => {
    const { job, requester, argument } = press;
    requireAdministrator(press);
    const scope = scopeOf(job);
    const { off } = (await dependencies.placeSettings.at(job.address, scope)).values;
    const others = off.filter((name) => name !== command);
    const isOn = argument === undefined ? others.length < off.length : argument === 1;
    const choices = { off: isOn ? others : [...others, command] };
    await chooseFor({ ...job, requester }, scope, choices, dependencies);
    return settingsPage('commands', job, dependencies);
  });
}

function show(page: Page): Action {
  return turnsTo(async (press, dependencies) => {
    if (page !== 'overview') requireAdministrator(press);
    return settingsPage(page, press.job, dependencies);
  });
}

function forScope(scope: Scope): Action {
  return {
    who: 'requester',
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

/** Only administrators change more than their own direct messages. @throws {InputError} in direct messages. */
function requireAdministrator({ requester }: Pick<Job, 'requester'>): void {
  if (requester.direct) throw new InputError((say) => say.spending.settings.notHere);
}

/**
 * Makes the choices entered for a job's channel or workspace, but for those that are as a form has `shown` them.
 * @returns what to say about it.
 * @throws {InputError} if one of them isn't allowed; then nothing is changed.
 */
async function choose(
  job: Job,
  entered: AnyValues,
  dependencies: CommandDependencies,
  say: Words,
  shown?: Choices,
): Promise<string> {
  const { audit, placeSettings, voiceList } = dependencies;
  if (!Object.keys(entered).every((name) => isPersonal(name as SettingName))) requireAdministrator(job);
  const given = read(entered, placeSettings, shown);
  const choices = given.as ? { ...given, as: await knownPersona(given.as, job, placeSettings) } : given;
  const { voice } = choices;
  if (voice !== undefined && !(await voiceList.mayHave(voice)))
    throw new InputError(({ spending }) => spending.settings.unknownVoice(voice));
  const { audit_channel: channel } = choices;
  const before = await placeSettings.chosen(job.address, 'workspace');
  if (channel !== undefined && channel !== before.audit_channel)
    await audit.begin(job.address, channel, job.requester, job.id);
  const changed: SettingName[] = [];
  for (const scope of ['channel', 'workspace'] as const) {
    const ofScope = Object.entries(choices).filter(([name]) => scopeFor(name as SettingName, job) === scope);
    const made = Object.fromEntries(ofScope) as Choices;
    changed.push(...(await chooseFor(job, scope, made, dependencies)));
  }
  const { settings } = say.spending;
  if (changed.length === 0) return settings.unchanged;
  return settings.changed(changed.map((name) => `\`${say.optionName(name)}\``).join(say.comma));
}

/** A persona's name as it's kept. @throws {InputError} if there's none. */
async function knownPersona(name: string, { address }: Job, placeSettings: PlaceSettings): Promise<string> {
  const { personas } = await placeSettings.at(address);
  const persona = personaNamed(name, personas);
  if (persona) return persona.name;
  const names = personas.map((one) => asCode(one.name, 80));
  throw new InputError((say) => say.spending.personas.unknown(asCode(name, 80), names));
}

/** Makes choices; audit channels are told who changed what. @returns the settings that changed. */
async function chooseFor(
  { address, requester, id }: Pick<Job, 'address' | 'requester' | 'id'>,
  scope: Scope,
  choices: Choices,
  { audit, placeSettings }: Pick<CommandDependencies, 'audit' | 'placeSettings'>,
): Promise<readonly SettingName[]> {
  if (requester.direct) return placeSettings.choose(address, scope, choices, requester);
  const where = scope === 'channel' ? { channel: address.channel } : {};
  return placeSettings.choose(address, scope, choices, requester, (transaction, names) => {
    const line = { kind: 'settings', person: requester, names, ...where } as const;
    return audit.noteThere(address, `${id} ${scope} ${randomId()}`, line, transaction);
  });
}

/** A setting of the whole workspace is chosen for it, wherever it's entered. */
function scopeFor(name: SettingName, job: Job): Scope {
  return definitions[name].scope === 'workspace' ? 'workspace' : scopeOf(job);
}

function read(entered: AnyValues, placeSettings: PlaceSettings, shown?: Choices): Choices {
  const choices = Object.entries(entered).map(
    ([name, given]) =>
      [name as SettingName, readOne(name as SettingName, String(given).trim(), placeSettings)] as const,
  );
  const isNew = ([name, value]: (typeof choices)[number]) => !shown || !isDeepStrictEqual(value, shown[name]);
  return Object.fromEntries(choices.filter(isNew)) as Choices;
}

/** The value of what was entered for a setting; undefined takes the choice back. */
function readOne(name: SettingName, text: string, placeSettings: PlaceSettings): unknown {
  if (isInherit(text)) return undefined;
  const definition: AnyDefinition = definitions[name];
  const value = definition.read(text);
  const bound = placeSettings.boundOf(name);
  if (bound?.kind === 'most' && Number(value) > bound.value)
    throw new InputError((say) =>
      say.spending.settings.overCeiling(say.optionName(name), creditsInWords(bound.value, say.locale)),
    );
  if (bound?.kind === 'least' && Number(value) < bound.value)
    throw new InputError((say) => say.spending.settings.underFloor(say.optionName(name), bound.value));
  if (value !== undefined) return value;
  if (name === 'time_zone' && isOffQuarter(text))
    throw new InputError((say) => say.spending.settings.offQuarter(text));
  const allowed = `${definition.allowed}, ${inherit}`;
  const given = definition.unread?.(text) || text;
  const fault = { option: name, code: 'wrong-form', given, allowed } as const;
  throw new InputError((say) => say.faults('settings', [fault]));
}
