import { App, type AppOptions, type ReceiverEvent } from '@slack/bolt';
import { heldToLimit, Waiting } from '../../../engine/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Meter, secondsBetween } from '../../../lib/telemetry/index.ts';
import type { ChannelIds } from '../api/channel-ids.ts';
import type { Log } from '../api/log.ts';
import type { HandlerContext } from '../receive/handler-context.ts';
import {
  NoDatabaseNotice,
  type NoticeDependencies,
  type ReceivedPayload,
} from '../receive/no-database-notice.ts';
import type { StepContext, StepServices } from '../receive/on-step.ts';
import type { BotIdentity } from '../setup/workspace-access.ts';

export interface RecordingDependencies {
  readonly services: StepServices & NoticeDependencies;
  readonly channelIds: ChannelIds;
  /** Whether people shouldn't wait for the database. */
  readonly isSilent: () => boolean;
  readonly clock: Clock;
  readonly meter?: Meter;
  readonly log: Log;
}

/** A payload under way. */
interface UnderWay {
  readonly waiting: Waiting;
  isAwaited: boolean;
  bot: BotIdentity | undefined;
}

/**
 * Bolt acknowledges events before a listener has run; this app does so once they are on record. Where the database keeps
 * them from that, the person is told, and then it's acknowledged. Where nobody can be told, it isn't: Slack sends the event
 * again, or tells the person that the app didn't respond.
 */
export class RecordingApp extends App {
  readonly #dependencies: RecordingDependencies;
  readonly #notice: NoDatabaseNotice;
  readonly #underWay = new WeakMap<object, UnderWay>();

  constructor(dependencies: RecordingDependencies, options: AppOptions) {
    super(options);
    this.#dependencies = dependencies;
    this.#notice = new NoDatabaseNotice({ ...dependencies.services, clock: dependencies.clock });
  }

  /** What the handler of a payload works with. */
  contextOf(body: object): StepContext {
    const { services } = this.#dependencies;
    const underWay = this.#underWay.get(body);
    if (!underWay) throw new Error('a payload that isn’t under way');
    const { waiting } = underWay;
    return {
      ...services,
      dispatcher: { ...services.dispatcher, ...heldToLimit(services.dispatcher, waiting) },
      waiting,
      isAwaited() {
        underWay.isAwaited = true;
      },
    } satisfies HandlerContext & StepContext;
  }

  /** It's known which bot of which workspace a payload is for. */
  isFor(body: object, bot: BotIdentity): void {
    const underWay = this.#underWay.get(body);
    if (underWay) underWay.bot = bot;
  }

  /** A payload couldn't be handled: `isPersons` where its person can be told that, too, if it's no fault of this machine. */
  failed(body: object, error: unknown, isPersons: boolean): void {
    const waiting = this.#underWay.get(body)?.waiting;
    if (isPersons || isLocal(error)) waiting?.giveUp(error);
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    const { channelIds, clock, isSilent, log } = this.#dependencies;
    const body = channelIds.inPayload(event.body);
    const acknowledge = this.#acknowledgement(event);
    const received: ReceivedPayload = {
      ...{ body, acknowledge },
      retryNum: event.retryNum,
      bot: () => underWay.bot,
    };
    const told = this.#notice.toldBefore(received);
    if (told) return told.then(() => acknowledge()).catch(() => {});
    const waiting = new Waiting({
      clock,
      isDue: () => underWay.isAwaited && isSilent(),
      tell: async (error) => {
        if (!underWay.isAwaited) throw new Error('nobody is known to wait for it');
        await this.#notice.tell(received, error);
      },
    });
    const underWay: UnderWay = { waiting, isAwaited: this.#notice.isAwaited(received), bot: undefined };
    this.#underWay.set(body, underWay);
    const isEvent = body.type === 'event_callback';
    const ack: typeof event.ack = async (response) => {
      if (isEvent || waiting.isGivenUp) return;
      // What a form shows is the response to it.
      if (body.type === 'view_submission') waiting.answered();
      await acknowledge(response);
    };
    await super.processEvent({ ...event, body, ack }).finally(() => waiting.answered());
    if (!waiting.isGivenUp) return isEvent ? acknowledge() : undefined;
    await waiting.told?.catch((error: unknown) =>
      log.debug({ error }, 'who waits couldn’t be told that the database is away'),
    );
  }

  /** Acknowledges a payload once. */
  #acknowledgement(event: ReceiverEvent): ReceivedPayload['acknowledge'] {
    const { clock, meter } = this.#dependencies;
    const since = clock.steady();
    let isDone = false;
    return async (response) => {
      if (isDone) return;
      isDone = true;
      await event.ack(response);
      const seconds = secondsBetween(since, clock.steady());
      meter?.observe('troupe_acknowledgement_seconds', { platform: 'slack' }, seconds);
    };
  }
}
