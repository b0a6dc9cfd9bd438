import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A request as it came over the wire. */
export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  json(): Record<string, unknown>;
}

/** What a script may do with a connection: whatever bytes it likes, whenever it likes. */
export class Reply {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Resolves when the other side has closed the connection, or it was closed here. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.closed) resolve();
      else this.socket.once('close', () => resolve());
    });
  }

  raw(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** An answer of known length; the connection can be used again. */
  send(status: number, body: string | Uint8Array, headers: Record<string, string> = {}): void {
    const bytes = Buffer.from(body as string);
    this.raw(head(status, { 'content-length': String(bytes.length), ...headers }));
    this.raw(bytes);
  }

  json(status: number, value: unknown, headers: Record<string, string> = {}): void {
    this.send(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
  }

  /** The head of an answer in chunks. */
  start(status = 200, headers: Record<string, string> = {}): void {
    this.raw(head(status, { 'transfer-encoding': 'chunked', ...headers }));
  }

  /** The head of a stream of events. */
  startEvents(headers: Record<string, string> = {}): void {
    this.start(200, { 'content-type': 'text/event-stream', ...headers });
  }

  chunk(bytes: string | Uint8Array): void {
    const buffer = Buffer.from(bytes as string);
    if (buffer.length === 0) return;
    this.raw(Buffer.concat([Buffer.from(`${buffer.length.toString(16)}\r\n`), buffer, Buffer.from('\r\n')]));
  }

  end(): void {
    this.raw('0\r\n\r\n');
  }

  destroy(): void {
    this.socket.destroy();
  }
}

function head(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`;
}

export type Script = (request: Received, reply: Reply, index: number) => void | Promise<void>;

/** An HTTP server of bytes: it reads requests properly and answers exactly what a script writes. */
export class RawServer {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #script: Script;

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(script: Script = () => undefined): Promise<RawServer> {
    const server = new RawServer(script);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  /** What to answer from now on. */
  script(script: Script): void {
    this.#script = script;
    this.received.length = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    let pending = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      for (let parsed = parse(pending); parsed; parsed = parse(pending)) {
        pending = pending.subarray(parsed.length);
        this.received.push(parsed.request);
        void this.#script(parsed.request, new Reply(socket), this.received.length - 1);
      }
    });
  }
}

function parse(bytes: Buffer): { request: Received; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(end + 4, length);
  return { request: { method, path, headers, body, json: () => JSON.parse(body.toString()) }, length };
}
