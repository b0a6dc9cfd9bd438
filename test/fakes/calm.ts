import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { FakeClock } from './clock.ts';
import { settle } from './clock.ts';

/** How many looks in a row must find nothing moving. */
const stillLooks = 2;
/**
 * Looks of a millisecond without any movement after which what was sent is taken not to be read or answered for now: who
 * should do so waits for the test's time.
 */
const unansweredLooks = 50;
/** Looks of a millisecond at files and threads that work, after which the looks come ever further apart. */
const closeLooks = 5;
/** The longest time between two looks, in milliseconds. */
const longestPause = 8;

/** Both ends of the connections that this process has with itself, by client's and server's port. */
const connections = new Map<string, Connection>();
/** Threads that have not been told that nobody waits for them. */
const workingThreads = new Set<Worker>();

interface Connection {
  client?: Socket;
  server?: Socket;
  /** The client has written since it last read; counts if the server is another process, such as a database. */
  awaitsAnswer: boolean;
}

const connect: (...options: never) => Socket = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...options: unknown[]): Socket {
  this.once('connect', () => {
    const connection = connectionOf(this, `${this.localPort} ${this.remotePort}`);
    connection.client = this;
    const { push, write } = this;
    this.push = (...chunk) => {
      connection.awaitsAnswer = false;
      return push.apply(this, chunk);
    };
    this.write = (...chunk: unknown[]) => {
      connection.awaitsAnswer = true;
      return write.apply(this, chunk as Parameters<typeof write>);
    };
  });
  return connect.apply(this, options as never);
};
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  connectionOf(socket, `${socket.remotePort} ${socket.localPort}`).server = socket;
});

function connectionOf(socket: Socket, key: string): Connection {
  const connection = connections.get(key) ?? { awaitsAnswer: false };
  connections.set(key, connection);
  socket.once('close', () => {
    const { client, server } = connection;
    if (client?.destroyed !== false && server?.destroyed !== false) connections.delete(key);
  });
  return connection;
}

subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker };
  workingThreads.add(worker);
  let hasEnded = false;
  worker.once('exit', () => {
    hasEnded = true;
    workingThreads.delete(worker);
  });
  const { ref, unref } = worker;
  worker.ref = () => {
    // `terminate` calls this, of a thread that has ended too.
    if (!hasEnded) workingThreads.add(worker);
    ref.call(worker);
  };
  worker.unref = () => {
    workingThreads.delete(worker);
    unref.call(worker);
  };
});

/** Something was written that the other end has not read, or, where that's another process, not answered. */
function isUnderWay({ client, server, awaitsAnswer }: Connection): boolean {
  if (!client || !server) return awaitsAnswer;
  return client.bytesWritten !== server.bytesRead || server.bytesWritten !== client.bytesRead;
}

/** Files are read or written, addresses looked up, connections made, or a thread works. */
function isWorking(resources: readonly string[]): boolean {
  return workingThreads.size > 0 || resources.some((name) => /Req|ConnectWrap/.test(name));
}

/** Changes with whatever comes to this process from outside, and with the test's timers. */
const movementsOf = (clock: FakeClock | undefined) =>
  `${performance.nodeTiming.uvMetricsInfo.events} ${clock?.changes}`;

/** How often somebody has waited until everything was calm, and how many do so now. */
const waits = { begun: 0, underWay: 0 };

/**
 * Waits until nothing happens any more before the test's time moves: nothing is on its way between the sockets of this
 * process or to be answered by another, no file is read or written, no thread works, and what follows from that has
 * been done.
 */
export async function calm(clock?: FakeClock): Promise<void> {
  waits.begun += 1;
  waits.underWay += 1;
  await rest(clock);
  waits.underWay -= 1;
}

async function rest(clock: FakeClock | undefined): Promise<void> {
  for (let still = 0, unanswered = 0, atWork = 0; still < stillLooks;) {
    const before = movementsOf(clock);
    await settle();
    const hasMoved = movementsOf(clock) !== before;
    if (hasMoved) unanswered = 0;
    const resources = process.getActiveResourcesInfo();
    const isSending = resources.includes('WriteWrap') || [...connections.values()].some(isUnderWay);
    const works = isWorking(resources);
    atWork = works ? atWork + 1 : 0;
    if (works || (isSending && ++unanswered < unansweredLooks)) {
      still = 0;
      await setTimeout(Math.min(Math.max(1, atWork - closeLooks), longestPause));
    } else still = hasMoved ? 0 : still + 1;
  }
}

/** The jump that each clock is about to make. */
const jumps = new WeakMap<FakeClock, Promise<boolean>>();

/**
 * Jumps to the next timer once everything has come to rest. Who asks for it meanwhile gets the same jump, and who waits
 * for calm goes on first: time never moves twice without a rest, nor past what a part of the test is about to do.
 * @returns false where no timer waits, or none that is due within so many milliseconds
 */
export function jump(clock: FakeClock, within?: number): Promise<boolean> {
  const underWay = jumps.get(clock);
  if (underWay) return underWay;
  const next = restForAll(clock)
    .then(() => clock.runNext(within))
    .finally(() => jumps.delete(clock));
  jumps.set(clock, next);
  return next;
}

async function restForAll(clock: FakeClock): Promise<void> {
  for (let before = -1; before !== waits.begun || waits.underWay > 0;) {
    before = waits.begun;
    await rest(clock);
    await settle();
  }
}

/** How much of the test's time passes at most while something is done, in milliseconds: more than a stop may take. */
const longestWork = 30_000;

/**
 * Lets time jump from timer to timer until this is done, which need not wait for timers alone: where a process starts or
 * stops, connections open and close besides. So no more time passes than the longest of such works may take.
 */
export async function passWhile<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const noteDone = () => {
    isDone = true;
  };
  work.then(noteDone, noteDone);
  for (const latest = clock.steady() + longestWork; !isDone;) {
    await calm(clock);
    if (!isDone && !(await jump(clock, latest - clock.steady()))) await setTimeout(1);
  }
  return work;
}

/**
 * Lets time jump from timer to timer until something is so.
 * @returns whether it came to be so
 */
export async function passUntil(clock: FakeClock, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let count = 0; count < 20_000; count++) {
    await calm(clock);
    if (await isSo()) return true;
    if (!(await jump(clock))) await setTimeout(1);
  }
  return false;
}

/** How often in a row nothing must move and no timer wait until everything is taken to have come to rest. */
const restfulLooks = 5;

/**
 * Lets time jump from timer to timer until none waits and nothing moves: what was under way has gone as far as it goes.
 * Where timers go on without end, so many jumps are made.
 */
export async function passToRest(clock: FakeClock, jumps: number): Promise<void> {
  for (let count = 0, restful = 0; count < jumps && restful < restfulLooks; count++) {
    await calm(clock);
    restful = (await jump(clock)) ? 0 : restful + 1;
    if (restful > 0) await setTimeout(1);
  }
  await calm(clock);
}
