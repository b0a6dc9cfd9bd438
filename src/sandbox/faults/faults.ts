import { z } from 'zod';
import { operations } from '../account/meter.ts';
import { ApiError, type NumberRange, type Parameters } from '../http/parameters.ts';

/**
 * When a fault applies: `before` the work; `during` the answer or task; `after` the work is done and charged,
 * so only the response is lost.
 */
export const faultTimes = ['before', 'during', 'after'] as const;
export type FaultTime = (typeof faultTimes)[number];

/** Kinds of simulated failures. */
export const faultKinds = ['error', 'cut', 'stall', 'end', 'delay', 'length', 'filter', 'gone'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** When a kind applies unless it's said; of the others, `before` the work. */
const usualTimes: Partial<Record<FaultKind, FaultTime>> = { end: 'during', length: 'during', gone: 'after' };

/** One simulated failure of a request. */
export const faultSchema = z.object({
  kind: z.enum(faultKinds),
  when: z.enum(faultTimes),
  /** HTTP status of an error. */
  status: z.number(),
  /** The `Retry-After` header, sent as given: seconds, a date, or anything else. */
  retryAfter: z.string().exactOptional(),
  /** Duration of a delay. */
  seconds: z.number(),
  /** Deltas of a streamed answer that are sent first; by default half of them, at most 30. */
  afterDeltas: z.number().exactOptional(),
});
export type Fault = Readonly<z.output<typeof faultSchema>>;

/** Operations that can fail: the metered ones, and downloading a result file. */
const faultyOperations = [...operations, 'file'] as const;
export type FaultyOperation = (typeof faultyOperations)[number];

/** A fault planned for the next requests of one operation. */
export interface PlannedFault extends Fault {
  readonly operation: FaultyOperation;
  times: number;
}

/** Allowed HTTP statuses of a fault. */
const faultStatus = { min: 400, max: 599 };
/** Allowed delays, in seconds. */
const faultSeconds = { min: 0, max: 600 };
/** Allowed repetitions of a planned fault. */
const faultCount: NumberRange = { min: 1, max: 1_000 };

/** Creates a fault with its kind's defaults. */
function fault(kind: FaultKind, details: Partial<Fault> = {}): Fault {
  return { when: usualTimes[kind] ?? 'before', status: 500, seconds: 5, ...details, kind };
}

/** Validates one fault in the body of the control endpoint. */
export function readFault(body: Parameters): PlannedFault {
  const kind = body.choice('do', faultKinds);
  const usual = fault(kind);
  const when = body.choice('when', faultTimes, usual.when);
  if ((kind === 'end' || kind === 'length') && when !== 'during')
    throw body.invalid('when', `during, if 'do' is ${kind}`);
  return {
    kind,
    when,
    operation: body.choice('operation', faultyOperations),
    times: body.integer('times', faultCount, 1),
    status: body.integer('status', faultStatus, usual.status),
    seconds: body.number('seconds', faultSeconds, usual.seconds),
    ...(body.has('retry_after') && { retryAfter: readRetryAfter(body) }),
    ...(body.has('after_deltas') && { afterDeltas: body.integer('after_deltas', { min: 0 }) }),
  };
}

function readRetryAfter(body: Parameters): string {
  const value = body.raw('retry_after');
  const header = typeof value === 'number' ? String(value) : value;
  if (typeof header === 'string' && /^[\x20-\x7e]{0,100}$/.test(header)) return header;
  throw body.invalid('retry_after', 'a number, or at most 100 printable ASCII characters');
}

/** Takes the planned fault for one request of an operation; removes it when its `times` are used up. */
export function takeFaults(planned: PlannedFault[], operation: FaultyOperation): Fault[] {
  const first = planned.find((one) => one.operation === operation);
  if (!first) return [];
  first.times -= 1;
  if (first.times <= 0) planned.splice(planned.indexOf(first), 1);
  return [first];
}

/** The error response of an `error` fault. */
export function faultError({ status, retryAfter = status === 429 ? '5' : undefined }: Fault): ApiError {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return new ApiError(status, `The sandbox was asked to answer with HTTP ${status}.`, { headers });
}

/** A prompt directive: words in double square brackets that make a request fail. */
interface Directive {
  readonly words: string;
  /** Its optional number. */
  readonly argument?: 'status' | 'seconds';
  readonly fault: (argument: number | undefined) => Fault;
  readonly help: { readonly en: string; readonly zh: string };
}

const directive = (words: string, failure: Fault, en: string, zh: string): Directive => ({
  words,
  fault: () => failure,
  help: { en, zh },
});

/** All directives, with their help texts. */
export const directives: readonly Directive[] = [
  {
    words: 'fail',
    argument: 'status',
    fault: (status = 500) => fault('error', { status }),
    help: { en: 'fails with HTTP 500, or the given status', zh: '返回 HTTP 500（或指定的状态码）' },
  },
  {
    words: 'rate limit',
    argument: 'seconds',
    fault: (seconds = 5) => fault('error', { status: 429, retryAfter: String(seconds) }),
    help: { en: 'fails with 429 and Retry-After', zh: '返回 429 和 Retry-After' },
  },
  directive(
    'out of credits',
    fault('error', { status: 402 }),
    'fails with 402: no credits left',
    '返回 402：积分不足',
  ),
  directive(
    'error',
    fault('error', { when: 'during' }),
    'an error in the middle of the answer; a task fails while running',
    '回答到一半时出错；任务在运行中失败',
  ),
  directive(
    'break off',
    fault('cut', { when: 'during' }),
    'the connection is lost in the middle of the answer',
    '回答到一半时连接中断',
  ),
  directive(
    'end early',
    fault('end'),
    'the answer ends in the middle without a reason',
    '回答在中途结束，没有任何说明',
  ),
  directive(
    'stall',
    fault('stall', { when: 'during' }),
    'the answer stalls in the middle; a task never finishes',
    '回答到一半时停住；任务永远不会完成',
  ),
  {
    words: 'slow',
    argument: 'seconds',
    fault: (seconds = 10) => fault('delay', { when: 'during', afterDeltas: 0, seconds }),
    help: { en: 'waits 10 seconds first, or the given number', zh: '先等待 10 秒（或指定的秒数）' },
  },
  directive(
    'lost',
    fault('cut', { when: 'after' }),
    'does and charges the work, then drops the connection',
    '完成并计费，但连接中断，收不到回答',
  ),
  directive('length', fault('length'), 'stops at the length limit', '到达长度上限时停止'),
  directive('filter', fault('filter'), 'is refused by the content filter', '被内容过滤器拒绝'),
  directive(
    'gone',
    fault('gone'),
    'the image or video finishes, but its file is gone',
    '图片或视频已完成，但文件已不存在',
  ),
];

/** A prompt without its directives. */
export interface ReadPrompt {
  readonly text: string;
  /** The directives as written, each with its fault and whether it applies only once. */
  readonly found: readonly { readonly words: string; readonly once: boolean; readonly fault: Fault }[];
}

/**
 * Finds directives such as `[[stall]]`, `[[fail 503]]` or `[[fail 503 once]]` in a prompt. Other text in
 * brackets stays.
 */
export function readDirectives(prompt: string): ReadPrompt {
  const found: ReadPrompt['found'][number][] = [];
  const text = prompt.replace(/\[\[([^[\]\n]{1,60})\]\]/g, (words, inside: string) => {
    const written = inside.trim().toLowerCase().replaceAll(/\s+/g, ' ');
    const [, name, number, once] = /^([a-z]+(?: [a-z]+)*?)(?: (\d{1,3}))?( once)?$/.exec(written) ?? [];
    const read = directives.find((one) => one.words === name);
    const argument = number === undefined ? undefined : Number(number);
    if (!read || (argument !== undefined && !takes(read, argument))) return words;
    found.push({ words, once: once !== undefined, fault: read.fault(argument) });
    return '';
  });
  return { text: found.length > 0 ? text.trim() || prompt : prompt, found };
}

function takes({ argument }: Directive, value: number): boolean {
  if (argument === undefined) return false;
  const { min, max } = argument === 'status' ? faultStatus : faultSeconds;
  return value >= min && value <= max;
}
