import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { chatChecks } from './chat-checks.ts';
import { type Check, type CheckKind, fail, type Outcome } from './check.ts';
import { freeChecks } from './free-checks.ts';
import { limitChecks } from './limit-checks.ts';
import { mediaRefusals } from './media-refusals.ts';
import { type Address, CheckedService } from './service.ts';
import { speechChecks } from './speech-checks.ts';
import { taskChecks } from './task-checks.ts';

/** Every check, the free ones first, the dearest last. */
export const checks: readonly Check[] = [
  ...freeChecks,
  ...mediaRefusals,
  ...chatChecks,
  ...speechChecks,
  ...taskChecks,
  ...limitChecks,
];

/** How often each result came. */
export type Counts = Record<Outcome['result'] | 'skipped', number>;

/** Runs the checks of the kinds given one after another, and prints a line for each and a count. */
export async function run(
  address: Address,
  kinds: readonly CheckKind[],
  print: (line: string) => void,
  clock: Clock = systemClock,
): Promise<Counts> {
  const service = new CheckedService(address, clock, (note) => print(`         ${note}`));
  const counts: Counts = { pass: 0, differs: 0, fail: 0, skipped: 0 };
  for (const check of checks) {
    if (!kinds.includes(check.kind)) {
      counts.skipped += 1;
      continue;
    }
    const outcome = await outcomeOf(check, service);
    counts[outcome.result] += 1;
    print(
      `${outcome.result.padEnd(8)} section ${check.section}: ${check.says}${outcome.why ? ` — ${outcome.why}` : ''}`,
    );
  }
  print('');
  print(`${counts.pass} pass, ${counts.differs} differ, ${counts.fail} fail, ${counts.skipped} skipped`);
  return counts;
}

async function outcomeOf(check: Check, service: CheckedService): Promise<Outcome> {
  try {
    return await check.run(service);
  } catch (error) {
    return fail(`no answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}
