import { sql } from 'kysely';
import {
  type Budget,
  type BudgetExceededError,
  type Cooldown,
  type CooldownError,
  leftOf,
  type Limits,
  type Standing,
} from '../../credits/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { cheapestModel, type EffectiveSettings, type Source, tiersIn } from '../../place-settings/index.ts';
import {
  type Address,
  type Caller,
  commandFor,
  conversationKey,
  isInDirectMessages,
  type Job,
  type Person,
  type Place,
  timestampFor,
} from '../../port/index.ts';
import { type Database, type FirstTime, hasTexts, type Records } from '../../store/index.ts';
import { creditsInWords, spanInWords, type Words } from '../../words/index.ts';

/** The environment's daily budgets in credits; 0 for none. */
export interface Ceilings {
  readonly user: number;
  readonly channel: number;
  readonly workspace: number;
  /** Everybody's on all platforms together. */
  readonly total: number;
}

/** What a person is held to in a place with these settings; `model`: of an answer. */
export type LimitsFor = (requester: Person, settings: EffectiveSettings, model?: unknown) => Limits;

/**
 * The environment's budgets plus the place's. The environment's apply to everybody and use UTC days, so no place setting
 * can lift one or start a new day.
 */
export function limitRules(ceilings: Ceilings): LimitsFor {
  const timeZone = 'UTC';
  const all: readonly Budget[] = [
    { of: 'user', within: 'platform', credits: ceilings.user, timeZone },
    { of: 'channel', within: 'channel', credits: ceilings.channel, timeZone },
    { of: 'workspace', within: 'workspace', credits: ceilings.workspace, timeZone },
    { of: 'bot', within: 'everywhere', credits: ceilings.total, timeZone },
  ];
  const everywhere = all.filter(({ credits }) => credits > 0);
  return (requester, settings, model) => {
    const { exempt_administrators: mayBeExempt, over_budget: overBudget } = settings.values;
    const isExempt = mayBeExempt && requester.administrator;
    const goesOn = overBudget === 'cheaper' && model === cheapestModel;
    const held = [...everywhere, ...operatorsIn(settings)];
    const chosen = chosenIn(settings, requester);
    return {
      ...(isExempt || goesOn ? { budgets: held, unheeded: chosen } : { budgets: [...chosen, ...held] }),
      cooldown: cooldownIn(settings, isExempt),
      promptLife: promptLifeIn(settings, requester),
    };
  };
}

/** What the operator set for this workspace holds like the environment's. */
function operatorsIn({ ceiling }: EffectiveSettings): readonly Budget[] {
  if (ceiling === undefined) return [];
  return [{ of: 'workspace', within: 'workspace', credits: ceiling, timeZone: 'UTC' }];
}

const chosenBudgets = [
  ['user', 'user_credits'],
  ['channel', 'channel_credits'],
  ['workspace', 'workspace_credits'],
] as const;

/** A place's own. A person's counts in the channel or the workspace, wherever it was chosen. */
function chosenIn(settings: EffectiveSettings, requester: Person): readonly Budget[] {
  const { values, sources } = settings;
  const tier = tierOf(settings, requester);
  return chosenBudgets.flatMap(([of, name]) => {
    const own = of === 'user' ? tier : undefined;
    const { credits, source } = own ?? { credits: values[name], source: sources[name] };
    if (source === 'environment' || credits === 0) return [];
    return [{ of, within: of === 'user' ? source : of, credits, timeZone: values.time_zone }];
  });
}

/**
 * The budget that's a person's in place of everybody's: an outsider's, or the highest of their roles and groups; 0 for no limit.
 * Undefined if there's none.
 */
function tierOf(
  { values, sources }: EffectiveSettings,
  { roles = [], outsider }: Person,
): { readonly credits: number; readonly source: Source } | undefined {
  if (outsider && values.outsider_credits > 0)
    return { credits: values.outsider_credits, source: sources.outsider_credits };
  const tiers = tiersIn(values.role_credits);
  const own = roles.flatMap((role) => tiers.get(role) ?? []);
  if (own.length === 0) return undefined;
  return { credits: own.includes(0) ? 0 : Math.max(...own), source: sources.role_credits };
}

/** The environment's applies to everybody, everywhere. */
function cooldownIn(
  { values: { cooldown }, sources }: EffectiveSettings,
  isExempt: boolean,
): Cooldown | undefined {
  const source = sources.cooldown;
  if (cooldown === 0 || (isExempt && source !== 'environment')) return undefined;
  return { milliseconds: cooldown * 1000, within: source === 'environment' ? 'platform' : source };
}

function promptLifeIn({ values }: EffectiveSettings, requester: Person): number | undefined {
  const isKept = values.keep_prompts > 0 && !isInDirectMessages(requester);
  return isKept ? values.keep_prompts * day : undefined;
}

const minute = 60_000;
const day = 24 * 60 * minute;

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
    budget: creditsInWords(standing.budget.credits, say.locale),
    left: creditsInWords(leftOf(standing), say.locale, 'floor'),
    needed: creditsInWords(needed, say.locale),
  };
  const isNeverEnough = needed > standing.budget.credits;
  const when = isNeverEnough ? say.spending.moreThanWholeDay : renewal(standing, say, reader);
  return say.spending.budgetExceeded(of, facts, when);
}

