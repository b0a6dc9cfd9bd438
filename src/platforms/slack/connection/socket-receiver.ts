import { type App, type Receiver, SocketModeReceiver } from '@slack/bolt';
import { untilDone, type Waits } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import { slackCode } from '../api/errors.ts';
import { type Log, libraryLogger } from '../api/log.ts';
import { clientOptions } from '../api/slack-api.ts';

/** How many sockets are kept open: Slack closes each of them now and then, and the other continues. */
const sockets = 2;
/** Waits between tries to open a socket, in milliseconds. */
const waits: Waits = { first: 500, longest: 30_000 };

export interface SocketReceiverDependencies {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Socket Mode over two sockets. Each is a Bolt receiver that lives as long as its connection: the library’s own
 * reconnecting pauses for five seconds, and a failed reconnect ends in a rejection that nobody can catch.
 */
export class SocketReceiver implements Receiver {
  readonly #dependencies: SocketReceiverDependencies;
  readonly #open = new Set<SocketModeReceiver>();
  #app: App | undefined;
  /** Aborted when no socket is wanted any more. */
  #stop = new AbortController();
  #fault = 'no connection to Slack is open';

  constructor(dependencies: SocketReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Why nothing is received; undefined while a socket is open. */
  get fault(): string | undefined {
    return this.#open.size > 0 ? undefined : this.#fault;
  }

  /** How many sockets are open, and how many there should be. */
  get sockets(): { readonly ready: number; readonly wanted: number } {
    return { ready: this.#open.size, wanted: sockets };
  }

  /** Resolves when the first socket is open; the other follows by itself. */
  async start(): Promise<void> {
    this.#stop = new AbortController();
    await Promise.race(Array.from({ length: sockets }, () => this.#keepOpen()));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((receiver) => receiver.client.disconnect().catch(() => undefined)));
  }

  /** Opens a socket, and another as soon as it is gone. Resolves when one is open, or when all are closed. */
  async #keepOpen(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = (error: unknown, failures: number) => {
      const code = slackCode(error);
      if (code !== undefined) this.#fault = `Slack refuses SLACK_APP_TOKEN (${code})`;
      log.warn({ failures, code }, 'Slack’s Socket Mode cannot be reached');
    };
    await untilDone(() => this.#connect(signal), { clock, waits, signal, failed }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #connect(stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    const { appToken, apiUrl, log, clock } = this.#dependencies;
    const receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      logger: libraryLogger(log),
      installerOptions: { clientOptions: clientOptions(apiUrl) },
    });
    survive(receiver, log);
    if (this.#app) receiver.init(this.#app);
    await receiver.start();
    if (stop.aborted) return void (await receiver.client.disconnect());
    this.#open.add(receiver);
    receiver.client.once('disconnected', () => {
      this.#open.delete(receiver);
      if (stop.aborted) return;
      log.info({ open: this.#open.size }, 'a Slack socket was closed; opening another');
      clock.after(0, () => void this.#keepOpen());
    });
  }
}

/**
 * The library throws on a payload it doesn’t expect (`app_rate_limited` has no event), where nobody can catch it;
 * caught here, only that payload is lost.
 */
function survive({ client }: SocketModeReceiver, log: Log): void {
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
