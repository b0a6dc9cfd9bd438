import { stderr, stdout } from 'node:process';
import { ConfigError, readEnvFile } from '../config/config.ts';

/** Runs a script and prints its result; invalid settings or arguments, and what the system refuses, end it with one line each. */
export async function script(work: () => string | Promise<string>): Promise<void> {
  try {
    readEnvFile();
    stdout.write(`${await work()}\n`);
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error;
    if (!(error instanceof ConfigError || isOfSystem)) throw error;
    stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