/** How long a person has to wait until they can use a command again. */
export function cooldownLasts({ kind, left }: CooldownError, say: Words): string {
  const span = spanInWords(Math.ceil(left / 1000) * 1000, say.locale);
  return say.spending.cooldown(commandFor[kind], span);
}

/** What's left of the budgets of a person, a channel and a workspace: one line each, of several the tightest. */
export function budgetLines(
  standings: readonly Standing[],
  say: Words,
  { address, requester }: Caller,
): readonly string[] {
  const isDirect = address.isHome === true || isInDirectMessages(requester);
  return (['user', 'channel', 'workspace'] as const).flatMap((of) => {
    const [tightest] = standings
      .filter(({ budget }) => budget.of === of)
      .sort((one, other) => leftOf(one) - leftOf(other));
    if (!tightest) return [];
    const left = creditsInWords(leftOf(tightest), say.locale, 'floor');
    const budget = creditsInWords(tightest.budget.credits, say.locale);
    const whose = of === 'channel' && isDirect ? 'direct' : of;
    return [say.spending.usage.standing(whose, left, budget, renewal(tightest, say, requester))];
  });
}

/** When a budget resets. */
export function renewal({ renewsAt, renewsIn }: Standing, say: Words, reader: Reader): string {
  if (renewsIn <= 0) return say.spending.renewed;
  const span = spanInWords(Math.ceil(renewsIn / minute) * minute, say.locale);
  return say.spending.renewal(timestampFor(reader, renewsAt), span);
}

/** For so long somebody isn't told again in a place what they were told there, in milliseconds. */
const toldFor = 5 * 60_000;

/** True the first time for a name, and again after some minutes. */
export function notToldYet(first: FirstTime): (name: string) => Promise<boolean> {
  return (name) => first(`told ${name}`, toldFor);
}

/** The name under which somebody is told that the cheaper model answers them in a place. */
export function cheaperName(address: Address, { id }: Person): string {
  return `cheaper ${conversationKey(address)} ${id}`;
}

/** So many questions of bots are answered one after the other; then it's a loop. */
const most = 6;
/** After such a pause, in milliseconds, they begin anew. */
const pause = 10 * minute;
/** That a loop was cut is known for so long, or until a person comes. */
const turnsLife = 90 * day;

/** Turns of bots in a channel with its threads since a person last gave a command there. */
interface BotTurnsThere {
  /** Their events. */
  readonly events: readonly string[];
  /** When the last of them was, in milliseconds since the epoch. */
  readonly last: number;
  /** The event that was one too many. */
  readonly cutBy?: string;
}

interface BotTurnsDependencies {
  readonly database: Database;
  readonly keyv: Records;
  readonly clock: Clock;
}

/** Notices where bots only talk with one another, whichever they are, and in whichever threads of a channel. */
export class BotTurns {
  readonly #dependencies: BotTurnsDependencies;

  constructor(dependencies: BotTurnsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts a bot's question, each event once. @returns whether it's answered, be it with a word that this is a loop: what comes
   * after that isn't, until a person gives a command there.
   */
  async take(eventId: string, address: Address): Promise<boolean> {
    const { keyv, clock } = this.#dependencies;
    const key = keyOf(address);
    const now = clock.now();
    const known = await keyv.get<BotTurnsThere>(key);
    const isAnew = known !== undefined && (await this.#isOver(known, address));
    let isTaken = false;
    await keyv.change<BotTurnsThere>(key, turnsLife, (found) => {
      const { events = [], cutBy } = isAnew && found?.last === known.last ? {} : (found ?? {});
      isTaken = events.includes(eventId) || cutBy === undefined;
      if (events.includes(eventId) || cutBy !== undefined) return undefined;
      const isTooMany = events.length >= most;
      return { events: [...events, eventId], last: now, ...(isTooMany && { cutBy: eventId }) };
    });
    return isTaken;
  }

  /** Whether a job is the question of a bot that was one too many: it's told so, and asks the service nothing. */
  async areCutBy({ eventId, requester, address }: Job): Promise<boolean> {
    if (!requester.bot) return false;
    const known = await this.#dependencies.keyv.get<BotTurnsThere>(keyOf(address));
    return known?.cutBy === eventId;
  }

  /** A workspace isn't known any more. */
  async forgetPlace(place: Place): Promise<void> {
    await this.#dependencies.keyv.deleteStartingWith(keyOf({ ...place, channel: '' }));
  }

  async #isOver({ last, cutBy }: BotTurnsThere, address: Address): Promise<boolean> {
    const { database, clock } = this.#dependencies;
    if (cutBy === undefined && clock.now() - last >= pause) return true;
    const { platform, workspace, channel } = address;
    const ofPerson = await database
      .selectFrom('jobs')
      .select('id')
      .where(hasTexts('jobs.address', { platform, workspace, channel }))
      .where('created_at', '>', last)
      // Within what people write there, the quotation marks are escaped.
      .where(sql<boolean>`requester not like ${'%"bot":true%'}`)
      .limit(1)
      .executeTakeFirst();
    return ofPerson !== undefined;
  }
}

/** A channel with its threads. */
function keyOf({ platform, workspace, channel }: Address): string {
  return conversationKey({ platform, workspace, channel });
}
