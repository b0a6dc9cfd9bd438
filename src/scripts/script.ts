import { stderr, stdout } from 'node:process';
import { ConfigError, readEnvFile } from '../config/config.ts';

/** Runs a script and prints its result; invalid settings or arguments end it with one line each. */
export async function script(work: () => string | Promise<string>): Promise<void> {
  try {
    readEnvFile();
    stdout.write(`${await work()}\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
