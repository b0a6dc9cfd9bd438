import { stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig, readEnvFile } from '../config/config.ts';
import { createHelper } from '../live-check/helper.ts';
import { type CheckedPlatform, liveCheck } from '../live-check/live-check.ts';

/** `npm run live:check -- discord CHANNEL`, or `slack CHANNEL`; exit status 1 where somebody has to do something. */

const usage =
  'usage: npm run live:check -- discord|slack CHANNEL [--with-me]; CHANNEL is the id of a channel of your own; --with-me also tries what takes a person, and tells you what to press or write';
/** The exit status of a program that was broken off. */
const brokenOff = 130;

function isPlatform(name: string | undefined): name is CheckedPlatform {
  return name === 'discord' || name === 'slack';
}

function given(): { platform: CheckedPlatform; channel: string; withMe: boolean } {
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

/** Ctrl-C ends the check in good order; the second one at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(brokenOff);
      stderr.write('\nCleaning up … (again: stop at once)\n');
      controller.abort(new Error('broken off'));
    });
  }
  return controller.signal;
}

try {
  readEnvFile();
  const { platform, channel, withMe } = given();
  const config = readConfig(process.env);
  const signal = interruption();
  const tell = (line: string) => stderr.write(`${line}\n`);
  const { text, needsOperator } = await liveCheck({
    platform,
    channel,
    config,
    helper: withMe ? createHelper((request) => tell(`→ ${request}`), signal) : undefined,
    signal,
    tell: ({ name, seen }) => tell(`  ${name}: ${seen.text}`),
    width: stdout.columns ?? 132,
  });
  stdout.write(`${text}\n`);
  process.exitCode = signal.aborted ? brokenOff : needsOperator ? 1 : 0;
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
