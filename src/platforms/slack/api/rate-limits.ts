import { type Coordination, type Slots, waitForSlot } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Meter, noMeter, secondsBetween } from '../../../lib/telemetry.ts';
import { Pacers, type Pacing, type Rate, type SlotOptions } from '../../../reply/index.ts';

/** How often a Web API method may be called, and whether a call that got no response may be repeated. */
export interface MethodRules {
  /** The limit, over a slightly longer time than Slack’s, because calls take different times to arrive. */
  readonly rate: Rate;
  readonly by: 'workspace' | 'channel';
  /** `again`: doing it twice changes nothing. `once`: it creates something; look for it before repeating. */
  readonly repeat: 'again' | 'once';
  /** Where it comes too late if it has to wait longer than this, in milliseconds: with a trigger, which lives for three seconds. */
  readonly expires?: number;
}

const perMinute = { 2: 20, 3: 50, 4: 100 } as const;
const tier = (of: keyof typeof perMinute, repeat: MethodRules['repeat'] = 'again'): MethodRules => ({
  rate: { limit: perMinute[of], window: 61_000 },
  by: 'workspace',
  repeat,
});

/** The methods troupe calls, with the rate limits of each one's page in Slack's documentation. */
export const methods = {
  'agents.sessions.rename': tier(3),
  'agents.sessions.setStatus': tier(3),
  'assistant.threads.setStatus': { rate: { limit: 600, window: 61_000 }, by: 'workspace', repeat: 'again' },
  'assistant.threads.setSuggestedPrompts': tier(4),
  'assistant.threads.setTitle': tier(4),
  'chat.appendStream': tier(4, 'once'),
  'chat.delete': tier(3),
  'chat.getPermalink': { rate: { limit: 200, window: 61_000 }, by: 'workspace', repeat: 'again' },
  'chat.postEphemeral': tier(4),
  // One a second; there is no burst to rely on.
  'chat.postMessage': { rate: { limit: 1, window: 1_050 }, by: 'channel', repeat: 'once' },
  'chat.startStream': tier(2, 'once'),
  'chat.stopStream': tier(2, 'once'),
  // All live replies of a workspace share it.
  'chat.update': tier(3),
  'conversations.join': tier(3),
  'conversations.history': tier(3),
  'conversations.info': tier(3),
  'conversations.members': tier(4),
  'conversations.open': tier(3),
  'conversations.replies': tier(3),
  'files.completeUploadExternal': tier(4, 'once'),
  'files.delete': tier(3),
  'files.getUploadURLExternal': tier(4),
  'files.info': tier(4),
  // A second time is refused with `execution_not_in_running_state`.
  'functions.completeError': tier(3),
  'functions.completeSuccess': tier(3),
  'usergroups.list': tier(2),
  'users.info': tier(4),
  // A second try with the same trigger is refused.
  'views.open': { ...tier(4, 'once'), expires: 1_000 },
  'views.publish': tier(4),
  'views.push': { ...tier(4, 'once'), expires: 1_000 },
  'views.update': tier(4),
} as const satisfies Record<string, MethodRules>;

export type Method = keyof typeof methods;

/** The part of a limit that growth leaves to first words and ends where several processes share it: those reserve only their own. */
const leftByGrowth = 0.4;
/** Buckets whose slots are remembered; a forgotten one is only looked up again. */
const remembered = 1_000;
/** Another process got a 429. The text: `MILLISECONDS METHOD BUCKET`. */
const topic = 'slack pause';

/**
 * The rate limits of all methods, each by workspace or channel. Several processes on one database keep them together:
 * Slack counts the app's calls, whichever of them makes them.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #coordination: Pick<Coordination, 'slots' | 'signals'>;
  readonly #pacers: Readonly<Record<string, Pacers>>;
  readonly #meter: Meter;
  readonly #slots = new BoundedMap<string, Slots>({ most: remembered });

  constructor(clock: Clock, coordination: Pick<Coordination, 'slots' | 'signals'>, meter: Meter = noMeter) {
    this.#meter = meter;
    this.#clock = clock;
    this.#coordination = coordination;
    this.#pacers = Object.fromEntries(
      Object.entries(methods).map(([method, { rate }]) => [method, new Pacers(clock, rate)]),
    );
    coordination.signals.on(topic, (text) => {
      const [, milliseconds, method = '', bucket = ''] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? [];
      this.#pacers[method]?.for(bucket).pause(Number(milliseconds));
    });
  }

  /** The pacing of a method's calls. */
  of(method: Method, workspace: string, channel: string): Pacing {
    const bucket = keyOf(method, workspace, channel);
    const here = this.#pacersOf(method).for(bucket);
    const { slots, signals } = this.#coordination;
    return {
      slot: async (options) => {
        const since = this.#clock.steady();
        await here.slot(options);
        const kept = isGrowth(options) ? Math.floor(methods[method].rate.limit * leftByGrowth) : 0;
        if (slots) await waitForSlot(this.#shared(method, bucket, slots), this.#clock, options?.signal, kept);
        if (!isWrite(method)) return;
        const seconds = secondsBetween(since, this.#clock.steady());
        this.#meter.observe('troupe_pacer_wait_seconds', { platform: 'slack' }, seconds);
      },
      reserve: () => here.reserve(),
      learn: (allowance) => here.learn(allowance),
      pause: (milliseconds) => {
        here.pause(milliseconds);
        if (!slots) return;
        // Without it, the other processes meet a 429 of their own.
        signals.send(topic, `${Math.ceil(milliseconds)} ${method} ${bucket}`).catch(() => undefined);
      },
    };
  }

  /** How many milliseconds until a method can be called, at the soonest. */
  delayOf(method: Method, workspace: string, channel: string): number {
    return this.#pacersOf(method).delayOf(keyOf(method, workspace, channel));
  }

  /** Uses a slot for a call if one is free at once; false if the call would have to wait, for another process's, too. */
  async takeFree(method: Method, workspace: string, channel: string): Promise<boolean> {
    if (this.delayOf(method, workspace, channel) > 0) return false;
    const bucket = keyOf(method, workspace, channel);
    await this.#pacersOf(method).for(bucket).slot({ urgency: 'first' });
    const { slots } = this.#coordination;
    return slots === undefined || (await this.#shared(method, bucket, slots).take()) <= 0;
  }

  #shared(method: Method, bucket: string, slots: NonNullable<Coordination['slots']>): Slots {
    const name = `slack ${method} ${bucket}`;
    const { limit, window } = methods[method].rate;
    const shared = this.#slots.get(name) ?? slots(name, limit, window);
    this.#slots.set(name, shared);
    return shared;
  }

  #pacersOf(method: Method): Pacers {
    const pacers = this.#pacers[method];
    if (!pacers) throw new Error(`no budget for ${method}`);
    return pacers;
  }
}

function isGrowth({ urgency = 'growth' }: SlotOptions = {}): boolean {
  return urgency === 'growth' || urgency === 'optional';
}

/** Whether a method shows people something. */
function isWrite(method: Method): boolean {
  return /^chat\.(?:post|update|\w+Stream)/.test(method);
}

function keyOf(method: Method, workspace: string, channel: string): string {
  return methods[method].by === 'channel' ? `${workspace} ${channel}` : workspace;
}
