import { beforeEach, describe, expect, it } from 'vitest';
import { meteredAnswer, meteredSpeech } from '../../src/app/metered-calls.ts';
import { BudgetExceededError } from '../../src/credits/index.ts';
import { type ChatEvent, type ChatUsage, ConnectionError } from '../../src/service/index.ts';
import { LedgerStage } from '../credits/ledger-stage.ts';
import { answering, delta, done, stage as serviceStage, stop } from '../service/support/helpers.ts';

let stage: LedgerStage;
beforeEach(async () => {
  stage = await LedgerStage.open();
});

const order = async () =>
  ({
    job: await stage.job(),
    budgets: [],
    model: 'svc-llm-1.5-pro',
    messages: [{ role: 'user', content: 'What are tides, and why are there two a day?' }],
    conversationId: 'conversation',
    mostUnasked: Number.POSITIVE_INFINITY,
  }) as const;

/** The ledger's row of an answer after which the service tells this usage. */
async function charged(usage: Partial<ChatUsage> | undefined, text = 'An answer of some length.') {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  async function* stream(): AsyncGenerator<ChatEvent, void, undefined> {
    if (text !== '') yield { type: 'text', text };
    const told = usage && { ...none, ...usage };
    yield { type: 'end', finishReason: 'stop', usage: told, requestId: 'req_1' };
  }
  const service = { chat: { stream } } as never;
  for await (const _ of meteredAnswer({ service, credits: stage.credits }, await order(), {}));
  const [row] = await stage.rows();
  return row;
}

/** The ledger's row of an answer that's left after its first words, with what the service had counted by then. */
async function stopped(usage: Partial<ChatUsage> | undefined) {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  async function* stream(): AsyncGenerator<ChatEvent, void, undefined> {
    for (let word = 0; word < 9; word++)
      yield { type: 'text', text: 'word '.repeat(8), ...(usage && { usage: { ...none, ...usage } }) };
  }
  for await (const _ of meteredAnswer(
    { service: { chat: { stream } } as never, credits: stage.credits },
    await order(),
    {},
  ))
    break;
  const [row] = await stage.rows();
  return row;
}

describe('what an answer is charged with', () => {
  it('is the count of the service', async () => {
    const row = await charged({ inputTokens: 20, outputTokens: 7 });
    expect(row).toMatchObject({ state: 'spent', estimated: 0, high: 20 * 1_000 + 7 * 4_500 });
  });

  it('counts an empty answer as the service does', async () => {
    expect(await charged({ inputTokens: 20 }, '')).toMatchObject({ estimated: 0, high: 20_000 });
  });

  it.each([
    ['nothing at all', undefined],
    ['zeros', {}],
    ['no prompt', { outputTokens: 7 }],
    ['no answer', { inputTokens: 20 }],
  ])('is not nothing where the service counts %s: it is estimated then', async (_, usage) => {
    const row = await charged(usage);
    expect(row).toMatchObject({ state: 'spent', estimated: 1, request_id: 'req_1' });
    expect(row?.high).toBeGreaterThan(7 * 4_500);
  });

  it('is the count of the service for the question of one that was stopped, where it counts before the end', async () => {
    const row = await stopped({ inputTokens: 40_000, outputTokens: 1 });
    expect(row).toMatchObject({ state: 'spent', estimated: 1, high: 40_000 * 1_000 + 110 * 4_500 });
    expect(JSON.parse(row?.quantity ?? '')).toMatchObject({ inputTokens: 40_000, outputTokens: 10 });
  });

  it('is estimated for one that was stopped before the service counted', async () => {
    const row = await stopped(undefined);
    expect(row).toMatchObject({ state: 'spent', estimated: 1 });
    expect(row?.low).toBeLessThan(20_000);
    expect(row?.high).toBeLessThan(600_000);
  });

  it('is no less than what was written where the service counts at its beginning alone', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 1 };
    const first = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word' } }], usage })}\n\n`;
    const { client } = await serviceStage(answering(first, delta(' word'.repeat(400)), stop, done));
    const answer = meteredAnswer({ service: client, credits: stage.credits }, await order(), {});
    await Array.fromAsync(answer);
    const [row] = await stage.rows();
    expect(row).toMatchObject({ state: 'spent', estimated: 1 });
    expect(row?.high).toBeGreaterThan(20 * 1_000 + 400 * 4_500);
  });

  it('counts what the service may have written of one by the time it hears that it was stopped', async () => {
    const row = await stopped(undefined);
    expect(JSON.parse(row?.quantity ?? '')).toMatchObject({ outputTokens: 10 });
    expect(row?.high).toBeGreaterThan(110 * 4_500);
  });
});

