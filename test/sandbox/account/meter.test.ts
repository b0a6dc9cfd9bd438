import { describe, expect, it } from 'vitest';
import { Meter } from '../../../src/sandbox/account/meter.ts';
import { type Service, startService } from '../support/service.ts';

/** The prices of the description, written down again so that the sandbox's table is checked against another hand. */
const perMillionTokens = {
  'svc-llm-1.5': { input: 150, read: 15, creation: 187.5, output: 690 },
  'svc-llm-1.5-pro': { input: 570, read: 57, creation: 712.5, output: 2670 },
} as const;
const perVideoSecond: Record<string, number> = {
  'balanced 480p': 37,
  'balanced 720p': 80,
  'balanced 1080p': 248,
  'quality 480p': 46,
  'quality 720p': 100,
  'quality 1080p': 248,
  'reference 480p': 51,
  'reference 720p': 109,
  'reference 1080p': 271,
};
const perSpeechSecond = 0.125;
const perImage = 22;

/** What the test expects, call by call. */
class Ledger {
  readonly operations: Record<string, { calls: number; credits: number }> = {};
  readonly conversations: Record<string, { calls: number; credits: number }> = {};
  readonly requestIds: string[] = [];
  calls = 0;
  credits = 0;

  add(operation: string, conversation: string, credits: number, requestId?: string | null) {
    for (const [totals, name] of [
      [this.operations, operation],
      [this.conversations, conversation],
    ] as const) {
      totals[name] ??= { calls: 0, credits: 0 };
      totals[name].calls += 1;
      totals[name].credits += credits;
    }
    this.calls += 1;
    this.credits += credits;
    if (requestId) this.requestIds.push(requestId);
  }
}

type Act = (service: Service, ledger: Ledger, index: number) => Promise<void>;
const conversationOf = (index: number) => `room-${index % 3}`;
const headersOf = (index: number) => ({ 'x-svc-conversation-id': conversationOf(index) });

const chats: Act = async (service, ledger, index) => {
  const model = index % 2 ? 'svc-llm-1.5' : 'svc-llm-1.5-pro';
  const messages = [
    { role: 'user', content: `question ${index % 5}` },
    { role: 'assistant', content: '好的,我来回答' },
    { role: 'user', content: 'go on' },
  ];
  const { body, headers } = await service.post('/chat/completions', { model, messages }, headersOf(index));
  const { prompt_tokens, completion_tokens, prompt_tokens_details: details } = body.usage;
  const { cached_tokens: read, cache_creation_tokens: creation } = details;
  const rates = perMillionTokens[model];
  const input = prompt_tokens - read - creation;
  const millionths =
    input * rates.input + read * rates.read + creation * rates.creation + completion_tokens * rates.output;
  ledger.add('chat', conversationOf(index), millionths / 1e6, headers.get('x-request-id'));
};

const speaks: Act = async (service, ledger, index) => {
  const seconds = (index * 7) / 10;
  service.studio.seconds = seconds;
  const speech = { model: 'svc-tts-1', input: 'hello', voice: 'en_male_tim_uranus_bigtts' };
  const { headers } = await service.post('/audio/speech', speech, headersOf(index));
  const credits = Math.max(1, Math.ceil(seconds)) * perSpeechSecond;
  ledger.add('speech', conversationOf(index), credits, headers.get('x-request-id'));
};

const draws: Act = async (service, ledger, index) => {
  const { body, headers } = await service.post(
    '/images/generations',
    { prompt: 'a cat', async: index % 2 === 0, size: index % 3 ? '2k' : '4k' },
    headersOf(index),
  );
  ledger.add('image', conversationOf(index), perImage, headers.get('x-request-id'));
  if (!body.id) return;
  let status = '';
  while (status !== 'succeeded') {
    status = (await service.get(`/images/generations/${body.id}`, headersOf(index))).body.status;
    ledger.add('image_status', conversationOf(index), 0);
  }
};

const films: Act = async (service, ledger, index) => {
  const duration = 4 + (index % 12);
  const resolution = ['480p', '720p', '1080p'][index % 3];
  const quality = ['balanced', 'quality'][index % 2]!;
  const reference = index % 4 === 0;
  const { body, headers } = await service.post(
    '/videos',
    {
      prompt: 'a cat',
      duration,
      resolution,
      quality,
      ...(reference && { reference_video_urls: ['https://a.example/b.mp4'], operation: 'edit' }),
    },
    headersOf(index),
  );
  const mode = `${reference ? 'reference' : quality} ${resolution}`;
  ledger.add('video', conversationOf(index), duration * perVideoSecond[mode]!, headers.get('x-request-id'));
  let status = '';
  while (status !== 'succeeded') {
    status = (await service.get(`/videos/${body.id}`, headersOf(index))).body.status;
    ledger.add('video_status', conversationOf(index), 0);
  }
};

