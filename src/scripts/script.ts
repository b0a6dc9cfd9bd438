import { stderr, stdout } from 'node:process';
import { ConfigError, readEnvFile } from '../config/config.ts';

/** Does what a script is for and prints what it gives; wrong settings or arguments end it with a line each. */
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
