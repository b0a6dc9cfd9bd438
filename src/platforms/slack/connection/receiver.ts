import {
  type App,
  AuthorizationError,
  type CodedError,
  type Receiver,
  type ReceiverEvent,
} from '@slack/bolt';
import { GivenUpError, heldToLimit, Waiting } from '../../../engine/index.ts';
import { LogThrottle } from '../../../http/index.ts';
import { untilDone } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { secondsBetween } from '../../../lib/telemetry.ts';
import { withoutNulls } from '../../../lib/text.ts';
import { PlatformError } from '../../../port/index.ts';
import type { HandlerContext } from '../receive/handler-context.ts';
import { NoDatabaseNotice, type ReceivedPayload } from '../receive/no-database-notice.ts';
import type { SlackServices } from '../services.ts';
import type { BotIdentity } from '../setup/workspace-access.ts';

/** When to acknowledge at the latest what isn't on record yet, in milliseconds: Slack waits three seconds. */
export const latest = 2_000;
/** Between two tries to tell somebody why nothing comes of what Slack has as acknowledged, in milliseconds. */
const tellAgain = { first: 2_000, longest: 60_000 };

/** The type of the payload by which Slack tells that, and what the log says of it. */
export const appRateLimited = {
  type: 'app_rate_limited',
  line: 'Slack leaves out events of a workspace for a minute: there are over 30,000 in an hour. What people write there meanwhile may not be answered',
} as const;

/** The transport of Slack's payloads. */
export interface Transport {
  /** Resolves once it's open. */
  start(receive: Receive): Promise<void>;
  stop(): Promise<void>;
  /** Resolves once what has come is acknowledged, or it's too late for that: nothing can be acknowledged once it's stopped. */
  acknowledged?(): Promise<void>;
  /** Why nothing is received; undefined while something can be. */
  readonly fault: string | undefined;
  /** How many sockets are open, and how many there should be. */
  readonly sockets: { readonly ready: number; readonly wanted: number };
}

/** Handles a payload. Resolves when it's acknowledged, or won't be any more. */
export type Receive = (event: ReceiverEvent) => Promise<void>;

/** What Bolt's context has for every listener besides its own. */
export type Listening = {
  /** Dependencies of the handler of this payload. */
  readonly services: HandlerContext;
  /** It's known which bot of which workspace the payload is for. */
  readonly isFor: (bot: BotIdentity) => void;
  /** That bot; in events that need no installation there is none. */
  readonly bot: BotIdentity;
};

/**
 * Bolt acknowledges events before a listener has run; this receiver does so once they are on record. Where the database
 * keeps them from that, the person is told, and then it's acknowledged. Where nobody can be told, it isn't: Slack sends the
 * event again, or tells the person that the app didn't respond.
 */
export class SlackReceiver implements Receiver {
  readonly #transport: Transport;
  readonly #services: SlackServices;
  readonly #notice: NoDatabaseNotice;
  /** Whoever uses the app where it isn’t allowed, uses it as often as they like. */
  readonly #elsewhere: LogThrottle;
  readonly #stopped = new AbortController();
  #app: Pick<App, 'processEvent'> | undefined;

  constructor(transport: Transport, services: SlackServices) {
    this.#transport = transport;
    this.#services = services;
    this.#notice = new NoDatabaseNotice(services);
    this.#elsewhere = new LogThrottle(services.clock);
  }

  init(app: App): void {
    this.#app = app;
  }

