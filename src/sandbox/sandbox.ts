import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { type Clock, systemClock } from '../lib/clock.ts';
import { Accounts } from './account/account.ts';
import { type Behavior, defaultBehavior } from './account/behavior.ts';
import { type FileLimits, FileStore } from './files/files.ts';
import { createApp } from './http/app.ts';
import type { Dependencies } from './http/call.ts';
import { resume } from './tasks/resume.ts';
import type { Studio } from './tasks/studio.ts';
import { TaskFolder } from './tasks/task-folder.ts';

/** The default key; any other of the form `sk-svc-…` works too. */
export const sandboxKey = 'sk-svc-sandbox';

/** Options of a sandbox, with the default behavior of every key. */
export interface SandboxOptions extends Partial<Behavior> {
  readonly clock?: Clock;
  /** Renders the media; by default the real studio, loaded on first use. */
  readonly media?: Studio;
  /** Limits of the finished files. */
  readonly files?: Partial<FileLimits>;
  /**
   * Folder that keeps tasks and results across restarts; unfinished tasks run again. Only one sandbox may use
   * it at a time. Without it, everything is deleted on close.
   */
  readonly folder?: string;
  /** Called with unexpected errors; by default they go to stderr. */
  readonly report?: (error: unknown) => void;
}

/** A sandbox that listens. */
export interface ListeningSandbox {
  /** The service's base address, which ends with `/v1`. */
  readonly url: string;
  readonly key: string;
  /** Closes every connection, stops every task, and deletes the files unless they are in `folder`. */
  close(): Promise<void>;
}

/** A stand-in for the media and chat service. */
export interface Sandbox {
  /** Starts the server, once; port 0 picks a free one. Rejects if the port is taken. */
  listen(port?: number, host?: string): Promise<ListeningSandbox>;
}

const keepAliveMilliseconds = 65_000;

/** Creates a stand-in for the whole media and chat service. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = systemClock, media, files, folder, report = console.error, ...behavior } = options;
  const closing = new AbortController();
  const studio = new LazyStudio(media);
  const tasks = folder === undefined ? undefined : new TaskFolder(join(folder, 'tasks'), report);
  const dependencies: Dependencies = {
    clock,
    accounts: new Accounts(clock, { ...defaultBehavior, ...behavior }, (key) => tasks?.storage(key)),
    files: new FileStore(clock, files, folder === undefined ? undefined : join(folder, 'files')),
    studio: () => studio.get(),
    closing: closing.signal,
    report,
  };
  const app = createApp(dependencies);
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: { keepAliveTimeout: keepAliveMilliseconds },
  });

  async function close(): Promise<void> {
    closing.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
    await studio.close();
    await dependencies.files.close();
    await tasks?.close();
  }

  return {
    async listen(port = 0, host = '127.0.0.1') {
      let resumeTasks = () => {};
      if (tasks) {
        await dependencies.files.load();
        resumeTasks = resume(dependencies, await tasks.load());
      }
      server.listen(port, host);
      await once(server, 'listening');
      resumeTasks();
      return { url: baseUrl(server.address()), key: sandboxKey, close };
    },
  };
}

function baseUrl(address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no network address.');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}/v1`;
}

/** Loads the studio, with its codecs, on first use. */
class LazyStudio {
  #studio: Promise<Studio> | undefined;

  constructor(given: Studio | undefined) {
    if (given) this.#studio = Promise.resolve(given);
  }

  get(): Promise<Studio> {
    this.#studio ??= import('./media/index.ts').then(({ MediaStudio }) => new MediaStudio());
    return this.#studio;
  }

  async close(): Promise<void> {
    const studio = await this.#studio?.catch(() => undefined);
    await studio?.close();
  }
}
