import {
  type Budget,
  type BudgetExceededError,
  type Cooldown,
  type CooldownError,
  leftOf,
  type Limits,
  type Standing,
} from '../../credits/index.ts';
import { cheapestModel, type EffectiveSettings, type Source, tiersIn } from '../../place-settings/index.ts';
import {
  type Address,
  type Caller,
  commandFor,
  conversationKey,
  isInDirectMessages,
  type Person,
  timestampFor,
} from '../../port/index.ts';
import type { FirstTime } from '../../store/index.ts';
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
    left: creditsInWords(leftOf(standing), say.locale),
    needed: creditsInWords(needed, say.locale),
  };
  return say.spending.budgetExceeded(of, facts, renewal(standing, say, reader));
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
    const left = creditsInWords(leftOf(tightest), say.locale);
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
