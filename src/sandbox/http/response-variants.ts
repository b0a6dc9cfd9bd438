import type { KnownVoice } from '../../service-rules/voices.ts';
import type { ResponseVariants } from '../account/behavior.ts';
import type { Task, TaskKind, TaskState } from '../tasks/tasks.ts';
import { type Answer, json } from './call.ts';
import type { ApiError } from './parameters.ts';

/** How each variant of one kind of response is made. */
type Makers<Name extends keyof ResponseVariants, Given extends unknown[], Made> = Readonly<
  Record<ResponseVariants[Name], (...given: Given) => Made>
>;

/** The list of voices, by variant. */
export const voiceLists: Makers<'voices', [voices: readonly KnownVoice[]], unknown> = {
  data: (voices) => ({ object: 'list', data: records(voices) }),
  array: (voices) => records(voices),
  voices: (voices) => ({
    voices: voices.map(({ id, languages }) => ({ voice_id: id, lang: languages.join(',') })),
  }),
  strings: (voices) => voices.map(({ id }) => id),
  string_data: (voices) => ({ data: voices.map(({ id }) => id) }),
  nested: (voices) => ({
    code: 0,
    data: { voice_list: voices.map(({ id }) => ({ voice: id })), total: voices.length },
  }),
  numbered: (voices) => ({
    data: voices.map(({ id, languages }, index) => ({ id: index + 1, voice_id: id, languages })),
  }),
};

function records(voices: readonly KnownVoice[]) {
  return voices.map(({ id, languages }) => ({ id, object: 'voice', language: languages[0], languages }));
}

/** A result: a URL, or the file in base64. */
export type Result = { readonly url: string } | { readonly b64_json: string; readonly contentType: string };

/** The result in a task's record, by variant. */
export const resultBodies: Makers<'result', [result: Result, kind: TaskKind], object> = {
  data: (result) => ({ data: [item(result)] }),
  url: (result) => item(result),
  kind_url: (result, kind) => ({ [`${kind}_url`]: locationOf(result) }),
  output: (result) => ({ output: locationOf(result) }),
  output_list: (result) => ({ output: [locationOf(result)] }),
  result: (result) => ({ result: item(result) }),
  content: (result, kind) => ({ content: { [`${kind}_url`]: locationOf(result) } }),
  nested: (result, kind) => ({ data: { task_result: { [`${kind}s`]: [item(result)] } } }),
  data_url: (result) => ({ url: locationOf(result) }),
  with_cover: (result, kind) => ({
    outputs: [
      { type: 'cover_image', url: cover(result) },
      { type: kind, url: locationOf(result) },
    ],
  }),
  // An image has no cover.
  cover_as_url: (result, kind) => ({
    ...(kind === 'video' && { url: cover(result, 'cover') }),
    output: locationOf(result),
  }),
};

/** The response with an image, in a variant. */
export function imageBody(variant: ResponseVariants['image'], result: Result, now: number): unknown {
  const created = Math.floor(now / 1_000);
  if (variant === 'image_url') return { created, image_url: { url: locationOf(result) } };
  if (variant === 'images') return { created, images: [item(result)] };
  return { created, ...resultBodies[variant](result, 'image') };
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

/** A task's id, in a variant; {@link plainId} reverses it. */
export function shownId(variant: ResponseVariants['ids'], id: string): string {
  return variant === 'odd' ? `Task n° 7 / 100% of "it"? #任务 ${id} `.padEnd(256, '.') : id;
}

/** The plain id of a task, from any variant. */
export function plainId(shown: string): string {
  return /(?:image|video)_[0-9a-f]{24}/.exec(shown)?.[0] ?? shown;
}

/** The response that creates a task, by variant. */
export const createdBodies: Makers<'task', [id: string, record: object], unknown> = {
  id: (id, record) => ({ id, ...record }),
  data: (id, record) => ({ data: { id, ...record } }),
  task: (id, record) => ({ task: { id, ...record } }),
  result: (id) => ({ code: 0, message: 'ok', result: { id } }),
};

const stateWords: Readonly<Record<ResponseVariants['states'], Readonly<Record<TaskState, string>>>> = {
  plain: { queued: 'queued', processing: 'processing', succeeded: 'succeeded', failed: 'failed' },
  upper: { queued: 'PENDING', processing: 'RUNNING', succeeded: 'SUCCESS', failed: 'FAILURE' },
  dashed: { queued: 'in-queue', processing: 'in-progress', succeeded: 'completed', failed: 'error' },
  spaced: { queued: 'In Queue', processing: 'In Progress', succeeded: 'Done', failed: 'Failed' },
  other: { queued: 'submitted', processing: 'generating', succeeded: 'ready', failed: 'cancelled' },
  strange: { queued: 'percolating', processing: 'simmering', succeeded: 'served', failed: 'spilled' },
  unknown: { queued: 'percolating', processing: 'simmering', succeeded: 'succeeded', failed: 'failed' },
};

const progressBodies: Makers<'progress', [percent: number], object> = {
  percent: (percent) => ({ progress: percent }),
  fraction: (percent) => ({ progress: percent / 100 }),
  text: (percent) => ({ progress: `${percent}%` }),
  none: () => ({}),
};

/** The state and progress in a task's record. */
export function stateBody(variants: ResponseVariants, task: Task, now: number): object {
  const word = stateWords[variants.states][task.state];
  const field = variants.status_field;
  return {
    ...(field === 'nested' ? { task: { status: word } } : { [field]: word }),
    ...progressBodies[variants.progress](Math.floor(task.progress(now) * 100)),
  };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

/** An error response, by variant. */
export const errorAnswers: Makers<'errors', [error: ApiError], Answer> = {
  error: (error) => json({ error: error.body() }, error.status),
  flat: ({ code, message, status }) => json({ code, message }, status),
  detail: ({ message, status }) => json({ detail: message }, status),
  text: ({ message, status }) => ({ status, headers: plain, body: message }),
  html: ({ code, status }) => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: `<html><h1>${status}</h1>${code}</html>`,
  }),
  empty: ({ status }) => ({ status, headers: {}, body: '' }),
};

/** The header with a clip's content type, by variant. */
export const speechTypes: Makers<'speech_type', [contentType: string], Record<string, string>> = {
  right: (contentType) => ({ 'content-type': contentType }),
  missing: () => ({}),
  octet_stream: () => ({ 'content-type': 'application/octet-stream' }),
  wrong: () => plain,
};