/** The ledger's row of an answer that begins so, and of which nobody knows how far the service got after that. */
async function cutOff(...begun: readonly ChatEvent[]) {
  async function* stream(): AsyncGenerator<ChatEvent, void, undefined> {
    yield* begun;
    const facts = { operation: 'chat', outcome: 'unknown', retryable: true } as const;
    throw new ConnectionError('the connection was lost', facts);
  }
  const service = { chat: { stream } } as never;
  const reading = async () => {
    for await (const _ of meteredAnswer({ service, credits: stage.credits }, await order(), {}));
  };
  await expect(reading()).rejects.toThrow(ConnectionError);
  const [row] = await stage.rows();
  return row;
}

describe('an answer of which nobody knows how far the service got', () => {
  it('counts as reserved where its beginning was lost: it may have been written to the end', async () => {
    const row = await cutOff();
    expect(row).toMatchObject({ state: 'uncertain', estimated: 1 });
    expect(row?.high).toBeGreaterThan(1_000 * 4_500);
    expect(row?.low).toBeLessThan(10_000);
  });

  it('counts as reserved where its end was lost', async () => {
    const row = await cutOff({ type: 'text', text: 'word '.repeat(700) });
    expect(row).toMatchObject({ state: 'uncertain', estimated: 1 });
    expect(row?.high).toBeGreaterThan(2_000 * 4_500);
    expect(row?.low).toBeGreaterThan(700 * 840);
  });
});

describe('what the model thinks before it answers', () => {
  const thought = { type: 'text', text: '', reasoning: 'word '.repeat(700) } as const;

  it('counts like what it says', async () => {
    const row = await cutOff(thought);
    expect(row?.high).toBeGreaterThan(2_000 * 4_500);
    expect(row?.low).toBeGreaterThan(700 * 840);
  });

  it('counts once where its end never comes, and it’s the answer', async () => {
    const low = async (tag: string) => {
      const { client: service } = await serviceStage(async (_, reply) => {
        reply.startEvents();
        for (const piece of [delta(tag), delta('word '.repeat(700)), stop, done]) {
          reply.chunk(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
        reply.end();
      });
      for await (const _ of meteredAnswer({ service, credits: stage.credits }, await order(), {}));
      return (await stage.rows()).at(-1)?.low ?? 0;
    };
    expect(await low('<think>')).toBeLessThan(1.1 * (await low('<thing>')));
  });
});

/** The ledger's row of an answer without an end that comes in pieces of so many words, held to a budget of so many credits. */
async function outgrown(words: number, credits: number) {
  async function* stream(): AsyncGenerator<ChatEvent, void, undefined> {
    for (;;) yield { type: 'text', text: 'word '.repeat(words) };
  }
  const service = { chat: { stream } } as never;
  const budgets = [{ of: 'user', within: 'platform', credits, timeZone: 'UTC' }] as const;
  const writing = async () => {
    const held = { ...(await order()), budgets };
    for await (const _ of meteredAnswer({ service, credits: stage.credits }, held, {}));
  };
  await expect(writing()).rejects.toThrow(BudgetExceededError);
  const [row] = await stage.rows();
  return (row?.high ?? 0) / 1e6;
}

describe('an answer that outgrows a budget', () => {
  it('ends where that is used up, not where twice its length would pass it', async () => {
    const charged = await outgrown(8, 17);
    expect(charged).toBeLessThanOrEqual(17);
    expect(charged).toBeGreaterThan(16.5);
  });

  it('doesn’t pass it by one more of the pieces that it comes in', async () => {
    const charged = await outgrown(300, 10);
    expect(charged).toBeLessThanOrEqual(10);
    expect(charged).toBeGreaterThan(7);
  });

  it('doesn’t pass it by pieces that are longer than what is reserved at first', async () => {
    expect(await outgrown(4_000, 40)).toBeLessThanOrEqual(40);
  });
});

it('a clip that can’t be measured is put on record with the length that it’s charged for', async () => {
  const clip = { bytes: Buffer.from('no sound'), contentType: 'audio/mpeg', format: 'mp3' };
  const service = { speech: { create: async () => clip } } as never;
  const { job, budgets, conversationId } = await order();
  const request = { input: 'Good morning to all of you', voice: 'voice', speed: 0.5 } as const;
  await meteredSpeech({ service, credits: stage.credits }, { job, budgets, conversationId, request });
  const [row] = await stage.rows();
  expect(row).toMatchObject({ state: 'spent', estimated: 1 });
  expect(Math.ceil(JSON.parse(row?.quantity ?? '').seconds) * 0.125).toBe((row?.high ?? 0) / 1e6);
});
