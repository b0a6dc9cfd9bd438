import { type Fault, fault, faultSeconds, faultStatus } from './faults.ts';

/** One of the words in double square brackets that make the sandbox fail on purpose. */
export interface Directive {
  readonly words: string;
  /** What it takes after the words, where it takes something. */
  readonly argument?: 'status' | 'seconds';
  readonly fault: (argument: number | undefined) => Fault;
  readonly help: { readonly en: string; readonly zh: string };
}

/** Every word there is, with the explanation the sandbox gives when asked for help. */
export const directives: readonly Directive[] = [
  {
    words: 'fail',
    argument: 'status',
    fault: (status) => fault('error', { status: status ?? 500 }),
    help: { en: 'refuses with HTTP 500, or the status given', zh: '以 HTTP 500（或所给状态码）拒绝' },
  },
  {
    words: 'rate limit',
    argument: 'seconds',
    fault: (seconds) => fault('error', { status: 429, retryAfter: String(seconds ?? 5) }),
    help: { en: 'refuses with 429 and Retry-After', zh: '以 429 和 Retry-After 拒绝' },
  },
  {
    words: 'out of credits',
    fault: () => fault('error', { status: 402 }),
    help: { en: 'refuses with 402: no credits left', zh: '以 402 拒绝：积分不足' },
  },
  {
    words: 'error',
    fault: () => fault('error', { when: 'during' }),
    help: {
      en: 'an error in mid-answer; a task fails while it runs',
      zh: '回答到一半时出错；任务在运行中失败',
    },
  },
  {
    words: 'break off',
    fault: () => fault('cut', { when: 'during' }),
    help: { en: 'the connection breaks in mid-answer', zh: '回答到一半时连接中断' },
  },
  {
    words: 'end early',
    fault: () => fault('end'),
    help: {
      en: 'the answer ends in the middle with no word of why',
      zh: '回答在中途结束，没有任何说明',
    },
  },
  {
    words: 'stall',
    fault: () => fault('stall', { when: 'during' }),
    help: {
      en: 'falls silent in mid-answer; a task never gets ready',
      zh: '回答到一半时不再出声；任务永远不会完成',
    },
  },
  {
    words: 'slow',
    argument: 'seconds',
    fault: (seconds) => fault('delay', { when: 'during', afterDeltas: 0, seconds: seconds ?? 10 }),
    help: { en: 'waits 10 seconds first, or those given', zh: '先等 10 秒（或所给秒数）' },
  },
  {
    words: 'lost',
    fault: () => fault('cut', { when: 'after' }),
    help: { en: 'does and meters the work, then loses the answer', zh: '工作已完成并计费，但回答丢失' },
  },
  {
    words: 'length',
    fault: () => fault('length'),
    help: { en: 'stops as if it had reached its length limit', zh: '像达到长度上限一样停止' },
  },
  {
    words: 'filter',
    fault: () => fault('filter'),
    help: { en: 'refuses as a content filter would', zh: '像内容过滤器一样拒绝' },
  },
  {
    words: 'gone',
    fault: () => fault('gone'),
    help: { en: 'a finished image or video whose file is gone', zh: '图片或视频已完成，但文件已不存在' },
  },
];

/** A prompt with its directives taken out. */
export interface ReadPrompt {
  readonly text: string;
  readonly faults: readonly Fault[];
  /** The words as they stood, each with whether it is to happen only once. */
  readonly found: readonly { readonly words: string; readonly once: boolean; readonly fault: Fault }[];
}

const bracketed = /\[\[([^[\]\n]{1,60})\]\]/g;

/**
 * Finds directives such as `[[stall]]`, `[[fail 503]]` or `[[fail 503 once]]` in a prompt. Brackets around anything
 * else stay where they are.
 */
export function readDirectives(prompt: string): ReadPrompt {
  const found: { words: string; once: boolean; fault: Fault }[] = [];
  const text = prompt.replace(bracketed, (whole, inside: string) => {
    const read = readDirective(inside);
    if (!read) return whole;
    found.push({ words: whole, ...read });
    return '';
  });
  return {
    text: found.length > 0 ? text.trim() || prompt : prompt,
    faults: found.map((one) => one.fault),
    found,
  };
}

function readDirective(inside: string): { fault: Fault; once: boolean } | undefined {
  const written = inside.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const match = /^([a-z]+(?: [a-z]+)*?)(?: (\d{1,3}))?( once)?$/.exec(written);
  const directive = directives.find(({ words }) => words === match?.[1]);
  if (!match || !directive) return undefined;
  const argument = match[2] === undefined ? undefined : Number(match[2]);
  if (!allowed(directive, argument)) return undefined;
  return { fault: directive.fault(argument), once: match[3] !== undefined };
}

function allowed(directive: Directive, argument: number | undefined): boolean {
  if (argument === undefined) return true;
  if (directive.argument === 'status') return inRange(argument, faultStatus);
  return directive.argument === 'seconds' && inRange(argument, faultSeconds);
}

function inRange(value: number, { min, max }: { min: number; max?: number }): boolean {
  return value >= min && value <= (max ?? value);
}
