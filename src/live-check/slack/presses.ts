import { SocketModeReceiver } from '@slack/bolt';
import { clientOptions } from '../../platforms/slack/api.ts';
import { libraryLogger } from '../../platforms/slack/log.ts';
import { NeedsOperator } from '../needs-operator.ts';

/** What is used of a pressed button. */
export interface Press {
  readonly response_url: string;
  readonly trigger_id: string;
  readonly user: { readonly id: string };
  readonly actions: readonly { readonly action_id: string }[];
}

const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** How long a connection may take, in milliseconds. */
const patience = 15_000;

/** Hears pressed buttons over a socket of its own. */
export class Presses {
  readonly #receiver: SocketModeReceiver;
  readonly #listeners = new Set<(press: Press) => void>();
  /** Sockets of the app that are open; Slack gives a press to any one of them. */
  connections = 1;

  private constructor(appToken: string, apiUrl: string) {
    this.#receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      logger: silence,
      installerOptions: { clientOptions: clientOptions(apiUrl) },
    });
    const { client } = this.#receiver;
    client.on(
      'interactive',
      ({ ack, body }: { ack: () => Promise<void>; body: Press & { type: string } }) => {
        void ack().catch(() => undefined);
        if (body.type === 'block_actions') for (const listener of this.#listeners) listener(body);
      },
    );
    client.on('ws_message', (data: unknown) => {
      const { type, num_connections: count } = JSON.parse(String(data)) as Record<string, unknown>;
      if (type === 'hello' && typeof count === 'number') this.connections = count;
    });
  }

  /** @throws {NeedsOperator} where Slack opens no connection. */
  static async open(appToken: string, apiUrl: string): Promise<Presses> {
    const presses = new Presses(appToken, apiUrl);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), patience);
    });
    try {
      await Promise.race([presses.#receiver.client.start(), late]);
      return presses;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NeedsOperator(`Slack opens no socket for SLACK_APP_TOKEN (${why})`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls `listener` for every press, until the returned function is called. */
  listen(listener: (press: Press) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#receiver.client.disconnect();
  }
}
