import { type RateGroup, ratesPerMinute } from '../../service-rules/limits.ts';
import { Parameters } from '../http/parameters.ts';

/** Variants of streamed answers, in any combination. */
export const streamVariants = [
  'crlf',
  /** A byte a packet. */
  'one_byte',
  'comments',
  'multiline',
  'event_names',
  'no_space',
  'null_content',
  'empty_deltas',
  'reasoning',
  /** 1 MB. */
  'huge_event',
  'usage_with_finish',
  'no_usage',
  'no_role',
  'no_done',
  'no_finish',
  /** With `finish_reason` `error`. */
  'error_in_choice',
  /** No stream. */
  'plain_json',
  'gzip',
] as const;
export type StreamVariant = (typeof streamVariants)[number];

/** Variants of responses that the description doesn't specify, the default first. */
export const variantChoices = {
  /** `numbered` has a number as `id` next to `voice_id`. */
  voices: ['data', 'array', 'voices', 'strings', 'string_data', 'nested', 'numbered'],
  image: ['data', 'url', 'image_url', 'images', 'output', 'result', 'data_url', 'nested'],
  /** The place of its id. */
  task: ['id', 'data', 'task', 'result'],
  /** `odd` ones have 256 characters with spaces, slashes, Chinese. */
  ids: ['plain', 'odd'],
  status_field: ['status', 'state', 'task_status', 'nested'],
  /** `unknown` ones until it’s over, `strange` ones to the end. */
  states: ['plain', 'upper', 'dashed', 'spaced', 'other', 'unknown', 'strange'],
  progress: ['percent', 'fraction', 'text', 'none'],
  /** `with_cover` has the cover first in the list, `cover_as_url` the result as `output`. */
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
  /** The content type. */
  speech_type: ['right', 'missing', 'octet_stream', 'wrong'],
  /** The format, whatever was requested; `vorbis` is in Ogg, always the same recorded words. */
  speech: ['as_asked', 'wav', 'mp3', 'vorbis'],
} as const;
type VariantName = keyof typeof variantChoices;
export type ResponseVariants = { readonly [Name in VariantName]: (typeof variantChoices)[Name][number] };

/** The sandbox's behavior for one key. */
export interface Behavior {
  /** Speed of chat: `human` (reading speed), `instant`, or a multiple of reading speed. */
  readonly pace: 'human' | 'instant' | number;
  /** Factor of the simulated time of images and videos; 0 adds no time to the real rendering. */
  readonly renderTime: number;
  /** Requests per minute by group; `off` for no limits. */
  readonly limits: Readonly<Record<RateGroup, number>> | 'off';
  /** Credits on the account; `unlimited` never runs out. */
  readonly credits: number | 'unlimited';
  readonly stream: readonly StreamVariant[];
  readonly shapes: ResponseVariants;
}

/** The default behavior: as described, at reading speed. */
export const defaultBehavior: Behavior = {
  pace: 'human',
  renderTime: 1,
  limits: ratesPerMinute,
  credits: 'unlimited',
  stream: [],
  shapes: readShapes(new Parameters({})),
};

const settingNames = ['pace', 'render_time', 'limits', 'credits', 'stream', 'shapes'];

/** Applies the settings in a JSON body to the current ones; it may have `others`, and nothing else: no typos. */
export function readBehavior(body: Parameters, current: Behavior, others: readonly string[] = []): Behavior {
  const known = [...settingNames, ...others];
  for (const name of body.names()) if (!known.includes(name)) throw body.invalid(name, known.join(', '));
  return {
    pace: body.has('pace') ? readPace(body) : current.pace,
    renderTime: body.number('render_time', { min: 0, max: 100 }, current.renderTime),
    limits: body.has('limits') ? readLimits(body, current.limits) : current.limits,
    credits: body.has('credits') ? readCredits(body) : current.credits,
    stream: body.has('stream') ? readStream(body) : current.stream,
    shapes: body.has('shapes') ? readShapes(body, current.shapes) : current.shapes,
  };
}

function readPace(body: Parameters): Behavior['pace'] {
  const pace = body.raw('pace');
  if (pace === 'human' || pace === 'instant') return pace;
  if (typeof pace === 'number' && pace >= 0.01 && pace <= 1_000) return pace;
  throw body.invalid('pace', 'human, instant, or a number from 0.01 to 1000 (times as fast as human)');
}

function readLimits(body: Parameters, current: Behavior['limits']): Behavior['limits'] {
  if (body.raw('limits') === 'off') return 'off';
  const given = body.inner('limits');
  const limits: Record<RateGroup, number> = { ...(current === 'off' ? ratesPerMinute : current) };
  const unknown = given.names().some((name) => !Object.hasOwn(limits, name));
  if (unknown) throw body.invalid('limits', `off, or numbers by ${Object.keys(limits).join(', ')}`);
  let group: RateGroup;
  for (group in limits) limits[group] = given.integer(group, { min: 1, max: 1_000_000 }, limits[group]);
  return limits;
}

function readCredits(body: Parameters): Behavior['credits'] {
  return body.raw('credits') === 'unlimited' ? 'unlimited' : body.number('credits', { min: 0 });
}

function readStream(body: Parameters): StreamVariant[] {
  return body.list('stream', streamVariants.length).map((given) => {
    const found = streamVariants.find((variant) => variant === given);
    if (!found) throw body.invalid('stream', `an array of ${streamVariants.join(', ')}`);
    return found;
  });
}

/** Without current ones, the defaults. */
function readShapes(body: Parameters, current?: ResponseVariants): ResponseVariants {
  const given = body.inner('shapes');
  const isUnknown = given.names().some((name) => !Object.hasOwn(variantChoices, name));
  if (isUnknown) throw body.invalid('shapes', `an object of ${Object.keys(variantChoices).join(', ')}`);
  const shapes = Object.entries<readonly string[]>(variantChoices).map(([name, choices]) => [
    name,
    given.choice(name, choices, current?.[name as VariantName] ?? choices[0]),
  ]);
  return Object.fromEntries(shapes) as ResponseVariants;
}
