import { type RateGroup, ratesPerMinute } from '../service-rules/limits.ts';
import type { Parameters } from './http/parameters.ts';

/** Oddities a streamed answer can have; any number of them at once. */
export const streamShapes = [
  'crlf',
  'one_byte',
  'comments',
  'multiline',
  'event_names',
  'no_space',
  'null_content',
  'empty_deltas',
  'reasoning',
  'huge_event',
  'usage_with_finish',
  'no_usage',
  'no_role',
  'no_done',
  'no_finish',
  'error_in_choice',
  'plain_json',
  'gzip',
] as const;
export type StreamShape = (typeof streamShapes)[number];

/** Every other place where the description says "not shown", with the forms the sandbox can give it, the usual one first. */
export const shapeChoices = {
  voices: ['data', 'array', 'voices', 'strings', 'string_data', 'nested', 'numbered'],
  image: ['data', 'url', 'image_url', 'images', 'output', 'result', 'data_url', 'nested'],
  task: ['id', 'data', 'task', 'result'],
  ids: ['plain', 'odd'],
  status_field: ['status', 'state', 'task_status', 'nested'],
  states: ['plain', 'upper', 'dashed', 'spaced', 'other', 'unknown', 'strange'],
  progress: ['percent', 'fraction', 'text', 'none'],
  result: [
    'data',
    'url',
    'kind_url',
    'output',
    'output_list',
    'result',
    'content',
    'nested',
    'data_url',
    'with_cover',
    'cover_as_url',
  ],
  errors: ['error', 'flat', 'detail', 'text', 'html', 'empty'],
  speech_type: ['right', 'missing', 'octet_stream', 'wrong'],
  speech: ['as_asked', 'wav', 'mp3', 'vorbis'],
} as const;
export type ShapeName = keyof typeof shapeChoices;
export type Shapes = { readonly [Name in ShapeName]: (typeof shapeChoices)[Name][number] };

/** How the sandbox behaves for one key. */
export interface Switches {
  /** `human`, `instant`, or how many times as fast as a human reads. */
  readonly pace: 'human' | 'instant' | number;
  /** How long image and video tasks pretend to take: 1 as usual, 0 no longer than the media itself. */
  readonly renderTime: number;
  /** Requests per minute by group; `off` for no limits. */
  readonly limits: Readonly<Record<RateGroup, number>> | 'off';
  /** Credits on the account; `unlimited` never runs out. */
  readonly credits: number | 'unlimited';
  readonly stream: readonly StreamShape[];
  readonly shapes: Shapes;
}

const usualShapes: Shapes = {
  voices: 'data',
  image: 'data',
  task: 'id',
  ids: 'plain',
  status_field: 'status',
  states: 'plain',
  progress: 'percent',
  result: 'data',
  errors: 'error',
  speech_type: 'right',
  speech: 'as_asked',
};

/** The behaviour of the description, at a human pace. */
export const usualSwitches: Switches = {
  pace: 'human',
  renderTime: 1,
  limits: ratesPerMinute,
  credits: 'unlimited',
  stream: [],
  shapes: usualShapes,
};

const switchNames = ['pace', 'render_time', 'limits', 'credits', 'stream', 'shapes'] as const;

/** The switches with those of a JSON body changed. Unknown names are refused: a typing error would go unseen. */
export function readSwitches(body: Parameters, current: Switches): Switches {
  return {
    pace: body.has('pace') ? readPace(body) : current.pace,
    renderTime: body.number('render_time', { min: 0, max: 100 }, current.renderTime),
    limits: body.has('limits') ? readLimits(body, current.limits) : current.limits,
    credits: body.has('credits') ? readCredits(body) : current.credits,
    stream: body.has('stream') ? readStream(body) : current.stream,
    shapes: body.has('shapes') ? readShapes(body, current.shapes) : current.shapes,
  };
}

/** Refuses parameters that are neither switches nor in `others`. */
export function refuseUnknown(body: Parameters, others: readonly string[]): void {
  const known: readonly string[] = [...switchNames, ...others];
  for (const name of body.names()) if (!known.includes(name)) throw body.invalid(name, known.join(', '));
}

function readPace(body: Parameters): Switches['pace'] {
  const pace = body.raw('pace');
  if (pace === 'human' || pace === 'instant') return pace;
  if (typeof pace === 'number' && pace >= 0.01 && pace <= 1_000) return pace;
  throw body.invalid('pace', 'human, instant, or a number from 0.01 to 1000 (times as fast as human)');
}

function readLimits(body: Parameters, current: Switches['limits']): Switches['limits'] {
  if (body.raw('limits') === 'off') return 'off';
  const given = body.inner('limits');
  const limits: Record<RateGroup, number> = { ...(current === 'off' ? ratesPerMinute : current) };
  for (const name of given?.names() ?? []) {
    if (!isGroup(name)) throw body.invalid('limits', `off, or numbers by ${Object.keys(limits).join(', ')}`);
    limits[name] = given?.integer(name, { min: 1, max: 1_000_000 }) ?? limits[name];
  }
  return limits;
}

function isGroup(name: string): name is RateGroup {
  return Object.hasOwn(ratesPerMinute, name);
}

function readCredits(body: Parameters): Switches['credits'] {
  return body.raw('credits') === 'unlimited' ? 'unlimited' : body.number('credits', { min: 0 });
}

function readStream(body: Parameters): StreamShape[] {
  return body.list('stream', streamShapes.length).map((given) => {
    const found = streamShapes.find((shape) => shape === given);
    if (!found) throw body.invalid('stream', `an array of ${streamShapes.join(', ')}`);
    return found;
  });
}

function readShapes(body: Parameters, current: Shapes): Shapes {
  const given = body.inner('shapes');
  const names = Object.keys(shapeChoices);
  for (const name of given?.names() ?? [])
    if (!names.includes(name)) throw body.invalid('shapes', `an object of ${names.join(', ')}`);
  const read = <Choice extends string>(name: ShapeName, choices: readonly Choice[], now: Choice): Choice =>
    given?.choice(name, choices, now) ?? now;
  return {
    voices: read('voices', shapeChoices.voices, current.voices),
    image: read('image', shapeChoices.image, current.image),
    task: read('task', shapeChoices.task, current.task),
    ids: read('ids', shapeChoices.ids, current.ids),
    status_field: read('status_field', shapeChoices.status_field, current.status_field),
    states: read('states', shapeChoices.states, current.states),
    progress: read('progress', shapeChoices.progress, current.progress),
    result: read('result', shapeChoices.result, current.result),
    errors: read('errors', shapeChoices.errors, current.errors),
    speech_type: read('speech_type', shapeChoices.speech_type, current.speech_type),
    speech: read('speech', shapeChoices.speech, current.speech),
  };
}
