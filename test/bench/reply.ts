import { systemClock } from '../../src/lib/clock.ts';
import { LiveReply, type Pacing, type ReplySink, splitMarkdown } from '../../src/reply/index.ts';

/**
 * A growing answer of 200,000 characters, token by token, shown at every slot: the live reply beside the plain
 * way, which splits the whole text anew each time. Run with `npx node test/bench/reply.ts`.
 */
const answerLength = 200_000;
const tokenLength = 4;
/** Tokens between two slots: an edit a second at fifty tokens a second. */
const tokensPerSlot = 50;
const maxLength = 2_000;

const section = [
  '## What the tides are\n\n',
  'The sea rises and falls **twice a day**, as [the moon](https://example.com/moon) goes round. '.repeat(6),
  '\n\n潮汐是海水在月球和太阳引力作用下的周期性涨落。'.repeat(8),
  '\n\n```ts\n',
  'const height = mean + amplitude * Math.cos(2 * Math.PI * hours / 12.42);\n'.repeat(10),
  '```\n\n| hour | height |\n|---|---|\n',
  '| 6 | `1.2 m` |\n'.repeat(12),
  '\n- first a point\n  - and one below it 👨‍👩‍👧‍👦\n- then another\n\n',
].join('');
const answer = section.repeat(Math.ceil(answerLength / section.length)).slice(0, answerLength);
const tokens = answer.match(new RegExp(`[^]{1,${tokenLength}}`, 'g')) ?? [];

/** Slots that open when the bench says so. */
class ManualPacer implements Pick<Pacing, 'slot'> {
  readonly #waiting: (() => void)[] = [];

  slot(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  open(): void {
    for (const grant of this.#waiting.splice(0)) grant();
  }
}

const nowhere: ReplySink<number> = {
  maxLength,
  post: async (_, { index }) => index,
  edit: async () => {},
};

interface Timing {
  /** Milliseconds. */
  readonly total: number;
  readonly longest: number;
  readonly slots: number;
}

/** All work of a live reply; appends and slots are timed apart. */
async function live(): Promise<{ appends: number; slots: Timing }> {
  const pacer = new ManualPacer();
  const reply = new LiveReply({ sink: nowhere, pacer, clock: systemClock });
  let appends = 0;
  let total = 0;
  let longest = 0;
  let slots = 0;
  const slot = async () => {
    const start = performance.now();
    pacer.open();
    await new Promise<void>((resolve) => setImmediate(resolve));
    const took = performance.now() - start;
    total += took;
    longest = Math.max(longest, took);
    slots++;
  };
  for (let at = 0; at < tokens.length; at += tokensPerSlot) {
    const start = performance.now();
    for (const token of tokens.slice(at, at + tokensPerSlot)) reply.append(token);
    appends += performance.now() - start;
    await slot();
  }
  let ended = false;
  const finished = reply.finish({ kind: 'done' }).then(() => (ended = true));
  while (!ended) await slot();
  await finished;
  return { appends, slots: { total, longest, slots } };
}

/** The whole text is split at every slot. */
function plain(): Timing {
  let text = '';
  let total = 0;
  let longest = 0;
  let slots = 0;
  for (let at = 0; at < tokens.length; at += tokensPerSlot) {
    text += tokens.slice(at, at + tokensPerSlot).join('');
    const start = performance.now();
    splitMarkdown(text, { maxLength });
    const took = performance.now() - start;
    total += took;
    longest = Math.max(longest, took);
    slots++;
  }
  return { total, longest, slots };
}

function describe(name: string, { total, longest, slots }: Timing): string {
  const mean = (total / slots).toFixed(3);
  return `${name.padEnd(12)} ${total.toFixed(0)} ms in ${slots} slots: ${mean} ms each, ${longest.toFixed(1)} ms at most`;
}

await live();
const { appends, slots } = await live();
const whole = plain();
console.log(`An answer of ${answer.length} characters, ${tokens.length} tokens`);
console.log(`append       ${((appends / tokens.length) * 1e6).toFixed(0)} ns each`);
console.log(describe('live reply', slots));
console.log(describe('split anew', whole));
console.log(`ratio        ${(whole.total / slots.total).toFixed(0)} times less work`);
