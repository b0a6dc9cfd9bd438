import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give out by themselves: nobody gets it while a program starts that is to listen there. */
const [first, last] = [10_000, 32_000];

/** A port of this machine that nobody listens on, for a program that can't choose one itself or comes back to it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
