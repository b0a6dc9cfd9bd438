import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import { createSandbox, type Studio } from '../../../src/sandbox/index.ts';
import { run } from '../../../src/start/run.ts';
import { endsWithTest } from '../../at-end.ts';
import { scaledClock } from '../../chaos/scaled-clock.ts';
import { migratedIn } from '../../fakes/database.ts';
import { patience } from '../../patience.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { sampleStudio } from './sample-studio.ts';

/** The whole bot with the sandbox behind it. */
export interface StartedBot {
  readonly url: string;
  /** Stops it and starts it again on the same data, at the same address; the sandbox goes on meanwhile. */
  restart(): Promise<void>;
}

/** Starts two processes of it on this PostgreSQL, with a sandbox that writes as a person reads; where each of them is. */
export async function startTwoProcesses(databaseUrl: string): Promise<readonly [string, string]> {
  const sandbox = await createSandbox({
    pace: 'human',
    renderTime: 0.05,
    limits: 'off',
    media: sampleStudio,
  }).listen();
  endsWithTest(() => sandbox.close());
  const config = readConfig({
    ...{ SERVICE_BASE_URL: sandbox.url, SERVICE_API_KEY: sandbox.key, DATABASE_URL: databaseUrl, PORT: '0' },
    CONFIRM_OVER_CREDITS: '100000',
  });
  const start = async () => {
    const running = await run(config, pino({ level: 'silent' }), { silentAfter: patience.timeout });
    endsWithTest(() => running.stop());
    return running.url;
  };
  return [await start(), await start()];
}

/** How many times as fast as the machine's the time of a bot goes that mostly waits until it asks about a render again. */
const scale = 4;

/** Starts the bot with the console alone, and a sandbox that answers as fast as it can, and renders in a moment. */
export async function startBot({ media = sampleStudio }: { media?: Studio } = {}): Promise<StartedBot> {
  const folder = await temporaryFolder();
  // Its limits are those of the machine's time.
  const sandbox = await createSandbox({ pace: 'instant', renderTime: 0.05, limits: 'off', media }).listen();
  endsWithTest(() => sandbox.close());
  const options = { clock: scaledClock(scale), silentAfter: patience.timeout * scale };
  const environment = {
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    DATABASE_URL: await migratedIn(folder),
  };
  const start = (port: string) =>
    run(readConfig({ ...environment, PORT: port }), pino({ level: 'silent' }), options);
  let running = await start('0');
  const { url } = running;
  endsWithTest(() => running.stop());
  return {
    url,
    async restart() {
      await running.stop();
      running = await start(new URL(url).port);
    },
  };
}
