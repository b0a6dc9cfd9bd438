import { stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig, readEnvFile } from '../config/config.ts';
import { createHelper } from '../live-check/helper.ts';
import { type CheckedPlatform, liveCheck } from '../live-check/live-check.ts';

/**
 * `npm run live:check -- discord CHANNEL`, or `slack CHANNEL`; exit status 1 if the operator has to fix something.
 */

const usage =
  'usage: npm run live:check -- discord|slack CHANNEL [--with-me]; CHANNEL is the id of a channel of your own; --with-me also tries what only a person can do, and asks you to press or write something';
/** The exit status of an interrupted program. */
const interrupted = 130;

function isPlatform(name: string | undefined): name is CheckedPlatform {
  return name === 'discord' || name === 'slack';
}

function parseCommandLine(): { platform: CheckedPlatform; channel: string; withMe: boolean } {
  const { values, positionals } = parse();
  const [platform, channel] = positionals;
  if (!isPlatform(platform) || channel === undefined || positionals.length > 2)
    throw new ConfigError([usage]);
  const isId = platform === 'discord' ? /^\d{15,20}$/ : /^[CG][A-Z0-9]{5,}$/;
  if (!isId.test(channel)) throw new ConfigError([`${channel} is not the id of a channel; ${usage}`]);
  return { platform, channel, withMe: values['with-me'] ?? false };
}

function parse() {
  try {
    return parseArgs({ options: { 'with-me': { type: 'boolean' } }, allowPositionals: true });
  } catch {
    throw new ConfigError([usage]);
  }
}

/** Aborted by Ctrl-C, which ends the check cleanly; a second one ends it at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(interrupted);
      stderr.write('\nCleaning up … (again: stop at once)\n');
      controller.abort(new Error('interrupted'));
    });
  }
  return controller.signal;
}

try {
  readEnvFile();
  const { platform, channel, withMe } = parseCommandLine();
  const config = readConfig(process.env);
  const signal = interruptSignal();
  const print = (line: string) => stderr.write(`${line}\n`);
  const { text, needsOperator } = await liveCheck({
    platform,
    channel,
    config,
    helper: withMe ? createHelper((request) => print(`→ ${request}`), signal) : undefined,
    signal,
    onRow: ({ name, result }) => print(`  ${name}: ${result.text}`),
    width: stdout.columns ?? 132,
  });
  stdout.write(`${text}\n`);
  process.exitCode = signal.aborted ? interrupted : needsOperator ? 1 : 0;
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
