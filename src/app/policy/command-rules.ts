import {
  type Budget,
  BudgetExceededError,
  type Credits,
  leftOf,
  type Standing,
} from '../../credits/index.ts';
import type { CommandRules, Refusal } from '../../engine/index.ts';
import {
  type EffectiveSettings,
  type PersonalDefaults,
  type PlaceSettings,
  privateByDefault,
  withPersonal,
} from '../../place-settings/index.ts';
import { type Caller, commandFor, conversationKey, type Person, timestampFor } from '../../port/index.ts';
import type { CreditRange, PaidOperation } from '../../service-rules/prices.ts';
import type { KeyHealth } from '../../service/index.ts';
import { creditsInWords, spanInWords, type Words, words } from '../../words/index.ts';
import type { Operators } from './operators.ts';

interface CommandRulesDependencies {
  readonly placeSettings: PlaceSettings;
  /** False where the service would certainly refuse a voice. */
  readonly mayHaveVoice: (id: string) => Promise<boolean>;
  readonly operators: Pick<Operators, 'see'>;
  readonly credits: Pick<Credits, 'requireRoom'>;
  readonly budgetsFor: BudgetsFor;
  readonly key: Pick<KeyHealth, 'blocks'>;
  /** Whether people who are no full members of a workspace can use what costs credits. */
  readonly outsidersMaySpend: boolean;
  /** True the first time for a name, and again after some minutes. */
  readonly firstTime: (name: string) => Promise<boolean>;
}

