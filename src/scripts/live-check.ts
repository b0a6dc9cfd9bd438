import { stderr, stdout } from 'node:process';
import { readConfig } from '../config/config.ts';
import { commandLine, listSteps, liveCheck } from '../live-check/live-check.ts';
import { createHelper } from '../live-check/run-steps.ts';
import { script } from './script.ts';

/** The exit status of an interrupted program. */
const interrupted = 130;
const print = (line: string) => stderr.write(`${line}\n`);

/** Aborted by Ctrl-C, which ends the check cleanly; a second one ends it at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(interrupted);
      print('\nCleaning up… (again: stop at once)');
      controller.abort(new Error('interrupted'));
    });
  }
  return controller.signal;
}

/** `npm run live:check -- discord CHANNEL`, or `slack CHANNEL`; exit status 1 if the operator has to fix something. */
await script(async () => {
  const { platform, channel, withMe } = commandLine(process.argv.slice(2));
  const width = stdout.columns ?? 132;
  if (channel === undefined) return listSteps(platform, width);
  const signal = interruptSignal();
  const { text, needsOperator } = await liveCheck({
    ...{ platform, channel, width, signal },
    config: readConfig(process.env),
    helper: withMe ? createHelper((request) => print(`→ ${request}`), signal) : undefined,
    onRow: ({ name, seen }) => print(`  ${name}: ${seen.text}`),
  });
  process.exitCode = signal.aborted ? interrupted : needsOperator ? 1 : 0;
  return text;
});
