import type { ResponseVariants } from '../account/behavior.ts';
import { fileUrl } from '../files/result-files.ts';
import { ApiError } from '../http/api-error.ts';
import { type Call, type Dependencies, meter } from '../http/call.ts';
import { plainId, type Result, resultBody, shownId, stateBody } from '../http/response-variants.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';
import type { Task, TaskKind } from './tasks.ts';

/** GET /images/generations/{id}. */
export function imageStatus(dependencies: Dependencies, call: Call): Promise<void> {
  return status(dependencies, call, 'image');
}

/** GET /videos/{id}. */
export function videoStatus(dependencies: Dependencies, call: Call): Promise<void> {
  return status(dependencies, call, 'video');
}

/** A task's record, without id and result. */
export function taskRecord(shapes: ResponseVariants, task: Task, now: number): object {
  return {
    object: `${task.kind}.task`,
    created_at: Math.floor(task.createdAt / 1_000),
    ...task.details,
    ...stateBody(shapes, task, now),
    ...(task.error && { error: task.error }),
  };
}

async function status(dependencies: Dependencies, call: Call, kind: TaskKind): Promise<void> {
  const operation = `${kind}_status` as const;
  const task = call.account.tasks.get(kind, plainId(call.id));
  const faults = call.account.faults(operation);
  await beforeWork(dependencies, call, faults);
  await duringWork(dependencies, call, faults);
  const { shapes } = call.account.behavior;
  const result = await readResult(dependencies, call, task);
  const body = {
    id: shownId(shapes.ids, task.id),
    ...taskRecord(shapes, task, dependencies.clock.now()),
    ...(result && resultBody(shapes.result, kind, result)),
  };
  meter(dependencies, call, { operation, microcredits: 0 });
  await send(dependencies, call, json(body), faults);
}

async function readResult(dependencies: Dependencies, call: Call, task: Task): Promise<Result | undefined> {
  if (task.file === undefined) return undefined;
  const inside =
    task.details.response_format === 'b64_json' || call.account.behavior.shapes.result === 'data_url';
  if (!inside) return { url: fileUrl(call, task.file) };
  const file = await dependencies.files.find(task.file);
  if (!file || file === 'gone')
    throw new ApiError(410, 'The result of this task is gone.', { code: 'result_gone' });
  return {
    b64_json: (await dependencies.files.read(file)).toString('base64'),
    contentType: file.contentType,
  };
}
