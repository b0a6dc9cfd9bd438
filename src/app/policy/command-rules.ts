import { othersIn, withoutOthers } from '../../conversation/index.ts';
import { BudgetExceededError, CooldownError, type Credits } from '../../credits/index.ts';
import type { Command, CommandRules, Refusal } from '../../engine/index.ts';
import { asCode } from '../../lib/text.ts';
import {
  cheapestModel,
  type EffectiveSettings,
  noPersona,
  type PersonalDefaults,
  type PlaceSettings,
  privateByDefault,
  withPersona,
  withPersonal,
} from '../../place-settings/index.ts';
import {
  type AnyValues,
  type Caller,
  commandFor,
  conversationKey,
  isInDirectMessages,
  type Job,
  messageItIsAbout,
  type Person,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import { type CreditRange, type PaidOperation, paidOperations } from '../../service-rules/prices.ts';
import type { KeyHealth } from '../../service/index.ts';
import { creditsInWords, type Words, words } from '../../words/index.ts';
import { budgetExceeded, cheaperName, cooldownLasts, type LimitsFor } from './limits.ts';
import { type Flagged, hasBlockedWord, type Moderation, ModerationError } from './moderation.ts';
import type { Operators } from './operators.ts';

interface CommandRulesDependencies {
  readonly placeSettings: PlaceSettings;
  /** False where the service would certainly refuse a voice. */
  readonly mayHaveVoice: (id: string) => Promise<boolean>;
  readonly operators: Pick<Operators, 'see'>;
  readonly credits: Pick<Credits, 'requireRoom'>;
  readonly renders: Pick<Renders, 'hasRoom'>;
  readonly limitsFor: LimitsFor;
  readonly key: Pick<KeyHealth, 'blocks'>;
  readonly adapters: PlatformAdapters;
  /** Told what moderation or blocked words refused in a place that has an audit channel; never rejects. */
  readonly noteBlocked: (command: string, caller: Pick<Job, 'address' | 'requester'>) => Promise<void>;
  /** Asked about what people give the service; there's none if absent. */
  readonly moderation?: Pick<Moderation, 'flagged'> | undefined;
  /** Whether anybody can let people who are no full members of a workspace use what costs credits. */
  readonly outsidersMaySpend: boolean;
  /** True the first time for a name, and again after some minutes. */
  readonly firstTime: (name: string) => Promise<boolean>;
}

/** What takes a while: of these, a person has only so many under way. */
const renderOperations: readonly PaidOperation[] = ['image', 'video'];

/** The rules of places: what is on, for whom, with which choices, within which budgets, and what needs confirmation. */
export function commandRules(dependencies: CommandRulesDependencies): CommandRules {
  return async (command, given, caller) => {
    const { address, requester } = caller;
    const say = words(requester.locale, address.platform);
    await dependencies.operators.see(requester, address);
    const read = await dependencies.placeSettings.forPerson(address, requester.id);
    const operation = caller.opensForm
      ? paidOperations.find((one) => commandFor[one] === command.name)
      : command.operation?.(given);
    // A form opens within three seconds, and needs no voice yet.
    const personal = caller.opensForm
      ? read.personal
      : await stillValid(read.personal, operation, dependencies);
    const persona = operation === 'chat' && typeof given.as === 'string' ? given.as : undefined;
    const settings = settingsFor(read.settings, personal, persona);
    const mainName = operation ? commandFor[operation] : command.name;
    const names = [command.name, mainName];
    if (isBlocked(command.name, settings, requester))
      return refusal('blocked', say.spending.blocked, caller, dependencies);
    const off = names.find((name) => isOff(name, settings));
    if (off !== undefined) return refusal(`off ${off}`, whyOff(off, settings, say), caller, dependencies);
    if (await isUnapproved(command.name, settings, caller, dependencies))
      return refusal('connect', say.spending.unapproved, caller, dependencies);
    if (await isDenied(names, caller, dependencies))
      return refusal(`kept ${mainName}`, say.spending.commandNotForYou(mainName), caller, dependencies);
    const areIn = dependencies.outsidersMaySpend && settings.values.outsiders;
    if (operation && requester.outsider && !areIn) {
      const { unknownWithout: scope } = requester;
      const { membersOnly, membersUnknown } = say.spending;
      const text = scope === undefined ? membersOnly(mainName) : membersUnknown(mainName, scope);
      return refusal('outsider', text, caller, dependencies);
    }
    if (operation && !mayUse(operation, settings, requester)) {
      const text = say.spending.commandNotForYou(mainName);
      return refusal(`kept ${mainName}`, text, caller, dependencies);
    }
    if (caller.opensForm) return { kind: 'allowed', values: given, settings };
    const { as } = settings.values;
    if (persona !== undefined && persona !== noPersona && as === '')
      return unknownPersona(persona, settings, say);
    // A yes to an earlier price says nothing about this one.
    const { confirmed: _, ...typed } = given;
    const chosen = persona === undefined ? typed : { ...typed, as: as || noPersona };
    const wanted = {
      ...command.defaults?.(settings, given),
      ...privateByDefault(command, personal, requester),
      ...chosen,
    };
    const priceOf = (which: AnyValues) => command.price?.(which, { address, requester, settings });
    const wantedPrice = await priceOf(wanted);
    if (!operation || !wantedPrice) return { kind: 'allowed', values: wanted, settings };
    const blocked = await keyBlocks(operation, caller, dependencies, say);
    if (blocked) return blocked;
    const call = { operation, values: wanted, price: wantedPrice, priceOf };
    const affordable = await withinLimits(call, settings, caller, dependencies);
    if ('kind' in affordable) return affordable;
    // Before a price is asked, or a yes to it counts; where several come at once, as each begins, too.
    const most = settings.values.renders_at_once;
    if (renderOperations.includes(operation) && !(await dependencies.renders.hasRoom(caller, most)))
      return { kind: 'refused', text: say.tooManyRenders(most), reason: 'waiting' };
    const unwanted = await moderated(wanted, settings, caller, dependencies);
    if (unwanted && 'kind' in unwanted) {
      if (settings.values.audit_channel !== '' && !isInDirectMessages(requester))
        await dependencies.noteBlocked(command.name, caller);
      return unwanted;
    }
    const { price, note } = affordable;
    const values = unwanted ? quoting(affordable.values, unwanted.context) : affordable.values;
    const limit = settings.values.confirm_over;
    const cost = creditsInWords(price, say.locale);
    if (price.high <= limit) return { kind: 'allowed', values, settings, cost, ...(note && { note }) };
    if (caller.unattended)
      return {
        kind: 'refused',
        reason: 'budget',
        text: say.spending.nobodyConfirms(mainName, cost, creditsInWords(limit, say.locale)),
      };
    const isByLength = operation === 'chat';
    const confirm = isByLength ? say.spending.confirmChat : say.spending.confirm;
    const question = [note, confirm(mainName, cost)].filter(Boolean).join('\n');
    // Others may say more before it's confirmed: its turn takes at most twice the price that's told.
    const promised = isByLength ? { confirmed: price.high } : undefined;
    const asked = { values: { ...values, ...promised }, ...(promised && { promised }) };
    return { kind: 'allowed', ...asked, settings, cost, question };
  };
}

/** Why administrators keep a person from a command, and from what others were given by it; undefined if they don't. */
export function whyBlocked(
  command: string,
  settings: EffectiveSettings,
  requester: Person,
  say: Words,
): string | undefined {
  return isBlocked(command, settings, requester) ? say.spending.blocked : undefined;
}

/** Why a person doesn't show others what they alone have been given, by the rules that hold there now; undefined if they may. */
export function whyNotShared(
  { command, text }: { readonly command: string; readonly text: string },
  settings: EffectiveSettings,
  requester: Person,
  say: Words,
): string | undefined {
  const blocked = whyBlocked(command, settings, requester, say);
  if (blocked !== undefined) return blocked;
  if (isOff(command, settings)) return whyOff(command, settings, say);
  return hasBlockedWord(text, settings.values.blocked_words) ? say.spending.blockedWord(false) : undefined;
}

function isOff(command: string, { values }: EffectiveSettings): boolean {
  return values.off.some((one) => one === command);
}

function whyOff(command: string, { isSwitchedOff }: EffectiveSettings, { spending }: Words): string {
  return isSwitchedOff ? spending.switchedOff : spending.commandOff(command);
}

/** What applies to a person: a persona that they asked for before their own defaults, and those before their channel's. */
function settingsFor(
  settings: EffectiveSettings,
  personal: PersonalDefaults,
  persona: string | undefined,
): EffectiveSettings {
  if (persona === undefined) return withPersonal(withPersona(settings), personal);
  return withPersona(withPersonal(settings, personal), persona);
}

function unknownPersona(given: string, { personas }: EffectiveSettings, say: Words): Refusal {
  const names = personas.map(({ name }) => asCode(name, 80));
  const unknown = say.spending.personas.unknown(asCode(given, 80), names);
  const text = `${unknown}\n${say.question.declined}`;
  const fault = { option: 'as', code: 'not-a-choice', given, allowed: names.join(', ') } as const;
  return { kind: 'refused', text, reason: 'options', faults: [fault] };
}

/** A voice that the service doesn't have any more counts as not chosen. */
async function stillValid(
  personal: PersonalDefaults,
  operation: PaidOperation | undefined,
  { mayHaveVoice }: CommandRulesDependencies,
): Promise<PersonalDefaults> {
  const { voice, ...others } = personal;
  if (voice === undefined || operation !== 'speech' || (await mayHaveVoice(voice))) return personal;
  return others;
}

function mayUse(
  operation: PaidOperation,
  { values }: EffectiveSettings,
  { id, roles = [], administrator }: Person,
): boolean {
  const allowed = values[`users_${commandFor[operation]}`];
  return allowed.length === 0 || administrator || [id, ...roles].some((one) => allowed.includes(one));
}

/** While the key isn't accepted, or can't pay, nothing is sent. Only operators are told which of the two it is. */
async function keyBlocks(
  operation: PaidOperation,
  { address, instead }: Caller,
  { key, firstTime }: CommandRulesDependencies,
  { errors }: Words,
): Promise<Refusal | undefined> {
  if (!key.blocks(operation)) return undefined;
  const { platform, workspace, channel } = address;
  const repeated = !instead && !(await firstTime(`unavailable ${platform} ${workspace} ${channel}`));
  return { kind: 'refused', text: errors.unavailable, reason: 'key', ...(repeated && { repeated }) };
}

/** What's for everybody, everywhere: what the bot is, keeps, and may do. */
const alwaysOn = ['help', 'privacy', 'settings', 'report'];

/** Whether administrators keep a person from using the bot in a place. */
function isBlocked(
  command: string,
  { values: { blocked } }: EffectiveSettings,
  { id, roles = [], administrator }: Person,
): boolean {
  return !alwaysOn.includes(command) && !administrator && [id, ...roles].some((one) => blocked.includes(one));
}

/** Whether other organizations share a place, and no administrator has said that the bot answers there. */
async function isUnapproved(
  command: string,
  { values: { connect } }: EffectiveSettings,
  { address }: Caller,
  { adapters }: CommandRulesDependencies,
): Promise<boolean> {
  if (connect || alwaysOn.includes(command)) return false;
  return (await adapters(address.platform)?.isExternal(address)) === true;
}

/** Whether the platform's own settings deny somebody a command that it didn't offer them: a button, or one by words. */
async function isDenied(
  names: readonly string[],
  { address, requester, offered }: Caller,
  { adapters }: CommandRulesDependencies,
): Promise<boolean> {
  if (offered || names.some((name) => alwaysOn.includes(name))) return false;
  for (const name of new Set(names))
    if ((await adapters(address.platform)?.allowsCommand(name, address, requester)) === false) return true;
  return false;
}

/** A text that's looked at before it's sent. */
interface LookedAt {
  readonly text: string;
  /** What its person wrote, or brings in with it; or what stands in the thread, which is left out where it's bad. */
  readonly from: 'person' | 'quote' | 'thread';
}

/**
 * Why a command isn't carried out with what its person wrote or quotes; or, where others said something bad in the thread, the
 * quotes without that.
 */
async function moderated(
  values: AnyValues,
  { values: { blocked_words: blockedWords } }: EffectiveSettings,
  { requester, address }: Caller,
  { moderation }: CommandRulesDependencies,
): Promise<Refusal | { readonly context: string | undefined } | undefined> {
  const { spending } = words(requester.locale, address.platform);
  const quotes = quotesIn(values);
  const texts = [...textsIn(values), ...quotes].filter(({ text }) => text.trim() !== '');
  const refuse = (text: string): Refusal => ({ kind: 'refused', text, reason: 'rules' });
  const refusing = (bad: readonly LookedAt[]) => bad.find(({ from }) => from !== 'thread')?.from;
  const blocked = texts.filter(({ text }) => hasBlockedWord(text, blockedWords));
  const wordFrom = refusing(blocked);
  if (wordFrom) return refuse(spending.blockedWord(wordFrom === 'quote'));
  const asked = texts.filter((one) => !blocked.includes(one));
  let flagged: Flagged | undefined;
  try {
    flagged = asked.length > 0 ? await moderation?.flagged(asked.map(({ text }) => text)) : undefined;
  } catch (error) {
    if (!(error instanceof ModerationError)) throw error;
    return refuse(spending.unmoderated);
  }
  const bad = asked.filter((_, index) => flagged?.texts.includes(index));
  const flaggedFrom = refusing(bad);
  if (flagged && flaggedFrom) return refuse(spending.flagged(flagged.categories, flaggedFrom === 'quote'));
  const left = quotes.flatMap((quote, index) => ([...blocked, ...bad].includes(quote) ? [index] : []));
  return left.length === 0 ? undefined : { context: withoutOthers(String(values.context), left) };
}

function textsIn({ prompt, text }: AnyValues): readonly LookedAt[] {
  return [prompt, text].flatMap((one) => (typeof one === 'string' ? [{ text: one, from: 'person' }] : []));
}

/** What others wrote and a question quotes. */
function quotesIn(values: AnyValues): readonly LookedAt[] {
  if (typeof values.context !== 'string') return [];
  const isChosen = messageItIsAbout(values) !== undefined;
  return othersIn(values.context).map(({ text, isThere }) => ({
    text,
    from: isThere && !isChosen ? 'thread' : 'quote',
  }));
}

function quoting({ context: _, ...values }: AnyValues, context: string | undefined): AnyValues {
  return { ...values, ...(context !== undefined && { context }) };
}

/** A command that costs credits. */
interface PaidCommand {
  readonly operation: PaidOperation;
  readonly values: AnyValues;
  readonly price: CreditRange;
  /** The price of other values. */
  readonly priceOf: (values: AnyValues) => ReturnType<NonNullable<Command['price']>>;
}

/** The values with which a command is carried out, and their price. */
interface Affordable extends Pick<PaidCommand, 'values' | 'price'> {
  /** Why they aren't the person's. */
  readonly note?: string;
}

/**
 * A command within the limits of its person and place. Where a budget of the place is used up, chat may go on with the cheapest
 * model.
 */
async function withinLimits(
  { operation, values, price, priceOf }: PaidCommand,
  settings: EffectiveSettings,
  caller: Caller,
  dependencies: CommandRulesDependencies,
): Promise<Affordable | Refusal> {
  const { credits, limitsFor, firstTime } = dependencies;
  const { address, requester } = caller;
  const say = words(requester.locale, address.platform);
  const require = (one: CreditRange, model: unknown) =>
    credits.requireRoom(caller, limitsFor(requester, settings, model), one.high, operation);
  try {
    await require(price, values.model);
    return { values, price };
  } catch (error) {
    if (error instanceof CooldownError)
      return refusal('cooldown', cooldownLasts(error, say), caller, dependencies);
    if (!(error instanceof BudgetExceededError)) throw error;
    const refused = () => refusal('budget', budgetExceeded(error, say, requester), caller, dependencies);
    const cheaper = { ...values, model: cheapestModel };
    const isChat = operation === 'chat' && settings.values.over_budget === 'cheaper';
    const cheaperPrice = isChat && values.model !== cheapestModel ? await priceOf(cheaper) : undefined;
    if (!cheaperPrice) return refused();
    try {
      await require(cheaperPrice, cheapestModel);
    } catch (other) {
      if (!(other instanceof BudgetExceededError)) throw other;
      return refused();
    }
    const isNew = await firstTime(cheaperName(address, requester));
    const note = isNew ? { note: say.spending.goesOnCheaper(cheapestModel) } : undefined;
    return { values: cheaper, price: cheaperPrice, ...note };
  }
}

/** Tells one person why not. If they were told in this place a moment ago, and no answer is owed, it isn't repeated. */
async function refusal(
  why: string,
  text: string,
  { address, requester, instead }: Caller,
  { firstTime }: CommandRulesDependencies,
): Promise<Refusal> {
  const repeated =
    !instead && !(await firstTime(`refused ${why} ${conversationKey(address)} ${requester.id}`));
  const reason = why === 'budget' ? 'budget' : 'rules';
  return { kind: 'refused', text, reason, ...(repeated && { repeated }) };
}
