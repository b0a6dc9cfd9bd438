import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The network between a process and its database. It can be cut, which ends what's open and lets nobody through, or lose answers. */
export class Cable {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #lost = { about: /^/, count: 0 };

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  /** In front of the database at an address. */
  static async to(database: string): Promise<Cable> {
    const target = new URL(database);
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(database);
    url.port = String((server.address() as AddressInfo).port);
    const cable = new Cable(url.href, server);
    server.on('connection', (client) => cable.#connect(client, target));
    return cable;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Loses the answers to the next so many statements that match, with their connections: they're done, and nobody hears of it. */
  lose(about: RegExp, count: number): void {
    this.#lost = { about, count };
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #connect(client: Socket, { hostname, port }: URL): void {
    if (this.#isCut) return void client.destroy();
    const server = connect({ host: hostname, port: Number(port), noDelay: true });
    let isLost = false;
    client.on('data', (data) => {
      if (isLost || this.#lost.count === 0 || !this.#lost.about.test(data.toString('latin1'))) return;
      isLost = true;
      this.#lost.count -= 1;
    });
    server.on('data', () => {
      if (isLost) client.destroy();
    });
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
  }
}
