import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, readEnvFile } from './config.ts';
import {
  createLog,
  endOnUncaught,
  ListenError,
  type Log,
  LogDestination,
  standardOutput,
} from './ops/index.ts';
import { type Running, run } from './run.ts';
import { DatabaseError } from './store/index.ts';
import { VaultError } from './vault.ts';

/** The last lines of the log have so long to arrive, in milliseconds. */
const lastWords = 500;
/** Signals leave so long for what is under way, in milliseconds. */
const shutdownLimit = 20_000;

// V8 sometimes aborts while it frees single pieces of WebAssembly code (`Check failed: end > addr`, Node 24.21), and
// an abort in any thread ends the whole process with all it has under way. The main thread reads every HTTP answer by
// WebAssembly (undici's parser), threads read sound by it (src/media). What is not freed is little: a codec's code
// goes with its thread, the parser's is kept once.
setFlagsFromString('--no-wasm-code-gc');
// Whatever this process makes is nobody else's to read.
process.umask(0o077);

const logDestination = new LogDestination(standardOutput());
// What is said there is for people who may not be there to read it any more.
process.stderr.on('error', () => {});

try {
  readEnvFile();
  const config = readConfig(process.env);
  const log = await createLog(config.LOG_LEVEL, Boolean(process.stdout.isTTY), logDestination);
  endOnUncaught(log, (milliseconds) => logDestination.flushed(milliseconds));
  const running = await run(config, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void shutDown(running, log, signal));
  }
  // Elsewhere stdout is for JSON lines alone; the one that says ready has the address.
  if (process.stdout.isTTY) process.stdout.write(`${running.welcome}\n`);
} catch (error) {
  if (!isForOperator(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  // What had been started already would keep the process alive.
  process.exit(1);
}

/** Whether an error says by itself what is wrong and what to do. */
function isForOperator(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof DatabaseError ||
    error instanceof ListenError ||
    error instanceof VaultError
  );
}

async function shutDown(running: Running, log: Log, signal: string): Promise<void> {
  log.info({ signal }, 'shutting down');
  setTimeout(() => {
    log.warn({}, 'what is still under way goes on after the next start');
    process.exit(0);
  }, shutdownLimit).unref();
  await running.stop();
  await logDestination.flushed(lastWords);
  process.exit(0);
}
