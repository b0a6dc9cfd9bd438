import type { PlaceSettings } from '../../place-settings/index.ts';
import {
  type ControlledPlace,
  type Fault,
  type PlatformAdapters,
  type PlatformName,
  platformNames,
  type Spender,
} from '../../port/index.ts';
import type { Records } from '../../store/index.ts';
import { knownPrefix } from '../privacy/place-data.ts';

/** Places that are listed. */
const mostListed = 60;

interface ControlledPlacesDependencies {
  /** The places where the bot is, as platforms found out. */
  readonly known: Pick<Records, 'range'>;
  readonly placeSettings: Pick<PlaceSettings, 'chosenByOperator'>;
  readonly adapters: PlatformAdapters;
}

/** Servers and workspaces: those that the operator has limited, those that spend most, and others where the bot is. */
export async function controlledPlaces(
  {
    spent,
    today,
    faults,
  }: {
    readonly spent: readonly Spender[];
    readonly today: readonly Spender[];
    readonly faults: readonly Fault[];
  },
  dependencies: ControlledPlacesDependencies,
): Promise<readonly ControlledPlace[]> {
  const { adapters, placeSettings } = dependencies;
  const chosen = await placeSettings.chosenByOperator();
  const sums = new Map(spent.map((one) => [keyOf(one), one]));
  const sumsToday = new Map(today.map((one) => [keyOf(one), one]));
  const places = new Map<string, { readonly platform: string; readonly workspace: string }>();
  for (const one of [...chosen, ...spent, ...faults, ...(await knownPlaces(dependencies))]) {
    if (places.size >= mostListed) break;
    if (one.workspace !== '') places.set(keyOf(one), one);
  }
  const limits = new Map(chosen.map((one) => [keyOf(one), one]));
  const listed = [...places].flatMap(([key, { platform, workspace }]): Promise<ControlledPlace>[] =>
    isPlatform(platform)
      ? [
          describe(platform, workspace, adapters).then((facts) => ({
            platform,
            workspace,
            ...facts,
            today: sumsToday.get(key)?.credits ?? 0,
            credits: sums.get(key)?.credits ?? 0,
            calls: sums.get(key)?.calls ?? 0,
            faults: faults.filter((fault) => keyOf(fault) === key).length,
            isOff: limits.get(key)?.isOff ?? false,
            ceiling: limits.get(key)?.ceiling ?? 0,
          })),
        ]
      : [],
  );
  return (await Promise.all(listed)).sort((one, other) => other.credits - one.credits);
}

async function knownPlaces({ known }: ControlledPlacesDependencies) {
  const all = await Promise.all(
    platformNames.map(async (platform) => {
      const prefix = knownPrefix({ platform });
      const places = await known.range<{ readonly workspace: string }>(prefix, `${prefix}\uffff`, mostListed);
      return places.map(({ workspace }) => ({ platform, workspace }));
    }),
  );
  return all.flat();
}

async function describe(
  platform: PlatformName,
  workspace: string,
  adapters: PlatformAdapters,
): Promise<Pick<ControlledPlace, 'name' | 'members'>> {
  const facts = await adapters(platform)
    ?.describeWorkspace(workspace)
    .catch(() => undefined);
  return { name: facts?.name ?? '', ...(facts?.members !== undefined && { members: facts.members }) };
}

export function keyOf({ platform, workspace }: Pick<Spender, 'platform' | 'workspace'>): string {
  return `${platform} ${workspace}`;
}

function isPlatform(name: string): name is PlatformName {
  return platformNames.some((one) => one === name);
}
