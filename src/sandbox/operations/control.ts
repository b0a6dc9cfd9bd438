import type { Account } from '../account/account.ts';
import { readBehavior } from '../account/behavior.ts';
import { Meter } from '../account/meter.ts';
import { readFault } from '../faults/faults.ts';
import { type Call, json, write } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';

const maxPlanned = 1_000;
const maxAnswers = 100;

/** GET /sandbox/meter: the key's usage. */
export async function readMeter(call: Call): Promise<void> {
  write(call, json(call.account.meter.report()));
}

/** DELETE /sandbox/meter: resets the usage. */
export async function resetMeter(call: Call): Promise<void> {
  call.account.meter = new Meter();
  call.account.tasks.forgetMetered();
  write(call, json(call.account.meter.report()));
}

/** GET /sandbox/control: the key's behavior. */
export async function readControl(call: Call): Promise<void> {
  write(call, json(report(call.account)));
}

/** POST /sandbox/control: changes behavior, plans faults, sets the next chat answers; all, or nothing if a part is invalid. */
export async function changeControl(call: Call): Promise<void> {
  const { account, body } = call;
  const behavior = readBehavior(body, account.behavior, ['faults', 'answers']);
  const faults = body
    .list('faults', maxPlanned - account.planned.length)
    .map((given, index) => readFault(new Parameters(given, `faults[${index}]`)));
  const answers = body.list('answers', maxAnswers - account.answers.length).map((answer) => {
    if (typeof answer === 'string') return answer;
    throw body.invalid('answers', 'an array of strings');
  });
  account.behavior = behavior;
  account.planned.push(...faults);
  account.answers.push(...answers);
  write(call, json(report(account)));
}

/** DELETE /sandbox/control: resets the key's behavior. */
export async function resetControl(call: Call): Promise<void> {
  call.accounts.reset(call.account);
  write(call, json(report(call.account)));
}

function report({ behavior, planned, answers }: Account): object {
  const { renderTime, ...others } = behavior;
  return {
    object: 'sandbox.control',
    ...others,
    render_time: renderTime,
    // What is undefined isn't in JSON.
    faults: planned.map(({ kind, retryAfter, afterDeltas, ...one }) => ({
      do: kind,
      ...one,
      retry_after: retryAfter,
      after_deltas: afterDeltas,
    })),
    answers: answers.length,
  };
}
