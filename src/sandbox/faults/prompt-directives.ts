import { type Fault, fault, faultSeconds, faultStatus } from './faults.ts';

/** A prompt directive: words in double square brackets that make a request fail. */
export interface Directive {
  readonly words: string;
  /** Its optional number. */
  readonly argument?: 'status' | 'seconds';
  readonly fault: (argument: number | undefined) => Fault;
  readonly help: { readonly en: string; readonly zh: string };
}

/** All directives, with their help texts. */
export const directives: readonly Directive[] = [
  {
    words: 'fail',
    argument: 'status',
    fault: (status) => fault('error', { status: status ?? 500 }),
    help: { en: 'fails with HTTP 500, or the given status', zh: '返回 HTTP 500（或指定的状态码）' },
  },
  {
    words: 'rate limit',
    argument: 'seconds',
    fault: (seconds) => fault('error', { status: 429, retryAfter: String(seconds ?? 5) }),
    help: { en: 'fails with 429 and Retry-After', zh: '返回 429 和 Retry-After' },
  },
  {
    words: 'out of credits',
    fault: () => fault('error', { status: 402 }),
    help: { en: 'fails with 402: no credits left', zh: '返回 402：积分不足' },
  },
  {
    words: 'error',
    fault: () => fault('error', { when: 'during' }),
    help: {
      en: 'an error in the middle of the answer; a task fails while running',
      zh: '回答到一半时出错；任务在运行中失败',
    },
  },
  {
    words: 'break off',
    fault: () => fault('cut', { when: 'during' }),
    help: { en: 'the connection is lost in the middle of the answer', zh: '回答到一半时连接中断' },
  },
  {
    words: 'end early',
    fault: () => fault('end'),
    help: {
      en: 'the answer ends in the middle without a reason',
      zh: '回答在中途结束，没有任何说明',
    },
  },
  {
    words: 'stall',
    fault: () => fault('stall', { when: 'during' }),
    help: {
      en: 'the answer stalls in the middle; a task never finishes',
      zh: '回答到一半时停住；任务永远不会完成',
    },
  },
  {
    words: 'slow',
    argument: 'seconds',
    fault: (seconds) => fault('delay', { when: 'during', afterDeltas: 0, seconds: seconds ?? 10 }),
    help: { en: 'waits 10 seconds first, or the given number', zh: '先等待 10 秒（或指定的秒数）' },
  },
  {
    words: 'lost',
    fault: () => fault('cut', { when: 'after' }),
    help: {
      en: 'does and charges the work, then drops the connection',
      zh: '完成并计费，但连接中断，收不到回答',
    },
  },
  {
    words: 'length',
    fault: () => fault('length'),
    help: { en: 'stops at the length limit', zh: '到达长度上限时停止' },
  },
  {
    words: 'filter',
    fault: () => fault('filter'),
    help: { en: 'is refused by the content filter', zh: '被内容过滤器拒绝' },
  },
  {
    words: 'gone',
    fault: () => fault('gone'),
    help: { en: 'the image or video finishes, but its file is gone', zh: '图片或视频已完成，但文件已不存在' },
  },
];

/** A prompt without its directives, and the faults they ask for. */
export interface ReadPrompt {
  readonly text: string;
  readonly faults: readonly Fault[];
  /** The directives as written, each with its fault and whether it applies only once. */
  readonly found: readonly { readonly words: string; readonly once: boolean; readonly fault: Fault }[];
}

const bracketed = /\[\[([^[\]\n]{1,60})\]\]/g;

/**
 * Finds directives such as `[[stall]]`, `[[fail 503]]` or `[[fail 503 once]]` in a prompt. Other text in
 * brackets stays.
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
