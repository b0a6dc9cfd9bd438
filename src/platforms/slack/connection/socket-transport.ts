import { type ReceiverEvent, SocketModeReceiver } from '@slack/bolt';
import { type Clock, inTime, untilDone, type Waits } from '../../../lib/clock.ts';
import { slackCode } from '../api/errors.ts';
import { libraryLogger, type Log } from '../api/log.ts';
import { clientOptions } from '../api/slack-api.ts';
import { appRateLimited, latest, type Receive, type Transport } from './receiver.ts';

/** How many sockets are kept open: Slack closes each of them now and then, and the other continues. */
const sockets = 2;
/** Waits between tries to open a socket, in milliseconds. */
const waits: Waits = { first: 500, longest: 30_000 };
/** A socket that's gone sooner was none: the next one waits as after a failed try, in milliseconds. */
const shortLife = 10_000;
/** How long a socket may take to open, in milliseconds: longer than the call before, and than a slow network. */
const openLimit = 30_000;
const noConnection = 'no connection to Slack is open';

/** A payload as the library’s client hands it on; its types leave that out. */
interface SocketPayload {
  readonly ack: ReceiverEvent['ack'];
  readonly body: ReceiverEvent['body'];
  readonly retry_num?: number;
}

interface SocketDependencies {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Socket Mode over two sockets. Each is a Bolt client that lives as long as its connection: the library’s own
 * reconnecting pauses for five seconds, and a failed reconnect ends in a rejection that nobody can catch.
 */
export class SocketTransport implements Transport {
  readonly #dependencies: SocketDependencies;
  readonly #open = new Set<SocketModeReceiver['client']>();
  /** Each is resolved once its payload is acknowledged, or won't be any more. */
  readonly #inHand = new Set<Promise<void>>();
  /** Aborted when no socket is wanted any more. */
  #stop = new AbortController();
  #fault = noConnection;

  constructor(dependencies: SocketDependencies) {
    this.#dependencies = dependencies;
  }

  get fault(): string | undefined {
    return this.#open.size > 0 ? undefined : this.#fault;
  }

  get sockets(): { readonly ready: number; readonly wanted: number } {
    return { ready: this.#open.size, wanted: sockets };
  }

  /** Resolves when the first socket is open, or none is wanted any more; the other follows by itself. */
  async start(receive: Receive): Promise<void> {
    this.#stop = new AbortController();
    const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>();
    for (let count = 0; count < sockets; count++) void this.#keepOpen(receive, isOpen).finally(isOpen);
    await opened;
  }

  async acknowledged(): Promise<void> {
    const work = async () => {
      while (this.#inHand.size > 0) await Promise.all(this.#inHand);
    };
    await inTime(this.#dependencies.clock, latest, work(), undefined);
    this.#inHand.clear();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((client) => client.disconnect().catch(() => undefined)));
  }

  /** Keeps a socket open until none is wanted any more: as soon as it's gone, another; where it was hardly open, ever later. */
  async #keepOpen(receive: Receive, isOpen: () => void): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = (error: unknown, failures: number) => {
      const code = slackCode(error) ?? (error instanceof ClosedError ? error.reason : undefined);
      this.#fault = faultOf(code);
      log.warn({ failures, code }, 'Slack’s Socket Mode cannot be reached');
    };
    while (!signal.aborted)
      await untilDone(() => this.#connect(receive, signal, isOpen), { clock, waits, signal, failed }).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
  }

  /** Opens a socket; resolves once it's gone. @throws {ClosedError} where that's at once. */
  async #connect(receive: Receive, stop: AbortSignal, isOpen: () => void): Promise<void> {
    if (stop.aborted) return;
    const { appToken, apiUrl, log, clock } = this.#dependencies;
    const receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      logger: libraryLogger(log),
      installerOptions: { clientOptions: clientOptions(apiUrl) },
    });
    const { client } = receiver;
    survive(client, log);
    // Bolt's own listener would have it acknowledged before it's on record.
    client.removeAllListeners('slack_event');
    client.on('slack_event', ({ ack, body, retry_num: retryNum }: SocketPayload) => {
      const { promise: inHand, resolve } = Promise.withResolvers<void>();
      this.#inHand.add(inHand);
      const over = () => {
        this.#inHand.delete(inHand);
        resolve();
      };
      const acknowledge: typeof ack = (response) => ack(response).finally(over);
      const payload = { ack: acknowledge, body, ...(retryNum !== undefined && { retryNum }) };
      void receive(payload).finally(over);
    });
    let reason: string | undefined;
    client.on('ws_message', (message: unknown) => {
      const { type, reason: why, payload } = readEnvelope(message);
      if (type === 'disconnect') reason = why;
      if (payload?.type === appRateLimited.type)
        log.warn({ workspace: payload.team_id }, appRateLimited.line);
    });
    // It may be gone before `start` has said that it's open.
    const gone = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
    const giveUp = () => void client.disconnect().catch(() => undefined);
    const cancel = clock.after(openLimit, giveUp);
    await client
      .start()
      .catch((error: unknown) => {
        throw error ?? new ClosedError(reason);
      })
      .finally(cancel);
    if (stop.aborted) return void (await client.disconnect());
    const since = clock.steady();
    this.#open.add(client);
    isOpen();
    await gone;
    this.#open.delete(client);
    if (stop.aborted) return;
    log.info({ open: this.#open.size, reason }, 'a Slack socket was closed; opening another');
    if (clock.steady() - since < shortLife) throw new ClosedError(reason);
  }
}

/** A socket was closed before it was of use, perhaps for Slack's `reason`. */
class ClosedError extends Error {
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    super(`closed: ${reason}`);
    this.reason = reason;
  }
}

/** Slack's reasons for closing a socket that say nothing against the app: another is to be opened. */
const passing: readonly string[] = ['warning', 'refresh_requested'];

/** Why nothing is received, by Slack's code or its reason for closing a socket. */
function faultOf(code: string | undefined): string {
  if (code === undefined || passing.includes(code)) return noConnection;
  return code === 'too_many_websockets'
    ? `Slack allows an app ten sockets, and others have them (${code}): end other processes that use SLACK_APP_TOKEN`
    : `Slack refuses SLACK_APP_TOKEN (${code})`;
}

/** What is read here of what comes over a socket. */
interface Envelope {
  readonly type?: string;
  /** Why the socket is closed. */
  readonly reason?: string;
  readonly payload?: { readonly type?: string; readonly team_id?: string };
}

/** Reads only what the library doesn't hand on. */
function readEnvelope(message: unknown): Envelope {
  if (typeof message !== 'string' || !/"(?:disconnect|app_rate_limited)"/.test(message)) return {};
  try {
    return (JSON.parse(message) ?? {}) as Envelope;
  } catch {
    return {};
  }
}

/**
 * The library throws on a payload it doesn’t expect (`app_rate_limited` has no event), where nobody can catch it;
 * caught here, only that payload is lost.
 */
function survive(client: SocketModeReceiver['client'], log: Log): void {
  const listeners = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (...payload: unknown[]) => {
    for (const listener of listeners) {
      Promise.resolve()
        .then(() => Reflect.apply(listener, client, payload))
        .catch((error: unknown) =>
          log.warn({ error: String(error) }, 'a payload of Slack’s was not understood'),
        );
    }
  });
}
