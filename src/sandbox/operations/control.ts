import type { Account } from '../account/account.ts';
import { readBehavior, refuseUnknown } from '../account/behavior.ts';
import { Meter } from '../account/meter.ts';
import { readFault } from '../faults/faults.ts';
import type { Call, Dependencies } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { json, write } from '../http/send.ts';

const maxPlanned = 1_000;
const maxAnswers = 100;

/** GET /sandbox/meter: the key's usage. */
export async function readMeter(_dependencies: Dependencies, call: Call): Promise<void> {
  write(call, json(call.account.meter.report()));
}

/** DELETE /sandbox/meter: resets the usage. */
export async function resetMeter(_dependencies: Dependencies, call: Call): Promise<void> {
  call.account.meter = new Meter();
  call.account.tasks.forgetMetered();
  write(call, json(call.account.meter.report()));
}

/** GET /sandbox/control: the key's behavior. */
export async function readControl(_dependencies: Dependencies, call: Call): Promise<void> {
  write(call, json(report(call.account)));
}

/** POST /sandbox/control: changes behavior, plans faults, sets the next chat answers. */
export async function changeControl(_dependencies: Dependencies, call: Call): Promise<void> {
  applyControl(call.account, call.body);
  write(call, json(report(call.account)));
}

/** DELETE /sandbox/control: resets the key's behavior. */
export async function resetControl(dependencies: Dependencies, call: Call): Promise<void> {
  dependencies.accounts.reset(call.account);
  write(call, json(report(call.account)));
}

/** Applies the whole body, or nothing if something in it is invalid. */
function applyControl(account: Account, body: Parameters): void {
  refuseUnknown(body, ['faults', 'answers']);
  const behavior = readBehavior(body, account.behavior);
  const faults = readList(body, 'faults', maxPlanned - account.planned.length).map(readFault);
  const answers = readAnswers(body, maxAnswers - account.answers.length);
  account.behavior = behavior;
  account.planned.push(...faults);
  account.answers.push(...answers);
}

function readList(body: Parameters, name: string, max: number): Parameters[] {
  return body.list(name, max).map((one, index) => new Parameters(one, `${name}[${index}]`));
}

function readAnswers(body: Parameters, max: number): string[] {
  return body.list('answers', max).map((answer) => {
    if (typeof answer === 'string') return answer;
    throw body.invalid('answers', 'an array of strings');
  });
}

function report({ behavior, planned, answers }: Account): object {
  const { renderTime, ...others } = behavior;
  return {
    object: 'sandbox.control',
    ...others,
    render_time: renderTime,
    faults: planned.map(({ kind, retryAfter, afterDeltas, ...one }) => ({
      do: kind,
      ...one,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
      ...(afterDeltas !== undefined && { after_deltas: afterDeltas }),
    })),
    answers: answers.length,
  };
}
