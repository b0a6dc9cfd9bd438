import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { type Clock, systemClock } from '../lib/clock.ts';
import { apiKeyPattern } from '../service-rules/models.ts';
import { Accounts } from './account/account.ts';
import { type Behavior, defaultBehavior, readBehavior } from './account/behavior.ts';
import { createApp } from './http/app.ts';
import type { Services } from './http/call.ts';
import { ApiError, Parameters } from './http/parameters.ts';
import type { Studio } from './media/studio.ts';
import { resumeImage } from './operations/images.ts';
import { type AcceptedTask, render } from './operations/tasks.ts';
import { resumeVideo } from './operations/videos.ts';
import { type FileLimits, FileStore } from './tasks/files.ts';
import { type StoredTask, TaskFolder } from './tasks/tasks.ts';

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

const keepAliveTimeout = 65_000;

/** Creates a stand-in for the whole media and chat service. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = systemClock, media, files, folder, report = console.error, ...behavior } = options;
  const closing = new AbortController();
  let studio = media && Promise.resolve(media);
  const tasks = folder === undefined ? undefined : new TaskFolder(join(folder, 'tasks'), report);
  const services: Services = {
    clock,
    accounts: new Accounts(clock, { ...defaultBehavior, ...behavior }, (key) => tasks?.storage(key)),
    files: new FileStore(clock, files, folder === undefined ? undefined : join(folder, 'files')),
    studio() {
      studio ??= import('./media/studio.ts').then(({ MediaStudio }) => new MediaStudio());
      return studio;
    },
    closing: closing.signal,
    report,
  };
  const { fetch } = createApp(services);
  const server = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: { keepAliveTimeout },
  });

  async function close(): Promise<void> {
    closing.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
    await (await studio?.catch(() => undefined))?.close();
    await services.files.close();
    await tasks?.close();
  }

  return {
    async listen(port = 0, host = '127.0.0.1') {
      if (tasks) await services.files.load();
      const unfinished = restore(services, (await tasks?.load()) ?? []);
      server.listen(port, host);
      await once(server, 'listening');
      for (const task of unfinished) void render(services, task);
      return { url: baseUrl(server.address()), key: sandboxKey, close };
    },
  };
}

/** Restores the tasks of an earlier process, with their cost; returns the unfinished ones. */
function restore(services: Services, kept: readonly StoredTask[]): AcceptedTask[] {
  const unfinished: AcceptedTask[] = [];
  for (const { key, task } of kept) {
    const account = services.accounts.get(key);
    account.tasks.add(task);
    if (task.metered) account.meter.record(task.metered, task.metered.time);
    const { order } = task;
    if (!order) continue;
    try {
      const rendering = task.kind === 'image' ? resumeImage(services, order) : resumeVideo(services, order);
      unfinished.push({ account, task, order, rendering });
    } catch (error) {
      // It was accepted by an earlier version with other rules.
      services.report(error);
      account.tasks.forget(task);
    }
  }
  return unfinished;
}

function baseUrl(address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no network address.');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}/v1`;
}

/** Settings of `npm run sandbox`. */
export interface SandboxSettings {
  readonly port: number;
  readonly host: string;
  readonly key: string;
  readonly behavior: Behavior;
}

/**
 * Reads PORT, HOST, SANDBOX_KEY and SANDBOX_SWITCHES, a JSON object as for the control endpoint. Returns one
 * line per invalid setting.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): SandboxSettings | { readonly faults: readonly string[] } {
  const { PORT, HOST, SANDBOX_KEY, SANDBOX_SWITCHES } = environment;
  const port = Number(PORT || 8788);
  const key = SANDBOX_KEY || sandboxKey;
  const behavior = parseBehavior(SANDBOX_SWITCHES || '{}');
  const faults: string[] = [];
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    faults.push('PORT: allowed: an integer from 0 to 65535.');
  if (!apiKeyPattern.test(key))
    faults.push('SANDBOX_KEY: allowed: sk-svc- followed by letters, digits, - and _.');
  if (typeof behavior === 'string') faults.push(`SANDBOX_SWITCHES: ${behavior}`);
  if (faults.length > 0 || typeof behavior === 'string') return { faults };
  return { port, host: HOST || '127.0.0.1', key, behavior };
}

/** Parses the behavior, or returns why it is invalid. */
function parseBehavior(text: string): Behavior | string {
  try {
    return readBehavior(new Parameters(JSON.parse(text)), defaultBehavior);
  } catch (error) {
    return error instanceof ApiError ? error.message : 'allowed: a JSON object such as {"pace":"instant"}.';
  }
}
