import { type App, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../../lib/clock.ts';
import { slackCode } from '../api/errors.ts';
import { clientOptions } from '../api/slack-api.ts';
import { type Log, libraryLogger } from './log.ts';

/** Sockets kept open at once: Slack closes each of them now and then, and the other goes on. */
const sockets = 2;
/** Pauses before a socket is opened again that could not be, in milliseconds; the last one repeats. */
const pauses = [0, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

export interface SocketReceiverDependencies {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Socket Mode over two sockets. Each socket is a receiver of Bolt's that lives as long as its connection: the
 * library's own reconnecting pauses for five seconds, and a reconnect that fails there ends in a rejection that
 * nobody can catch.
 */
export class SocketReceiver implements Receiver {
  readonly #dependencies: SocketReceiverDependencies;
  readonly #open = new Set<SocketModeReceiver>();
  #app: App | undefined;
  #stopped = true;
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

  /** Resolves when the first socket is open; the others follow by themselves. */
  async start(): Promise<void> {
    this.#stopped = false;
    await Promise.race(Array.from({ length: sockets }, () => this.#keepOpen()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((receiver) => receiver.client.disconnect().catch(() => undefined)));
  }

  /** Opens a socket, and another as soon as it is gone. Resolves when one is open for the first time. */
  #keepOpen(): Promise<void> {
    return new Promise((resolve) => {
      let failures = 0;
      const open = async () => {
        if (this.#stopped) return resolve();
        try {
          await this.#connect(open);
          failures = 0;
          resolve();
        } catch (error) {
          const code = slackCode(error);
          if (code !== undefined) this.#fault = `Slack refuses SLACK_APP_TOKEN (${code})`;
          const pause = pauses[Math.min(failures, pauses.length - 1)] ?? 0;
          failures += 1;
          this.#dependencies.log.warn({ failures, code }, 'Slack’s Socket Mode cannot be reached');
          this.#dependencies.clock.after(Math.max(pause, 500), () => void open());
        }
      };
      void open();
    });
  }

  async #connect(reopen: () => Promise<void>): Promise<void> {
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
    if (this.#stopped) return void (await receiver.client.disconnect());
    this.#open.add(receiver);
    receiver.client.once('disconnected', () => {
      this.#open.delete(receiver);
      if (this.#stopped) return;
      log.info({ open: this.#open.size }, 'a Slack socket was closed; opening another');
      clock.after(0, () => void reopen());
    });
  }
}

/**
 * A payload that the library does not expect (`app_rate_limited` has no event) makes it throw where nobody can
 * catch it; caught here, it costs that payload alone.
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
