import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, connect as toServer } from 'node:net';

const [sslRequest, cancelRequest] = [80_877_103, 80_877_102];
const authenticated = message('R', Buffer.from([0, 0, 0, 0]));
const readyIdle = message('Z', Buffer.from('I'));

/** A connection to the server that has logged in. */
interface Upstream {
  readonly socket: Socket;
  /** What the server said of itself at the log-in. */
  readonly greeting: Buffer;
  /** Where its messages go now; what it says to nobody is lost. */
  onMessage: (type: string, whole: Buffer) => void;
}

/**
 * A pooler in transaction mode, as PgBouncer's manual describes it ("pool_mode"): a client has a connection to the server
 * for as long as its transaction lasts, and the one that was used last is given out first.
 */
export class Pooler {
  readonly url: string;
  readonly close: () => void;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }

  /** In front of a database whose address has no password. */
  static async start(database: string): Promise<Pooler> {
    const target = new URL(database);
    const free: Upstream[] = [];
    const sockets = new Set<Socket>();
    const lease = async (startup: Buffer) => free.pop() ?? logIn(target, startup, sockets);
    const server = createServer((client) => {
      sockets.add(client);
      client.on('error', () => {});
      void serve(client, lease, (upstream) => free.push(upstream)).catch(() => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(database);
    url.port = String((server.address() as AddressInfo).port);
    return new Pooler(url.href, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }
}

async function serve(
  client: Socket,
  lease: (startup: Buffer) => Promise<Upstream>,
  giveBack: (upstream: Upstream) => void,
): Promise<void> {
  let startup = await firstPacket(client);
  if (startup.readInt32BE(4) === sslRequest) {
    client.write('N');
    startup = await firstPacket(client);
  }
  if (startup.readInt32BE(4) === cancelRequest) return void client.destroy();
  const first = await lease(startup);
  client.write(Buffer.concat([authenticated, first.greeting, readyIdle]));
  giveBack(first);
  let upstream: Promise<Upstream> | undefined;
  client.on('data', (data: Buffer) => {
    upstream ??= lease(startup);
    void upstream.then((one) => {
      one.onMessage = (type, whole) => {
        client.write(whole);
        if (type !== 'Z' || whole.at(-1) !== 'I'.charCodeAt(0)) return;
        one.onMessage = () => {};
        upstream = undefined;
        giveBack(one);
      };
      one.socket.write(data);
    });
  });
  // What it had begun is undone by the server.
  client.on('close', () => void upstream?.then(({ socket }) => socket.destroy()));
}

async function firstPacket(client: Socket): Promise<Buffer> {
  const [packet] = await once(client, 'data');
  return packet as Buffer;
}

async function logIn({ hostname, port }: URL, startup: Buffer, sockets: Set<Socket>): Promise<Upstream> {
  const socket = toServer(Number(port), hostname);
  sockets.add(socket);
  socket.on('error', () => {});
  const said: Buffer[] = [];
  const { promise: greeted, resolve } = Promise.withResolvers<void>();
  const upstream = {
    socket,
    get greeting() {
      return Buffer.concat(said);
    },
    onMessage: (type: string, whole: Buffer) => {
      if (type === 'S' || type === 'K') said.push(whole);
      if (type === 'Z') resolve();
    },
  };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      upstream.onMessage(String.fromCharCode(whole[0] ?? 0), whole);
    }
  });
  socket.write(startup);
  await greeted;
  upstream.onMessage = () => {};
  return upstream;
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