const lists: Act = async (service, ledger, index) => {
  await service.get('/audio/voices', headersOf(index));
  ledger.add('voices', conversationOf(index), 0);
};

const fails: Act = async (service, _ledger, index) => {
  const bad = [
    () => service.chat('hi [[fail 503]]'),
    () => service.post('/videos', { prompt: 'a', duration: 99 }),
    () => service.post('/audio/speech', { model: 'svc-tts-1' }),
    () => service.get('/videos/unknown'),
    () => service.get('/audio/voices', { 'x-svc-conversation-id': 'a b' }),
    () => service.chat('hi [[error]]', { stream: true }),
  ];
  await bad[index % bad.length]!();
};

describe('the meter', () => {
  it('of 48 mixed calls equals the table computed by hand', async () => {
    const service = await startService();
    const ledger = new Ledger();
    const acts = [chats, speaks, draws, films, lists, fails, chats, speaks];
    for (let index = 0; index < 48; index++) await acts[index % acts.length]!(service, ledger, index);
    const meter = await service.meter();
    expect(meter.calls).toBe(ledger.calls);
    expect(meter.credits).toBeCloseTo(ledger.credits, 9);
    expect(Object.keys(meter.operations).sort()).toEqual(Object.keys(ledger.operations).sort());
    for (const [kind, totals] of [
      ['operations', ledger.operations],
      ['conversations', ledger.conversations],
    ] as const)
      for (const [name, { calls, credits }] of Object.entries(totals)) {
        expect(meter[kind][name].calls).toBe(calls);
        expect(meter[kind][name].credits).toBeCloseTo(credits, 9);
      }
    const metered = meter.items.map((item: { request_id: string }) => item.request_id);
    expect([...metered].sort()).toEqual([...ledger.requestIds].sort());
    const sum = meter.items.reduce((total: number, item: { credits: number }) => total + item.credits, 0);
    expect(sum).toBeCloseTo(ledger.credits, 9);
    expect(ledger.credits).toBeGreaterThan(2_000);
  });

  it('says what each price came from', async () => {
    const service = await startService();
    await service.chat('hi', {});
    await service.post('/audio/speech', {
      model: 'svc-tts-1',
      input: 'a',
      voice: 'en_male_tim_uranus_bigtts',
    });
    const { items } = await service.meter();
    expect(items[0]).toMatchObject({
      operation: 'chat',
      conversation_id: null,
      model: 'svc-llm-1.5',
      tokens: { input: 5, cache_read: 0, cache_creation: 0, output: expect.any(Number) },
    });
    expect(items[1]).toMatchObject({ operation: 'speech', seconds: 3, credits: 0.375 });
  });

  it('is one for each key, and can begin again', async () => {
    const service = await startService();
    await service.post('/images/generations', { prompt: 'a' });
    const other = { authorization: 'Bearer sk-svc-other' };
    expect((await service.get('/sandbox/meter', other)).body.credits).toBe(0);
    expect((await service.meter()).credits).toBe(22);
    expect((await service.call('DELETE', '/sandbox/meter')).body.credits).toBe(0);
    expect((await service.meter()).items).toEqual([]);
  });

  it('keeps its totals exact while it lists the latest items and conversations only', () => {
    const meter = new Meter();
    for (let call = 0; call < 5_000; call++)
      meter.record(
        { operation: 'speech', requestId: `r${call}`, conversation: `c${call}`, microcredits: 125_000.5 },
        0,
      );
    const report = JSON.parse(JSON.stringify(meter.report()));
    expect(report).toMatchObject({ calls: 5_000, credits: (125_000.5 * 5_000) / 1e6 });
    expect(report.items.map((item: { request_id: string }) => item.request_id).slice(0, 2)).toEqual([
      'r4000',
      'r4001',
    ]);
    expect(report.items).toHaveLength(1_000);
    expect(Object.keys(report.conversations)).toHaveLength(1_000);
    expect(report.older_conversations).toEqual({ calls: 4_000, credits: (125_000.5 * 4_000) / 1e6 });
  });

  it('refuses what exceeds the account’s credits, if they are limited', async () => {
    const service = await startService({ credits: 50 });
    expect((await service.post('/videos', { prompt: 'a' })).status).toBe(402);
    expect((await service.post('/images/generations', { prompt: 'a' })).status).toBe(200);
    expect((await service.post('/images/generations', { prompt: 'a' })).status).toBe(200);
    const refused = await service.post('/images/generations', { prompt: 'a' });
    expect(refused.status).toBe(402);
    expect(refused.body.error).toMatchObject({ code: 'insufficient_credits', type: 'billing_error' });
    expect(refused.body.error.message).toContain('22 credits; 6 are left');
    expect((await service.chat('hi')).status).toBe(200);
  });
});
