import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/text.ts';
import { type PlaceSettings, switchableCommands } from '../../place-settings/index.ts';
import {
  type ControlledPlace,
  type ControlOutcome,
  type ControlState,
  type Fault,
  type Jobs,
  type Person,
  type Place,
  type PlatformAdapters,
  type PlatformName,
  platformNames,
  type ControlRoom as Port,
  type Spender,
  type TrailStep,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { Database, Records } from '../../store/index.ts';
import type { AuditChannel } from '../audit/audit-channel.ts';
import type { BudgetAlerts } from '../budget-alerts.ts';
import { knownPrefix } from '../privacy/place-data.ts';
import type { FaultLog } from './fault-log.ts';
import { liveWork, queueState } from './live-work.ts';
import { SpendingSums } from './spending.ts';
import { trailOf } from './trail.ts';

/** How long what was read is shown again, in milliseconds: several pages may look at once. */
const fresh = 1_000;

/** Who changes what the operator chooses here, in the history of a place. */
const operator: Person = { id: '', name: 'operator', locale: 'en', administrator: false, moderator: false };

interface ControlRoomDependencies {
  readonly database: Database;
  /** The places where the bot is, as platforms found out. */
  readonly knownPlaces: Pick<Records, 'range'>;
  readonly placeSettings: PlaceSettings;
  readonly audit: Pick<AuditChannel, 'noteThere'>;
  readonly jobs: Pick<Jobs, 'find'>;
  readonly renders: Pick<Renders, 'cancel' | 'hurry' | 'ofJob'>;
  readonly budgetAlerts: Pick<BudgetAlerts, 'test'>;
  readonly faults: FaultLog;
  readonly adapters: PlatformAdapters;
  /** Calls that wait for the key's limits, by group. */
  readonly waiting: () => Readonly<Record<string, number>>;
  readonly clock: Clock;
  readonly log: { info(data: object, message: string): void };
}

/** What the operator sees and does; all that's read is of the database, so it's the whole bot's whichever process is asked. */
export class ControlRoom implements Port {
  readonly #dependencies: ControlRoomDependencies;
  readonly #spending: SpendingSums;
  #known: { readonly at: number; readonly state: Promise<ControlState> } | undefined;

  constructor(dependencies: ControlRoomDependencies) {
    this.#dependencies = dependencies;
    this.#spending = new SpendingSums(dependencies.database, dependencies.clock);
  }

  state(): Promise<ControlState> {
    const now = this.#dependencies.clock.steady();
    if (this.#known && now - this.#known.at < fresh) return this.#known.state;
    const state = this.#read();
    this.#known = { at: now, state };
    // The next look tries again.
    state.catch(() => this.#forget());
    return state;
  }

  async #read(): Promise<ControlState> {
    const { database, waiting, clock } = this.#dependencies;
    const spending = await this.#spending.look();
    const faults = await this.#dependencies.faults.latest();
    const [places, { live, hasMoreLive }, queue] = await Promise.all([
      controlledPlaces({ spent: spending.places, today: this.#spending.today(), faults }, this.#dependencies),
      liveWork(database),
      queueState(database, callsIn(waiting())),
    ]);
    return { at: clock.now(), spending, places, live, hasMoreLive, queue, faults };
  }

  trail(job: string): Promise<readonly TrailStep[]> {
    return trailOf(job, this.#dependencies);
  }

  switchPlace(place: Place, isOff: boolean): Promise<ControlOutcome> {
    return this.#choose(place, { off: isOff ? switchableCommands : undefined });
  }

  setCeiling(place: Place, credits: number): Promise<ControlOutcome> {
    return this.#choose(place, { workspace_credits: credits > 0 ? credits : undefined });
  }

  async #choose(place: Place, choices: Parameters<PlaceSettings['choose']>[2]): Promise<ControlOutcome> {
    const { placeSettings, audit, log } = this.#dependencies;
    const at = { ...place, channel: '' };
    // Its administrators learn of it, and of nobody's name.
    const changed = await placeSettings.choose(at, 'operator', choices, operator, (transaction, names) =>
      audit.noteThere(place, randomId(), { kind: 'settings', names }, transaction),
    );
    if (changed.length > 0)
      log.info({ ...place, changed }, 'the operator has limited a place, or lifted that');
    this.#forget();
    return changed.length > 0 ? 'done' : 'unchanged';
  }

  async cancel(job: string): Promise<ControlOutcome> {
    const { renders, log } = this.#dependencies;
    const isCanceled = await renders.cancel(job);
    this.#forget();
    if (isCanceled) log.info({ job }, 'the operator has canceled a render');
    if (isCanceled) return 'done';
    const all = await renders.ofJob(job);
    if (all.length === 0) return 'unknown';
    return all.every(({ fault }) => fault?.code === 'canceled') ? 'unchanged' : 'too-late';
  }

  async retry(job: string): Promise<ControlOutcome> {
    const { renders, log } = this.#dependencies;
    const isHurried = await renders.hurry(job);
    this.#forget();
    if (isHurried) log.info({ job }, 'the operator has a render tried again');
    if (isHurried) return 'done';
    return (await renders.ofJob(job)).length > 0 ? 'unchanged' : 'unknown';
  }

  sendTest(id: string): Promise<ControlOutcome> {
    return this.#dependencies.budgetAlerts.test(id);
  }

  /** Nothing is read any more once this resolves. */
  close(): Promise<void> {
    return this.#spending.close();
  }

  /** What was changed shows at the next look. */
  #forget(): void {
    this.#known = undefined;
  }
}

/** Status queries wait for no answer that somebody reads. */
function callsIn({
  status: _,
  ...calls
}: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return calls;
}

/** Places that are listed. */
const mostListed = 60;

/** Servers and workspaces: those that the operator has limited, those that spend most, and others where the bot is. */
async function controlledPlaces(
  {
    spent,
    today,
    faults,
  }: {
    readonly spent: readonly Spender[];
    readonly today: readonly Spender[];
    readonly faults: readonly Fault[];
  },
  dependencies: ControlRoomDependencies,
): Promise<readonly ControlledPlace[]> {
  const { adapters, placeSettings } = dependencies;
  const chosen = await placeSettings.chosenByOperator();
  const sums = new Map(spent.map((one) => [keyOf(one), one]));
  const sumsToday = new Map(today.map((one) => [keyOf(one), one]));
  const places = new Map<string, { readonly platform: string; readonly workspace: string }>();
  for (const one of [...chosen, ...spent, ...faults, ...(await placesIn(dependencies.knownPlaces))]) {
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

async function placesIn(known: Pick<Records, 'range'>) {
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

function keyOf({ platform, workspace }: Pick<Spender, 'platform' | 'workspace'>): string {
  return `${platform} ${workspace}`;
}

function isPlatform(name: string): name is PlatformName {
  return platformNames.some((one) => one === name);
}
