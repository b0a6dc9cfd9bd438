import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { type Clock, systemClock } from '../lib/clock.ts';
import { Accounts } from './account.ts';
import { type FileLimits, FileStore } from './files/files.ts';
import { createApp } from './http/app.ts';
import type { Dependencies } from './http/call.ts';
import { type Switches, usualSwitches } from './switches.ts';
import { resume } from './tasks/resume.ts';
import type { Studio } from './tasks/studio.ts';
import { TaskFolder } from './tasks/task-folder.ts';

/** A key that works on every sandbox, as any other of the form `sk-svc-…` does. */
export const sandboxKey = 'sk-svc-sandbox';

/** How a sandbox is to be; the switches are what every key begins with. */
export interface SandboxOptions extends Partial<Switches> {
  readonly clock?: Clock;
  /** Who makes the media; the real studio, loaded when it is first needed, where absent. */
  readonly media?: Studio;
  /** How many finished files are kept, and for how long. */
  readonly files?: Partial<FileLimits>;
  /**
   * Where tasks and their results outlive the process: the next sandbox with this folder knows both, and makes
   * anew what was not finished. One sandbox at a time. Where absent, everything ends with the sandbox.
   */
  readonly folder?: string;
  /** Gets what breaks inside the sandbox; printed on stderr where absent. */
  readonly report?: (error: unknown) => void;
}

/** A sandbox that listens. */
export interface ListeningSandbox {
  /** The service's base address, which ends with `/v1`. */
  readonly url: string;
  readonly key: string;
  /** Breaks every connection, stops every task and removes the files, unless they have a folder to last in. */
  close(): Promise<void>;
}

/** A stand-in for the media and chat service. */
export interface Sandbox {
  /** Port 0 is any free one. Rejects where the port is taken. Once only. */
  listen(port?: number, host?: string): Promise<ListeningSandbox>;
}

const keepAliveMilliseconds = 65_000;

/** Makes a stand-in for the whole media and chat service. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = systemClock, media, files, folder, report = console.error, ...switches } = options;
  const closing = new AbortController();
  const studio = new LazyStudio(media);
  const tasks = folder === undefined ? undefined : new TaskFolder(join(folder, 'tasks'), report);
  const dependencies: Dependencies = {
    clock,
    accounts: new Accounts(clock, { ...usualSwitches, ...switches }, (key) => tasks?.keeper(key)),
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
      let goOn = () => {};
      if (tasks) {
        await dependencies.files.load();
        goOn = resume(dependencies, await tasks.load());
      }
      server.listen(port, host);
      await once(server, 'listening');
      goOn();
      return { url: baseUrl(server.address()), key: sandboxKey, close };
    },
  };
}

function baseUrl(address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string')
    throw new Error('The sandbox has no address of its own.');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}/v1`;
}

/** The studio brings codecs with it that are only worth loading when something is to be made. */
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