/** The rules of places: what is on, for whom, with which choices, within which budgets, and what needs confirmation. */
export function commandRules(dependencies: CommandRulesDependencies): CommandRules {
  return async (command, given, caller) => {
    const { address, requester } = caller;
    const say = words(requester.locale, address.platform);
    await dependencies.operators.see(requester, address);
    const read = await dependencies.placeSettings.forPerson(address, requester.id);
    const operation = command.operation?.(given);
    const personal = await stillValid(read.personal, operation, dependencies);
    const settings = withPersonal(read.settings, personal);
    const mainName = operation ? commandFor[operation] : command.name;
    const names = [command.name, mainName];
    const off = names.find((name) => settings.values.off.some((one) => one === name));
    if (off !== undefined) return refusal(`off ${off}`, say.spending.commandOff(off), caller, dependencies);
    if (operation && requester.outsider && !dependencies.outsidersMaySpend)
      return refusal('outsider', say.spending.membersOnly(mainName), caller, dependencies);
    if (operation && !mayUse(operation, settings, requester)) {
      const text = say.spending.commandNotForYou(mainName);
      return refusal(`kept ${mainName}`, text, caller, dependencies);
    }
    // A yes to an earlier price says nothing about this one.
    const { confirmed: _, ...chosen } = given;
    const values = {
      ...command.defaults?.(settings, given),
      ...privateByDefault(command, personal, requester),
      ...chosen,
    };
    const price = await command.price?.(values, { address, requester, settings });
    if (!price) return { kind: 'allowed', values, settings };
    const refused =
      (operation && (await keyBlocks(operation, caller, dependencies, say))) ??
      (await overBudget(price, settings, caller, dependencies, say));
    if (refused) return refused;
    const limit = settings.values.confirm_over;
    const cost = creditsInWords(price, say.locale);
    if (price.high <= limit) return { kind: 'allowed', values, settings, cost };
    if (caller.unattended)
      return {
        kind: 'refused',
        reason: 'budget',
        text: say.spending.nobodyConfirms(
          mainName,
          cost,
          creditsInWords({ low: limit, high: limit }, say.locale),
        ),
      };
    const isByLength = operation === 'chat';
    const question = (isByLength ? say.spending.confirmChat : say.spending.confirm)(mainName, cost);
    // Others may say more before it's confirmed: its turn takes at most twice the price that's told.
    const promised = isByLength ? { confirmed: price.high } : undefined;
    const asked = { values: { ...values, ...promised }, ...(promised && { promised }) };
    return { kind: 'allowed', ...asked, settings, cost, question };
  };
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

async function overBudget(
  price: CreditRange,
  settings: EffectiveSettings,
  caller: Caller,
  dependencies: CommandRulesDependencies,
  say: Words,
): Promise<Refusal | undefined> {
  const { credits, budgetsFor } = dependencies;
  try {
    await credits.requireRoom(caller, budgetsFor(caller.requester, settings), price.high);
    return undefined;
  } catch (error) {
    if (error instanceof BudgetExceededError)
      return refusal('budget', budgetExceeded(error, say, caller.requester), caller, dependencies);
    throw error;
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

/** The environment's daily budgets in credits; 0 for none. */
export interface Ceilings {
  readonly user: number;
  readonly channel: number;
  readonly workspace: number;
  /** Everybody's on all platforms together. */
  readonly total: number;
}

/** The daily budgets that apply to a person in a place with these settings. */
export type BudgetsFor = (requester: Person, settings: EffectiveSettings) => readonly Budget[];

/**
 * The environment's budgets plus the place's. The environment's apply to everybody and use UTC days, so no place setting
 * can lift one or start a new day.
 */
export function budgetRules(ceilings: Ceilings): BudgetsFor {
  const timeZone = 'UTC';
  const all: readonly Budget[] = [
    { of: 'user', within: 'platform', credits: ceilings.user, timeZone },
    { of: 'channel', within: 'channel', credits: ceilings.channel, timeZone },
    { of: 'workspace', within: 'workspace', credits: ceilings.workspace, timeZone },
    { of: 'bot', within: 'everywhere', credits: ceilings.total, timeZone },
  ];
  const everywhere = all.filter(({ credits }) => credits > 0);
  return ({ administrator }, settings) => {
    const exempt = settings.values.exempt_administrators && administrator;
    return exempt ? everywhere : [...chosenIn(settings), ...everywhere];
  };
}

const chosenBudgets = [
  ['user', 'user_credits'],
  ['channel', 'channel_credits'],
  ['workspace', 'workspace_credits'],
] as const;

/** A place's own. A person's counts in the channel or the workspace, wherever it was chosen. */
function chosenIn({ values, sources }: EffectiveSettings): readonly Budget[] {
  return chosenBudgets.flatMap(([of, name]) => {
    const [credits, source] = [values[name], sources[name]];
    if (source === 'environment' || credits === 0) return [];
    return [{ of, within: of === 'user' ? source : of, credits, timeZone: values.time_zone }];
  });
}

const minute = 60_000;

/** The person who reads a sentence: times in it are in their time zone. */
export type Reader = Pick<Person, 'locale' | 'timeZone'>;

/** Why a budget doesn't allow something: what's left, and when it resets. */
export function budgetExceeded(
  { standing, needed }: BudgetExceededError,
  say: Words,
  reader: Reader,
): string {
  const { of } = standing.budget;
  // How much everybody together has left isn't shown to people.
  if (of === 'bot') return say.spending.totalExceeded(renewal(standing, say, reader));
  const facts = {
    budget: exact(standing.budget.credits, say),
    left: exact(leftOf(standing), say),
    needed: exact(needed, say),
  };
  return say.spending.budgetExceeded(of, facts, renewal(standing, say, reader));
}

/** What's left of the budgets of a person, a channel and a workspace: one line each, of several the tightest. */
export function budgetLines(standings: readonly Standing[], say: Words, reader: Reader): readonly string[] {
  return (['user', 'channel', 'workspace'] as const).flatMap((of) => {
    const [tightest] = standings
      .filter(({ budget }) => budget.of === of)
      .sort((one, other) => leftOf(one) - leftOf(other));
    if (!tightest) return [];
    const [left, budget] = [exact(leftOf(tightest), say), exact(tightest.budget.credits, say)];
    return [say.spending.usage.standing(of, left, budget, renewal(tightest, say, reader))];
  });
}

/** When a budget resets. */
export function renewal({ renewsAt, renewsIn }: Standing, say: Words, reader: Reader): string {
  if (renewsIn <= 0) return say.spending.renewed;
  const span = spanInWords(Math.ceil(renewsIn / minute) * minute, say.locale);
  return say.spending.renewal(timestampFor(reader, renewsAt), span);
}

function exact(credits: number, say: Words): string {
  return creditsInWords({ low: credits, high: credits }, say.locale);
}
