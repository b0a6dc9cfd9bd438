import { fileUrl } from '../files/result-files.ts';
import { plainId, type Result, resultBody, shownId, stateBody } from '../http/answer-shapes.ts';
import { ApiError } from '../http/api-error.ts';
import { type Call, meter, type Parts } from '../http/call.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';
import type { Shapes } from '../switches.ts';
import type { Task, TaskKind } from './tasks.ts';

/** GET /images/generations/{id}. */
export function imageStatus(parts: Parts, call: Call): Promise<void> {
  return status(parts, call, 'image');
}

/** GET /videos/{id}. */
export function videoStatus(parts: Parts, call: Call): Promise<void> {
  return status(parts, call, 'video');
}

/** A task's record without its id and its result. */
export function taskRecord(shapes: Shapes, task: Task, now: number): object {
  return {
    object: `${task.kind}.task`,
    created_at: Math.floor(task.createdAt / 1_000),
    ...task.details,
    ...stateBody(shapes, task, now),
    ...(task.error && { error: task.error }),
  };
}

async function status(parts: Parts, call: Call, kind: TaskKind): Promise<void> {
  const operation = `${kind}_status` as const;
  const task = call.account.tasks.get(kind, plainId(call.id));
  const faults = call.account.faults(operation);
  await beforeWork(parts, call, faults);
  await duringWork(parts, call, faults);
  const { shapes } = call.account.switches;
  const result = await readResult(parts, call, task);
  const body = {
    id: shownId(shapes.ids, task.id),
    ...taskRecord(shapes, task, parts.clock.now()),
    ...(result && resultBody(shapes.result, kind, result)),
  };
  meter(parts, call, { operation, microcredits: 0 });
  await send(parts, call, json(body), faults);
}

async function readResult(parts: Parts, call: Call, task: Task): Promise<Result | undefined> {
  if (task.file === undefined) return undefined;
  const inside =
    task.details.response_format === 'b64_json' || call.account.switches.shapes.result === 'data_url';
  if (!inside) return { url: fileUrl(call, task.file) };
  const file = await parts.files.find(task.file);
  if (!file || file === 'gone')
    throw new ApiError(410, 'The result of this task is gone.', { code: 'result_gone' });
  return { b64_json: (await parts.files.read(file)).toString('base64'), contentType: file.contentType };
}
