import type { KnownVoice } from '../../service-rules/voices.ts';
import type { ResponseVariants } from '../account/behavior.ts';
import type { Task, TaskKind, TaskState } from '../tasks/tasks.ts';
import type { ApiError } from './api-error.ts';
import { type Answer, json } from './send.ts';

/** The list of voices, in a variant. */
export function voiceList(shape: ResponseVariants['voices'], voices: readonly KnownVoice[]): unknown {
  const records = voices.map(({ id, languages }) => ({
    id,
    object: 'voice',
    language: languages[0],
    languages,
  }));
  const ids = voices.map(({ id }) => id);
  switch (shape) {
    case 'data':
      return { object: 'list', data: records };
    case 'array':
      return records;
    case 'voices':
      return { voices: voices.map(({ id, languages }) => ({ voice_id: id, lang: languages.join(',') })) };
    case 'strings':
      return ids;
    case 'string_data':
      return { data: ids };
    case 'nested':
      return { code: 0, data: { voice_list: voices.map(({ id }) => ({ voice: id })), total: voices.length } };
    case 'numbered':
      return { data: voices.map(({ id, languages }, index) => ({ id: index + 1, voice_id: id, languages })) };
  }
}

/** A result: a URL, or the file in base64. */
export type Result = { readonly url: string } | { readonly b64_json: string; readonly contentType: string };

/** The response with an image, in a variant. */
export function imageBody(shape: ResponseVariants['image'], result: Result, now: number): unknown {
  const created = Math.floor(now / 1_000);
  if (shape === 'image_url') return { created, image_url: { url: locationOf(result) } };
  if (shape === 'images') return { created, images: [item(result)] };
  return { created, ...resultBody(shape === 'nested' ? 'nested' : shape, 'image', result) };
}

/** The result in a task's record, in a variant. */
export function resultBody(shape: ResponseVariants['result'], kind: TaskKind, result: Result): object {
  switch (shape) {
    case 'data':
      return { data: [item(result)] };
    case 'url':
      return item(result);
    case 'kind_url':
      return { [`${kind}_url`]: locationOf(result) };
    case 'output':
      return { output: locationOf(result) };
    case 'output_list':
      return { output: [locationOf(result)] };
    case 'result':
      return { result: item(result) };
    case 'content':
      return { content: { [`${kind}_url`]: locationOf(result) } };
    case 'nested':
      return { data: { task_result: { [`${kind}s`]: [item(result)] } } };
    case 'data_url':
      return { url: locationOf(result) };
    case 'with_cover':
      return {
        outputs: [
          { type: 'cover_image', url: cover(result) },
          { type: kind, url: locationOf(result) },
        ],
      };
    case 'cover_as_url':
      // An image has no cover.
      return { ...(kind === 'video' && { url: cover(result, 'cover') }), output: locationOf(result) };
  }
}

/** A task's id, in a variant; {@link plainId} reverses it. */
export function shownId(shape: ResponseVariants['ids'], id: string): string {
  return shape === 'odd' ? `Task n° 7 / 100% of "it"? #任务 ${id} `.padEnd(256, '.') : id;
}

/** The plain id of a task, from any variant. */
export function plainId(shown: string): string {
  return /(?:image|video)_[0-9a-f]{24}/.exec(shown)?.[0] ?? shown;
}

/** The response that creates a task, in a variant. */
export function createdBody(shapes: ResponseVariants, record: object, taskId: string): unknown {
  const id = shownId(shapes.ids, taskId);
  switch (shapes.task) {
    case 'id':
      return { id, ...record };
    case 'data':
      return { data: { id, ...record } };
    case 'task':
      return { task: { id, ...record } };
    case 'result':
      return { code: 0, message: 'ok', result: { id } };
  }
}

const stateWords: Record<ResponseVariants['states'], Record<TaskState, string>> = {
  plain: { queued: 'queued', processing: 'processing', succeeded: 'succeeded', failed: 'failed' },
  upper: { queued: 'PENDING', processing: 'RUNNING', succeeded: 'SUCCESS', failed: 'FAILURE' },
  dashed: { queued: 'in-queue', processing: 'in-progress', succeeded: 'completed', failed: 'error' },
  spaced: { queued: 'In Queue', processing: 'In Progress', succeeded: 'Done', failed: 'Failed' },
  other: { queued: 'submitted', processing: 'generating', succeeded: 'ready', failed: 'cancelled' },
  strange: { queued: 'percolating', processing: 'simmering', succeeded: 'served', failed: 'spilled' },
  unknown: { queued: 'percolating', processing: 'simmering', succeeded: 'succeeded', failed: 'failed' },
};

/** The state and progress in a task's record. */
export function stateBody(shapes: ResponseVariants, task: Task, now: number): object {
  const word = stateWords[shapes.states][task.state];
  const state =
    shapes.status_field === 'nested' ? { task: { status: word } } : { [shapes.status_field]: word };
  return { ...state, ...progressBody(shapes.progress, task.progress(now)) };
}

function progressBody(shape: ResponseVariants['progress'], progress: number): object {
  const percent = Math.floor(progress * 100);
  switch (shape) {
    case 'percent':
      return { progress: percent };
    case 'fraction':
      return { progress: percent / 100 };
    case 'text':
      return { progress: `${percent}%` };
    case 'none':
      return {};
  }
}

/** An error response, in a variant. */
export function errorAnswer(shape: ResponseVariants['errors'], error: ApiError): Answer {
  const { message, code } = error;
  const { status } = error;
  switch (shape) {
    case 'error':
      return json({ error: error.body() }, status);
    case 'flat':
      return json({ code, message }, status);
    case 'detail':
      return json({ detail: message }, status);
    case 'text':
      return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: message };
    case 'html':
      return {
        status,
        headers: { 'content-type': 'text/html' },
        body: `<html><h1>${status}</h1>${code}</html>`,
      };
    case 'empty':
      return { status, headers: {}, body: '' };
  }
}

/** A clip's content type header, in a variant. */
export function speechTypeHeaders(
  shape: ResponseVariants['speech_type'],
  contentType: string,
): Record<string, string> {
  switch (shape) {
    case 'right':
      return { 'content-type': contentType };
    case 'missing':
      return {};
    case 'octet_stream':
      return { 'content-type': 'application/octet-stream' };
    case 'wrong':
      return { 'content-type': 'text/plain; charset=utf-8' };
  }
}

function item(result: Result): object {
  return 'url' in result ? { url: result.url } : { b64_json: result.b64_json };
}

function locationOf(result: Result): string {
  return 'url' in result ? result.url : `data:${result.contentType};base64,${result.b64_json}`;
}

/** A cover image for a result; its URL doesn't exist. */
function cover(result: Result, name = 'cover.jpg'): string {
  if ('url' in result) return new URL(name, result.url).href;
  return 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
}
