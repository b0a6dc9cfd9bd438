import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { type Running, run } from '../../../src/start/run.ts';

/** The whole bot with the sandbox behind it. */
export interface StartedBot {
  readonly url: string;
  /** Stops it and starts it again on the same data, at the same address; the sandbox goes on meanwhile. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the bot with the console alone, and a sandbox that answers as fast as it can. */
export async function startBot(): Promise<StartedBot> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bot-'));
  const sandbox = await createSandbox({ pace: 'instant' }).listen();
  const environment = {
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
  };
  const start = (port: string) => run(readConfig({ ...environment, PORT: port }), pino({ level: 'silent' }));
  let running: Running | undefined = await start('0');
  const { url } = running;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    url,
    async restart() {
      await stop();
      running = await start(new URL(url).port);
    },
    async close() {
      await stop();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
