import { once } from 'node:events';
import { ConfigError, readConfig, readEnvFile } from '../config/config.ts';
import {
  createLog,
  exitOnUncaught,
  ListenError,
  LogDestination,
  openTracing,
  standardOutput,
  stopSignals,
} from '../ops/index.ts';
import { VaultError } from '../secrets/vault.ts';
import { DatabaseError } from '../store/index.ts';
import { ownVersion } from './readings.ts';
import { run, type RunOptions } from './run.ts';

/** Runs the bot as this process, from its environment to its exit status. */
export async function runProcess(options: Pick<RunOptions, 'deadAfter' | 'silentAfter'> = {}): Promise<void> {
  const logDestination = new LogDestination(standardOutput());
  // What is said there is for people who may not be there to read it any more.
  process.stderr.on('error', () => {});

  try {
    readEnvFile();
    const config = readConfig(process.env);
    const tracing = openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, ownVersion());
    const log = await createLog(config.LOG_LEVEL, Boolean(process.stdout.isTTY), logDestination, tracing);
    exitOnUncaught(log, logDestination);
    // Before anything is started: what is cut off in the middle of a paid request may have been paid for.
    const stopping = stopSignals(log);
    const takenForDead = () => {
      log.fatal({}, 'other processes took this one for dead and took over its work: exiting');
      void logDestination.flushed().finally(() => process.exit(1));
    };
    const starting = run(config, log, { ...options, stopping, takenForDead, tracing });
    // One that still waits for its database has nothing to end.
    const running = await starting.catch((error: unknown) => {
      if (error !== stopping.reason) throw error;
    });
    if (running && !stopping.aborted) {
      // Elsewhere stdout is for JSON lines only; the one that says ready has the address.
      if (process.stdout.isTTY) process.stdout.write(`${running.welcome}\n`);
      await once(stopping, 'abort');
    }
    await running?.stop();
    await logDestination.flushed();
    process.exit(0);
  } catch (error) {
    if (!isForOperator(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    // What had been started already would keep the process alive.
    process.exit(1);
  }
}

/** Whether an error says by itself what is wrong and what to do. */
function isForOperator(error: unknown): error is Error {
  return [ConfigError, DatabaseError, ListenError, VaultError].some((kind) => error instanceof kind);
}
