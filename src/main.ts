import { ConfigError, readConfig, readEnvFile } from './config.ts';
import { createLog } from './ops/index.ts';
import { run } from './run.ts';
import { DatabaseError } from './store/index.ts';

/** Signals leave so long for what is under way, in milliseconds. */
const shutdownLimit = 20_000;

try {
  readEnvFile();
  const config = readConfig(process.env);
  const log = await createLog(config.LOG_LEVEL);
  const running = await run(config, log);
  // Elsewhere stdout is for JSON lines alone; the one that says ready has the address.
  if (process.stdout.isTTY) process.stdout.write(`${running.welcome}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void shutDown(signal));

  const shutDown = async (signal: string) => {
    log.info({ signal }, 'shutting down');
    setTimeout(() => {
      log.warn({}, 'what is still under way goes on after the next start');
      process.exit(0);
    }, shutdownLimit).unref();
    await running.stop();
    process.exit(0);
  };
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