  async start(): Promise<void> {
    const failed = (error: unknown) =>
      this.#services.log.error({ error }, 'a payload of Slack’s could not be read');
    await this.#transport.start((event) => this.#receive(event).catch(failed));
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error('shutting down'));
    await this.#transport.stop();
  }

  async #receive(event: ReceiverEvent): Promise<void> {
    const services = this.#services;
    const { channelIds, clock, isSilent, log } = services;
    const body = channelIds.inPayload(readable(event.body));
    const acknowledge = this.#acknowledgement(event);
    let bot: BotIdentity | undefined;
    const received: ReceivedPayload = {
      ...{ body, acknowledge },
      retryNum: event.retryNum,
      bot: () => bot,
    };
    const told = this.#notice.toldBefore(received);
    if (told)
      return told.then(
        () => acknowledge(),
        () => undefined,
      );
    let isAcknowledged = false;
    let isAwaited = this.#notice.isAwaited(received);
    const waiting = new Waiting({
      clock,
      isDue: () => isAwaited && isSilent(),
      tell: async (error) => {
        if (!isAwaited) throw new Error('nobody is known to wait for it');
        const tell = () => this.#notice.tell(received, error);
        await tell().catch((failure: unknown) => {
          if (isAcknowledged) this.#tellLater(tell);
          throw failure;
        });
      },
    });
    const isEvent = body.type === 'event_callback';
    const isForm = body.type === 'view_submission';
    const ack: ReceiverEvent['ack'] = async (response) => {
      if (isEvent || waiting.isGivenUp) return;
      // What a form shows is the response to it.
      if (isForm) waiting.answered();
      isAcknowledged = true;
      await acknowledge(response);
    };
    let cancel = () => {};
    const acknowledgeSoon = () => {
      cancel = clock.after(latest, () => void ack());
    };
    const listening: Omit<Listening, 'bot'> = {
      services: {
        ...services,
        requests: heldToLimit(services.requests, waiting),
        ...{ waiting, acknowledge: () => ack() },
        isAwaited() {
          isAwaited = true;
        },
      },
      isFor(found) {
        bot = found;
        if (!isEvent && !isForm) acknowledgeSoon();
      },
    };
    await this.#handle({ ...event, body, ack, customProperties: listening }, waiting);
    waiting.answered();
    cancel();
    if (!waiting.isGivenUp) return acknowledge();
    await waiting.told?.catch((error: unknown) =>
      log.debug({ error }, 'who waits couldn’t be told that the database is away'),
    );
  }

  /** Slack no longer says that the app didn't respond, so the person is told once Slack can be reached, if that's in time. */
  #tellLater(tell: () => Promise<void>): void {
    const { clock, log } = this.#services;
    untilDone(tell, {
      ...{ clock, waits: tellAgain, signal: this.#stopped.signal },
      failed(error) {
        if (!(error instanceof PlatformError && error.kind === 'unreachable')) throw error;
      },
    }).catch((error: unknown) => log.debug({ error }, 'who waits couldn’t be told later either'));
  }

  async #handle(event: ReceiverEvent, waiting: Waiting): Promise<void> {
    try {
      await this.#app?.processEvent(event);
    } catch (error) {
      const { original } = error as Partial<CodedError>;
      const cause = original instanceof Error ? original : error;
      // Where no bot is installed nobody can be told, and Slack needn't send it again.
      if (error instanceof AuthorizationError && !isLocal(cause))
        return this.#elsewhere.note((times) =>
          this.#services.log.warn(
            { error: String(cause), times },
            'what comes from a workspace where the app isn’t, or isn’t allowed, is left',
          ),
        );
      waiting.giveUp(cause);
      if (!(cause instanceof GivenUpError))
        this.#services.log.error({ error: cause }, 'a payload of Slack’s could not be handled');
    }
  }

  /** Acknowledges a payload once. Where that doesn't reach Slack, it's handled all the same. */
  #acknowledgement(event: ReceiverEvent): ReceivedPayload['acknowledge'] {
    const { clock, log, meter } = this.#services;
    const since = clock.steady();
    let isDone = false;
    return async (response) => {
      if (isDone) return;
      isDone = true;
      try {
        await event.ack(response);
      } catch (error) {
        return log.warn({ error }, 'a payload of Slack’s could not be acknowledged');
      }
      const seconds = secondsBetween(since, clock.steady());
      meter.observe('troupe_acknowledgement_seconds', { platform: 'slack' }, seconds);
    };
  }
}

/**
 * A payload whose event, message and place have no fields that are null, and whose channel isn’t. Of its other parts Bolt tells
 * that from absent ones.
 */
function readable({ channel, ...body }: ReceiverEvent['body']): ReceiverEvent['body'] {
  const { event, message, container } = body;
  return {
    ...body,
    ...(channel && { channel }),
    ...(event && { event: withoutNulls(event) }),
    ...(message && { message: withoutNulls(message) }),
    ...(container && { container: withoutNulls(container) }),
  };
}
