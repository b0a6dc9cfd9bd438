import type { KnownVoice } from '../../service-rules/voices.ts';
import type { Shapes } from '../switches.ts';
import type { Task, TaskKind, TaskState } from '../tasks/tasks.ts';
import type { ApiError } from './api-error.ts';
import { type Answer, json } from './send.ts';

/** The list of voices in one of its forms. */
export function voiceList(shape: Shapes['voices'], voices: readonly KnownVoice[]): unknown {
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

/** Where a result is: an address, or the file itself in base64. */
export type Result = { readonly url: string } | { readonly b64_json: string; readonly contentType: string };

/** A finished image of a synchronous request in one of its forms. */
export function imageBody(shape: Shapes['image'], result: Result, now: number): unknown {
  const created = Math.floor(now / 1_000);
  if (shape === 'image_url') return { created, image_url: { url: place(result) } };
  if (shape === 'images') return { created, images: [item(result)] };
  return { created, ...resultBody(shape === 'nested' ? 'nested' : shape, 'image', result) };
}

/** A finished result in the record of its task, in one of its forms. */
export function resultBody(shape: Shapes['result'], kind: TaskKind, result: Result): object {
  switch (shape) {
    case 'data':
      return { data: [item(result)] };
    case 'url':
      return item(result);
    case 'kind_url':
      return { [`${kind}_url`]: place(result) };
    case 'output':
      return { output: place(result) };
    case 'output_list':
      return { output: [place(result)] };
    case 'result':
      return { result: item(result) };
    case 'content':
      return { content: { [`${kind}_url`]: place(result) } };
    case 'nested':
      return { data: { task_result: { [`${kind}s`]: [item(result)] } } };
    case 'data_url':
      return { url: place(result) };
    case 'with_cover':
      return {
        outputs: [
          { type: 'cover_image', url: cover(result) },
          { type: kind, url: place(result) },
        ],
      };
    case 'cover_as_url':
      // An image has no cover.
      return { ...(kind === 'video' && { url: cover(result, 'cover') }), output: place(result) };
  }
}

/** The id of a task in one of its forms; {@link plainId} takes it back. */
export function shownId(shape: Shapes['ids'], id: string): string {
  return shape === 'odd' ? `Task n° 7 / 100% of "it"? #任务 ${id} `.padEnd(256, '.') : id;
}

/** The id of a task, whichever form it is given in. */
export function plainId(shown: string): string {
  return /(?:image|video)_[0-9a-f]{24}/.exec(shown)?.[0] ?? shown;
}

/** A task as the creation answers it, in one of its forms. */
export function createdBody(shapes: Shapes, record: object, taskId: string): unknown {
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

const stateWords: Record<Shapes['states'], Record<TaskState, string>> = {
  plain: { queued: 'queued', processing: 'processing', succeeded: 'succeeded', failed: 'failed' },
  upper: { queued: 'PENDING', processing: 'RUNNING', succeeded: 'SUCCESS', failed: 'FAILURE' },
  dashed: { queued: 'in-queue', processing: 'in-progress', succeeded: 'completed', failed: 'error' },
  spaced: { queued: 'In Queue', processing: 'In Progress', succeeded: 'Done', failed: 'Failed' },
  other: { queued: 'submitted', processing: 'generating', succeeded: 'ready', failed: 'cancelled' },
  strange: { queued: 'percolating', processing: 'simmering', succeeded: 'served', failed: 'spilled' },
  unknown: { queued: 'percolating', processing: 'simmering', succeeded: 'succeeded', failed: 'failed' },
};

/** The part of a task's record that tells how far it is. */
export function stateBody(shapes: Shapes, task: Task, now: number): object {
  const word = stateWords[shapes.states][task.state];
  const state =
    shapes.status_field === 'nested' ? { task: { status: word } } : { [shapes.status_field]: word };
  return { ...state, ...progressBody(shapes.progress, task.progress(now)) };
}

function progressBody(shape: Shapes['progress'], progress: number): object {
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

/** A refusal in one of its forms. */
export function errorAnswer(shape: Shapes['errors'], error: ApiError): Answer {
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

/** The headers that tell a clip's type, or do not. */
export function speechTypeHeaders(shape: Shapes['speech_type'], contentType: string): Record<string, string> {
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

function place(result: Result): string {
  return 'url' in result ? result.url : `data:${result.contentType};base64,${result.b64_json}`;
}

/** A picture of a result that is none itself; where the result is an address, one that leads nowhere. */
function cover(result: Result, name = 'cover.jpg'): string {
  if ('url' in result) return new URL(name, result.url).href;
  return 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
}
