import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy that knows nothing of what it forwards and of how its targets are: one request to each in turn, over connections
 * that it keeps. As any proxy, it goes to the next one where nobody listens, because nothing was sent then.
 */
export class RoundRobin {
  readonly #targets: () => readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, outgoing) => void this.#forward(incoming, outgoing));
  #turn = 0;
  /** Which target took each request. */
  readonly took: string[] = [];
  /** What a target didn't answer; the sender got a 502. */
  readonly failed: string[] = [];

  constructor(targets: () => readonly string[]) {
    this.#targets = targets;
  }

  /** Returns its address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    const targets = this.#targets();
    const first = this.#turn++ % targets.length;
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      try {
        const answer = await this.#sent(target, incoming, body);
        this.took.push(target);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        return void answer.pipe(outgoing);
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        if (code === 'ECONNREFUSED') continue;
        this.failed.push(`${target}: ${code}`);
        return void outgoing.writeHead(502).end();
      }
    }
    this.failed.push('nobody listens');
    outgoing.writeHead(502).end();
  }

  #sent(target: string, { method = 'GET', headers, url = '/' }: IncomingMessage, body: Buffer) {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const forwarded = send(new URL(url, target), { method, headers, agent: this.#agent }, resolve);
      forwarded.on('error', reject);
      forwarded.end(body);
    });
  }
}
