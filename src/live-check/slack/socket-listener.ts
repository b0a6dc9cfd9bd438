import { SocketModeReceiver } from '@slack/bolt';
import { libraryLogger } from '../../platforms/slack/api/log.ts';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';
import { NeedsOperator } from '../needs-operator.ts';

/** A button press, as far as it's used. */
export interface Press {
  readonly response_url: string;
  readonly trigger_id: string;
  readonly user: { readonly id: string };
  readonly actions: readonly { readonly action_id: string }[];
}

/** A typed command, as far as it's used. */
export interface TypedCommand {
  readonly text: string;
  readonly channel_id: string;
  readonly response_url: string;
}

/** A press of Slack’s own Stop button, as far as it's used. */
export interface Stopped {
  readonly channel: string;
  readonly thread_ts: string;
}

/** The events that are listened to, by kind. */
interface Events {
  readonly press: Press;
  readonly command: TypedCommand;
  readonly stopped: Stopped;
}

const silence = libraryLogger({ debug() {}, info() {}, warn() {}, error() {} });
/** Milliseconds that connecting may take. */
const connectTimeout = 15_000;

/** A payload as the library passes it on. */
interface Envelope<Body> {
  readonly ack: () => Promise<void>;
  readonly body: Body;
}

/** Receives button presses and commands over a socket of its own. */
export class SocketListener {
  readonly #receiver: SocketModeReceiver;
  readonly #listeners: { readonly [Kind in keyof Events]: Set<(event: Events[Kind]) => void> } = {
    press: new Set(),
    command: new Set(),
    stopped: new Set(),
  };
  /** The app's open sockets; Slack sends each event to one of them. */
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
      if (body.type === 'block_actions') this.#emit('press', body);
    });
    client.on('slash_commands', ({ ack, body }: Envelope<TypedCommand>) => {
      void ack().catch(() => undefined);
      this.#emit('command', body);
    });
    client.on('agent_session_stopped', ({ ack, event }: Envelope<unknown> & { event: Stopped }) => {
      void ack().catch(() => undefined);
      this.#emit('stopped', event);
    });
    client.on('ws_message', (data: unknown) => {
      const { type, num_connections: count } = JSON.parse(String(data)) as Record<string, unknown>;
      if (type === 'hello' && typeof count === 'number') this.connections = count;
    });
  }

  /** @throws {NeedsOperator} if Slack refuses the connection. */
  static async open(appToken: string, apiUrl: string): Promise<SocketListener> {
    const socket = new SocketListener(appToken, apiUrl);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), connectTimeout);
    });
    try {
      await Promise.race([socket.#receiver.client.start(), late]);
      return socket;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NeedsOperator(`Slack refused a socket for SLACK_APP_TOKEN (${why})`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls `listener` for every event of a kind, until the returned function is called. */
  listen<Kind extends keyof Events>(kind: Kind, listener: (event: Events[Kind]) => void): () => void {
    this.#listeners[kind].add(listener);
    return () => this.#listeners[kind].delete(listener);
  }

  #emit<Kind extends keyof Events>(kind: Kind, event: Events[Kind]): void {
    for (const listener of this.#listeners[kind]) listener(event);
  }

  async close(): Promise<void> {
    await this.#receiver.client.disconnect();
  }
}
