import type { Budget } from '../../credits/index.ts';
import type { EffectiveSettings, PlaceSettings } from '../../place-settings/index.ts';
import type { Caller } from '../../port/index.ts';

/** The environment's daily budgets in credits; 0 is none. */
export interface Ceilings {
  readonly user: number;
  readonly channel: number;
  readonly workspace: number;
  /** Of everybody on all platforms together. */
  readonly total: number;
}

/**
 * The budgets that hold for the person who asks, where they ask. Those of the environment hold for everybody, and count by
 * days of UTC, so that no setting of a place can lift one or begin a day anew; those of the place come on top.
 */
export function budgetsOf(
  places: PlaceSettings,
  ceilings: Ceilings,
): (asker: Caller) => Promise<readonly Budget[]> {
  const timeZone = 'UTC';
  const everywhere: readonly Budget[] = [
    { of: 'user', within: 'platform', credits: ceilings.user, timeZone },
    { of: 'channel', within: 'channel', credits: ceilings.channel, timeZone },
    { of: 'workspace', within: 'workspace', credits: ceilings.workspace, timeZone },
    { of: 'bot', within: 'everywhere', credits: ceilings.total, timeZone },
  ];
  const set = everywhere.filter(({ credits }) => credits > 0);
  return async ({ address, requester }) => {
    const settled = await places.at(address);
    const exempt = settled.values.exempt_administrators && requester.administrator;
    return exempt ? set : [...chosenIn(settled), ...set];
  };
}

const chosenBudgets = [
  ['user', 'user_credits'],
  ['channel', 'channel_credits'],
  ['workspace', 'workspace_credits'],
] as const;

/** A place's own; a person's counts where it was chosen. */
function chosenIn({ values, sources }: EffectiveSettings): readonly Budget[] {
  return chosenBudgets.flatMap(([of, name]) => {
    const [credits, source] = [values[name], sources[name]];
    if (source === 'environment' || credits === 0) return [];
    return [{ of, within: of === 'user' ? source : of, credits, timeZone: values.time_zone }];
  });
}
