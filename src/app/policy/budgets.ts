import type { Budget } from '../../credits/index.ts';
import type { EffectiveSettings } from '../../place-settings/index.ts';
import type { Person } from '../../port/index.ts';

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
