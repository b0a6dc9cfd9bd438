import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, readEnvFile } from './config/config.ts';
import {
  createLog,
  exitOnUncaught,
  ListenError,
  LogDestination,
  standardOutput,
  stopSignals,
} from './ops/index.ts';
import { VaultError } from './secrets/vault.ts';
import { run } from './start/run.ts';
import { DatabaseError } from './store/index.ts';

/** The last lines of the log have so long to arrive, in milliseconds. */
const lastWords = 500;

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
  exitOnUncaught(log, (milliseconds) => logDestination.flushed(milliseconds));
  // Before anything is started: what is cut off in the middle of a paid request may have been paid for.
  const stopping = stopSignals(log);
  const running = await run(config, log, stopping);
  if (!stopping.aborted) {
    // Elsewhere stdout is for JSON lines alone; the one that says ready has the address.
    if (process.stdout.isTTY) process.stdout.write(`${running.welcome}\n`);
    await once(stopping, 'abort');
  }
  await running.stop();
  await logDestination.flushed(lastWords);
  process.exit(0);
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
