import type { Account } from './account.ts';
import { readFault } from './faults.ts';
import type { Call, Dependencies } from './http/call.ts';
import type { Parameters } from './http/parameters.ts';
import { Parameters as Body } from './http/parameters.ts';
import { json, write } from './http/send.ts';
import { Meter } from './meter.ts';
import { readSwitches, refuseUnknown } from './switches.ts';

const maxPlanned = 1_000;
const maxAnswers = 100;

/** GET /sandbox/meter: what this key has used. */
export async function readMeter(_parts: Dependencies, call: Call): Promise<void> {
  write(call, json(call.account.meter.report()));
}

/** DELETE /sandbox/meter: begins again at nothing. */
export async function resetMeter(_parts: Dependencies, call: Call): Promise<void> {
  call.account.meter = new Meter();
  call.account.tasks.forgetMetered();
  write(call, json(call.account.meter.report()));
}

/** GET /sandbox/control: how the sandbox behaves for this key. */
export async function readControl(_parts: Dependencies, call: Call): Promise<void> {
  write(call, json(report(call.account)));
}

/** POST /sandbox/control: changes the switches given, plans faults, sets the next chat answers. */
export async function changeControl(_parts: Dependencies, call: Call): Promise<void> {
  applyControl(call.account, call.body);
  write(call, json(report(call.account)));
}

/** DELETE /sandbox/control: everything as it was at the start. */
export async function resetControl(dependencies: Dependencies, call: Call): Promise<void> {
  dependencies.accounts.reset(call.account);
  write(call, json(report(call.account)));
}

/** Changes all of it, or nothing where something in the body is wrong. */
function applyControl(account: Account, body: Parameters): void {
  refuseUnknown(body, ['faults', 'answers']);
  const switches = readSwitches(body, account.switches);
  const faults = readList(body, 'faults', maxPlanned - account.planned.length).map(readFault);
  const answers = readAnswers(body, maxAnswers - account.answers.length);
  account.switches = switches;
  account.planned.push(...faults);
  account.answers.push(...answers);
}

function readList(body: Parameters, name: string, max: number): Parameters[] {
  return body.list(name, max).map((one, index) => new Body(one, `${name}[${index}]`));
}

function readAnswers(body: Parameters, max: number): string[] {
  return body.list('answers', max).map((answer) => {
    if (typeof answer === 'string') return answer;
    throw body.invalid('answers', 'an array of strings');
  });
}

function report({ switches, planned, answers }: Account): object {
  const { renderTime, ...others } = switches;
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
