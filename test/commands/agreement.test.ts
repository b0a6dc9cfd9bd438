import { describe, expect, it } from 'vitest';
import { MemoryRateWindows } from '../../src/service/index.ts';
import { isLong } from '../long-form.ts';
import { here, personCalled, Stage } from './support/stage.ts';

const commandCount = isLong ? 1_000 : 200;
const atOnce = commandCount / 10;
const crashes = 6;

/** What goes wrong, in words the sandbox knows, by command; most of the time nothing does. */
const troubles = {
  ask: [
    'fail 400',
    'fail 503',
    'rate limit 1 once',
    'error',
    'break off',
    'end early',
    'lost',
    'length',
    'filter',
  ],
  speak: ['fail 400', 'fail 500', 'rate limit 1 once', 'break off', 'lost', 'filter'],
  imagine: ['fail 400', 'fail 500', 'rate limit 1 once', 'error', 'break off', 'lost', 'filter', 'gone'],
  video: ['fail 400', 'fail 500', 'rate limit 1 once', 'error', 'break off', 'lost', 'filter', 'gone'],
} as const;
const names = ['ask', 'ask', 'ask', 'speak', 'speak', 'imagine', 'imagine', 'video'] as const;

/** Always the same numbers, from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function commandOf(index: number, random: () => number) {
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const name = any(names);
  const trouble = random() < 0.35 ? ` [[${any(troubles[name])}]]` : '';
  const words = `${any(['One', 'Two', 'Three or more', '四', '五六七八九十'])} ${index}${trouble}`;
  const options = {
    ask: { prompt: words, model: any(['svc-llm-1.5', 'svc-llm-1.5-pro']) },
    speak: { text: words, format: any(['mp3', 'wav', 'opus', 'ogg']), speed: any([0.5, 1, 2]) },
    imagine: { prompt: words, size: any(['2k', '3k', '4k']) },
    video: {
      prompt: words,
      duration: any([4, 5, 15]),
      resolution: any(['480p', '720p', '1080p']),
      quality: any(['balanced', 'quality']),
    },
  }[name];
  return { name, options };
}

/** Time for a hundred writes or so, of which the database makes a few in a turn of the event loop. */
async function step(): Promise<void> {
  await stage.clock.advance(100);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

let stage: Stage;

describe('the ledger and the service’s own meter', () => {
  it('agree to the credit over many commands with failures and crashes', { timeout: 900_000 }, async () => {
    const plenty = { chat: 1e4, voice: 1e4, images: 1e4, videos: 1e4, status: 1e4 };
    stage = await Stage.open({
      crashes: true,
      settings: { confirmOver: 1e9 },
      windows: (clock) => new MemoryRateWindows(clock, plenty),
    });
    const random = numbers(20_261_120);
    const running: Promise<unknown>[] = [];
    const everyCrash = Math.floor(commandCount / (crashes + 1));
    for (let index = 0; index < commandCount; index++) {
      const { name, options } = commandOf(index, random);
      // A channel each, so that the service's meter tells them apart by their conversations.
      const address = { ...here, channel: `c${index}` };
      running.push(stage.give(name, options, personCalled(`p${index % 20}`), address).catch(() => {}));
      if (running.length < atOnce && (index + 1) % everyCrash !== 0) continue;
      const isCrash = (index + 1) % everyCrash === 0 && index + 1 < commandCount;
      if (isCrash) {
        // What the process dies in the middle of has to have been begun.
        await stage.until(async () => (await stage.ledger()).length > index * 0.96, Promise.all(running));
        for (let steps = Math.floor(random() * 12); steps > 0; steps--) await step();
        await stage.crash();
      } else {
        await stage.until(() => false, Promise.all(running));
        await stage.rendersEnded();
      }
      running.length = 0;
    }
    await stage.until(() => false, Promise.all(running));
    await stage.rendersEnded();

    const rows = await stage.ledger();
    const meter = await stage.meter();
    const metered = (conversation: string) =>
      Math.round((meter.conversations[conversation]?.credits ?? 0) * 1e6);
    const wrong = rows.filter((row) => {
      const cost = metered(row.conversation_id);
      if (row.state === 'failed') return cost !== 0 || row.high !== 0;
      // This studio's clips are longer than their texts take to say.
      if (row.state === 'uncertain') return row.kind !== 'speech' && cost > row.high;
      if (row.kind === 'chat') return !(row.low <= cost && cost <= row.high);
      return row.state !== 'spent' || row.low !== cost || row.high !== cost || row.estimated !== 0;
    });
    expect(wrong).toEqual([]);
    expect(new Set(rows.map(({ conversation_id }) => conversation_id)).size).toBe(rows.length);

    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    const known = rows.filter(({ state }) => state === 'spent');
    const unknown = rows.filter(({ state }) => state === 'uncertain');
    const total = sum(rows.map((row) => metered(row.conversation_id)));
    expect(Math.round(meter.credits * 1e6)).toBe(total);
    const exact = known.filter(({ kind }) => kind !== 'chat');
    const chat = known.filter(({ kind }) => kind === 'chat');
    const chatMetered = sum(chat.map((row) => metered(row.conversation_id)));
    const unknownMetered = sum(unknown.map((row) => metered(row.conversation_id)));
    expect(sum(exact.map(({ high }) => high))).toBe(total - unknownMetered - chatMetered);
    expect(chatMetered).toBeGreaterThan(sum(chat.map(({ low }) => low)));
    expect(chatMetered).toBeLessThan(sum(chat.map(({ high }) => high)));

    // The run has to have had everything in it for this to mean something.
    const count = (kind: string, state: string) =>
      rows.filter((row) => row.kind === kind && row.state === state).length;
    for (const kind of ['chat', 'speech', 'image', 'video']) {
      expect(count(kind, 'spent')).toBeGreaterThan(commandCount / 20);
      expect(count(kind, 'failed')).toBeGreaterThan(commandCount / 500);
      expect(count(kind, 'uncertain')).toBeGreaterThan(commandCount / 500);
    }
    expect(unknownMetered).toBeGreaterThan(0);
    expect(rows.length).toBeGreaterThan(commandCount * 0.95);
  });
});
