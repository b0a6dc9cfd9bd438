import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { FakeClock } from './clock.ts';
import { settle } from './clock.ts';

/** How many looks in a row must find nothing moving. */
const stillLooks = 2;
/**
 * Looks of a millisecond without any movement after which bytes are taken not to be read for now: their reader waits for
 * the test's time.
 */
const unreadLooks = 50;

/** Both ends of the connections that this process has with itself, by client's and server's port. */
const connections = new Map<string, { client?: Socket; server?: Socket }>();
/** Threads that have not been told that nobody waits for them. */
const workingThreads = new Set<Worker>();

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.once('connect', () => keep(socket, 'client', `${socket.localPort} ${socket.remotePort}`));
});
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  keep(socket, 'server', `${socket.remotePort} ${socket.localPort}`);
});
subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker };
  workingThreads.add(worker);
  worker.once('exit', () => workingThreads.delete(worker));
  const { ref, unref } = worker;
  worker.ref = () => {
    workingThreads.add(worker);
    ref.call(worker);
  };
  worker.unref = () => {
    workingThreads.delete(worker);
    unref.call(worker);
  };
});

function keep(socket: Socket, end: 'client' | 'server', key: string): void {
  const connection = connections.get(key) ?? {};
  connection[end] = socket;
  connections.set(key, connection);
  socket.once('close', () => connections.delete(key));
}

/** Something was written to a connection that the other end has not read, as far as it's in this process. */
function isUnderWay(resources: readonly string[]): boolean {
  for (const { client, server } of connections.values())
    if (
      client &&
      server &&
      (client.bytesWritten !== server.bytesRead || server.bytesWritten !== client.bytesRead)
    )
      return true;
  return resources.some((name) => name === 'WriteWrap' || name === 'ShutdownWrap');
}

/** Files are read or written, addresses looked up, connections made, or a thread works. */
function isWorking(resources: readonly string[]): boolean {
  return workingThreads.size > 0 || resources.some((name) => /Req|ConnectWrap/.test(name));
}

/** Changes with whatever comes to this process from outside, and with the test's timers. */
const movementsOf = (clock: FakeClock) => `${performance.nodeTiming.uvMetricsInfo.events} ${clock.changes}`;

/**
 * Waits until nothing happens any more before the test's time moves: nothing is on its way between the sockets of this
 * process, no file is read or written, no thread works, and what follows from that has been done.
 */
export async function calm(clock: FakeClock): Promise<void> {
  for (let still = 0, unread = 0; still < stillLooks; ) {
    const before = movementsOf(clock);
    await settle();
    const hasMoved = movementsOf(clock) !== before;
    if (hasMoved) unread = 0;
    const resources = process.getActiveResourcesInfo();
    if (isWorking(resources) || (isUnderWay(resources) && ++unread < unreadLooks)) {
      still = 0;
      await setTimeout(1);
    } else still = hasMoved ? 0 : still + 1;
  }
}

/**
 * Lets time jump from timer to timer until something is so; before each jump everything comes to rest.
 * @returns whether it came to be so
 */
export async function passUntil(clock: FakeClock, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let jumps = 0; jumps < 20_000; jumps++) {
    if (await isSo()) return true;
    await calm(clock);
    if (await isSo()) return true;
    if (!(await clock.runNext())) await setTimeout(1);
  }
  return false;
}
