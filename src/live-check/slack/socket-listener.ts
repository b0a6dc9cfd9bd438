import { SocketModeReceiver } from '@slack/bolt';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';
import { libraryLogger } from '../../platforms/slack/connection/log.ts';
import { NeedsOperator } from '../needs-operator.ts';

/** What is used of a pressed button. */
export interface Press {
  readonly response_url: string;
  readonly trigger_id: string;
  readonly user: { readonly id: string };
  readonly actions: readonly { readonly action_id: string }[];
}

/** What is used of a typed command. */
export interface TypedCommand {
  readonly text: string;
  readonly channel_id: string;
}

/** What is used of a press of Slack’s own Stop button. */
export interface Stopped {
  readonly channel: string;
  readonly thread_ts: string;
}

/** What people do, by its kind. */
interface Heard {
  readonly press: Press;
  readonly command: TypedCommand;
  readonly stopped: Stopped;
}

const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** How long a connection may take, in milliseconds. */
const patience = 15_000;

/** As the library gives a payload. */
interface Envelope<Body> {
  readonly ack: () => Promise<void>;
  readonly body: Body;
}

/** Hears what people press and type, over a socket of its own. */
export class SocketListener {
  readonly #receiver: SocketModeReceiver;
  readonly #listeners: { readonly [Kind in keyof Heard]: Set<(what: Heard[Kind]) => void> } = {
    press: new Set(),
    command: new Set(),
    stopped: new Set(),
  };
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
    client.on('interactive', ({ ack, body }: Envelope<Press & { type: string }>) => {
      void ack().catch(() => undefined);
      if (body.type === 'block_actions') this.#tell('press', body);
    });
    client.on('slash_commands', ({ ack, body }: Envelope<TypedCommand>) => {
      void ack().catch(() => undefined);
      this.#tell('command', body);
    });
    client.on('agent_session_stopped', ({ ack, event }: Envelope<unknown> & { event: Stopped }) => {
      void ack().catch(() => undefined);
      this.#tell('stopped', event);
    });
    client.on('ws_message', (data: unknown) => {
      const { type, num_connections: count } = JSON.parse(String(data)) as Record<string, unknown>;
      if (type === 'hello' && typeof count === 'number') this.connections = count;
    });
  }

  /** @throws {NeedsOperator} where Slack opens no connection. */
  static async open(appToken: string, apiUrl: string): Promise<SocketListener> {
    const presses = new SocketListener(appToken, apiUrl);
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

  /** Calls `listener` for everything of a kind, until the returned function is called. */
  listen<Kind extends keyof Heard>(kind: Kind, listener: (what: Heard[Kind]) => void): () => void {
    this.#listeners[kind].add(listener);
    return () => this.#listeners[kind].delete(listener);
  }

  #tell<Kind extends keyof Heard>(kind: Kind, what: Heard[Kind]): void {
    for (const listener of this.#listeners[kind]) listener(what);
  }

  async close(): Promise<void> {
    await this.#receiver.client.disconnect();
  }
}
