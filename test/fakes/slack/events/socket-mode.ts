import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../../src/lib/clock.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import type { Json } from '../records.ts';
import type { Acknowledged, PayloadType, Retry, Transport } from './delivery.ts';

interface Connection {
  readonly socket: WebSocket;
  readonly pending: Map<string, (result: Acknowledged) => void>;
  /** Told to go, so nothing more is sent to it. */
  leaving: boolean;
}

/** Socket Mode: tickets, up to ten connections, each payload to any one of them. */
export class SocketMode implements Transport {
  readonly #clock: Clock;
  readonly #appToken: string;
  readonly #appId: string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Map<string, number>();
  readonly #connections: Connection[] = [];
  readonly #newId: () => string;
  /** Acknowledgements of what was not sent on their socket. */
  readonly strays: string[] = [];
  /** Sockets that other programs have with the app's token. */
  others = 0;
  /** Told to go as soon as they're open: by Slack in trouble, or cut by a proxy. */
  turnsAway = false;
  /** Whoever asks for a connection gets no answer, or one that says nothing. */
  silence: 'at the door' | 'inside' | undefined;
  #next = 0;
  #opened = 0;
  address = '';

  constructor(clock: Clock, appToken: string, appId: string, newId: () => string) {
    this.#clock = clock;
    this.#appToken = appToken;
    this.#appId = appId;
    this.#newId = newId;
  }

  /** Connections that are open and not leaving. */
  get connected(): number {
    return this.#usable().length;
  }

  /** Connections ever opened. */
  get opened(): number {
    return this.#opened;
  }

  /** `apps.connections.open` */
  open(token: string): Json {
    if (!token.startsWith('xapp-')) throw new Failure('not_allowed_token_type');
    if (token !== this.#appToken) throw new Failure('invalid_auth');
    const ticket = this.#newId();
    this.#tickets.set(ticket, this.#clock.now());
    return { url: `${this.address}/link?ticket=${ticket}&app_id=${this.#appId}` };
  }

  /** A client at the door: let in with a fresh ticket, once. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? '', 'http://socket').searchParams.get('ticket') ?? '';
    const madeAt = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (madeAt === undefined || this.#clock.now() - madeAt > limits.sockets.ticketMs) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    if (this.silence === 'at the door') {
      socket.once('end', () => socket.destroy()).resume();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
  }

  #welcome(socket: WebSocket): void {
    if (this.silence === 'inside') return;
    const count = this.#connections.length + this.others;
    if (count >= limits.sockets.connections) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close();
      return;
    }
    const connection: Connection = { socket, pending: new Map(), leaving: false };
    this.#connections.push(connection);
    this.#opened += 1;
    socket.on('message', (data) => this.#receive(connection, String(data)));
    socket.on('close', () => this.#forget(connection));
    const info = { num_connections: count + 1, connection_info: { app_id: this.#appId } };
    socket.send(JSON.stringify({ type: 'hello', ...info }));
    if (this.turnsAway) this.refresh(this.#connections.indexOf(connection));
  }

  #receive(connection: Connection, data: string): void {
    const message = JSON.parse(data) as { envelope_id?: string; payload?: unknown };
    const resolve = connection.pending.get(message.envelope_id ?? '');
    if (!resolve) {
      this.strays.push(message.envelope_id ?? '');
      return;
    }
    connection.pending.delete(message.envelope_id ?? '');
    resolve({ ok: true, response: message.payload });
  }

  #forget(connection: Connection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
    for (const resolve of connection.pending.values()) resolve({ ok: false, detail: 'connection_failed' });
  }

  #usable(): Connection[] {
    return this.#connections.filter((one) => !one.leaving && one.socket.readyState === one.socket.OPEN);
  }

  send(type: PayloadType, payload: Json, retry: Retry | undefined): Promise<Acknowledged> {
    const usable = this.#usable();
    const connection = usable[this.#next++ % Math.max(1, usable.length)];
    if (!connection) return Promise.resolve({ ok: false, detail: 'connection_failed' });
    const envelope = this.#newId();
    const response = new Promise<Acknowledged>((resolve) => connection.pending.set(envelope, resolve));
    connection.socket.send(
      JSON.stringify({
        type,
        envelope_id: envelope,
        payload,
        accepts_response_payload: type !== 'events_api',
        ...(type === 'events_api'
          ? { retry_attempt: retry?.number ?? 0, retry_reason: retry?.reason ?? '' }
          : {}),
      }),
    );
    return response;
  }

  /** Anything else a server may send, as it is: garbage too. */
  sendRaw(text: string): void {
    for (const { socket } of this.#usable()) socket.send(text);
  }

  /** Announces that a connection will be closed in ten seconds, then closes it. */
  warn(index: number): void {
    const connection = this.#leave(index, 'warning');
    this.#clock.after(limits.sockets.warningMs, () => connection.socket.close());
  }

  /** Asks a connection to make way for a new one, and closes it. */
  refresh(index: number): void {
    this.#leave(index, 'refresh_requested').socket.close();
  }

  /** Cuts a connection without closing it. */
  drop(index: number): void {
    this.#at(index).socket.terminate();
  }

  #leave(index: number, reason: string): Connection {
    const connection = this.#at(index);
    connection.leaving = true;
    connection.socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }));
    return connection;
  }

  #at(index: number): Connection {
    const connection = this.#connections[index];
    if (!connection) throw new Error(`no connection ${index}`);
    return connection;
  }

  close(): void {
    for (const { socket } of this.#connections) socket.terminate();
    this.#server.close();
  }
}
