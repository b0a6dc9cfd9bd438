import { describe, expect, it, vi } from 'vitest';
import { explain } from '../../src/app/faults/explain.ts';
import { PlatformError } from '../../src/port/index.ts';
import { CancelledError, ConnectionError, type ServiceError, TimeoutError } from '../../src/service/index.ts';
import { words } from '../../src/words/index.ts';
import { refuse } from '../fakes/database.ts';
import { ask, stage as clientOf, delta, draw, failureOf, film, say } from '../service/support/helpers.ts';
import { ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;

const wang = personCalled('wang', { locale: 'zh-CN' });
const given = {
  ask: { prompt: 'Tides [[fail 500]]' },
  speak: { text: 'Good morning [[fail 502]]' },
  imagine: { prompt: 'a kite [[fail 503]]' },
  video: { prompt: 'a kite [[fail 500]]', resolution: '480p', duration: 4 },
} as const;

describe('a paid request that the service answered with a failure of its own', () => {
  it.each(Object.entries(given))('says so: /%s', async (command, options) => {
    stage = await Stage.open();
    for (const [person, sentence] of [
      [ann, 'The service failed. It may have charged for this.'],
      [wang, '服务出错了，这次请求可能已扣除积分。'],
    ] as const) {
      await stage.make(command, options, person);
      expect(stage.text).toContain(sentence);
      expect(stage.text).not.toContain(words(person.locale).noticeUncertain);
    }
    expect(await stage.ledgerStates()).toEqual(['uncertain', 'uncertain']);
  });

  const command = ['ask', 'speak', 'imagine', 'video'] as const;
  it.each(command.flatMap((name) => [408, 499].map((status) => [name, status] as const)))(
    'says so where something in between gave up waiting: /%s, %d',
    async (name, status) => {
      stage = await Stage.open();
      const [[text, options = '']] = Object.entries(given[name]) as [[string, string]];
      await stage.make(name, {
        ...given[name],
        [text]: options.replace(/\[\[fail \d+\]\]/, `[[fail ${status}]]`),
      });
      expect(stage.text).toContain(words('en').errors.serverMayCharge);
      expect(stage.text).not.toContain(words('en').noticeUncertain);
      expect(await stage.ledgerStates()).toEqual(['uncertain']);
    },
  );

  it.each([
    ['ask', { prompt: 'Tides [[lost]]' }],
    ['speak', { text: 'Good morning [[lost]]' }],
  ] as const)('says so where its answer was lost: /%s', async (name, options) => {
    stage = await Stage.open();
    await stage.give(name, options);
    expect(stage.text).toContain('The connection to the service was lost. It may have charged for this.');
    expect(await stage.ledgerStates()).toEqual(['uncertain']);
  });

  it('says so where it sent a clip without sound', async () => {
    stage = await Stage.open();
    // A WAV that ends with its header: 16,000 samples of two bytes a second.
    const bytes = Buffer.from(
      '524946462400000057415645666d74201000000001000100803e0000007d0000020010006461746100000000',
      'hex',
    );
    const empty = { bytes, format: 'wav', contentType: 'audio/wav', requestId: undefined } as const;
    vi.spyOn(stage.service.speech, 'create').mockResolvedValue(empty);
    await stage.give('speak', given.speak);
    expect(stage.latest.message.files).toBeUndefined();
    expect(stage.text).toContain('It may have charged for this.');
    expect(await stage.ledgerStates()).toEqual(['uncertain']);
  });

  it.each(['en', 'zh-CN'] as const)(
    'says so where nobody knows what came of it, and only there: %s',
    (locale) => {
      const { errors } = words(locale);
      const said = (error: ServiceError) => explain(error, words(locale), ann);
      for (const operation of ['chat', 'speech', 'image', 'video'] as const) {
        const unknown = { operation, outcome: 'unknown', retryable: false } as const;
        expect(said(new ConnectionError('lost', unknown))).toBe(errors.connectionMayCharge);
        expect(said(new TimeoutError('response', 1, unknown))).toBe(errors.timeoutMayCharge);
        const unsent = { ...unknown, outcome: 'not-processed' } as const;
        expect(said(new ConnectionError('no', unsent))).toBe(errors.connection);
        expect(said(new TimeoutError('waiting', 1, unsent))).toBe(errors.timeout);
      }
      for (const operation of ['voices', 'video-status', 'download'] as const) {
        const free = { operation, outcome: 'unknown', retryable: true } as const;
        expect(said(new ConnectionError('lost', free))).toBe(errors.connection);
        expect(said(new TimeoutError('response', 1, free))).toBe(errors.timeout);
      }
    },
  );

  it('says nothing of charges where it certainly did nothing', async () => {
    stage = await Stage.open();
    const refused = { operation: 'speech', do: 'error', status: 503, retry_after: 1, times: 9 };
    await stage.control({ faults: [refused] });
    await stage.give('speak', { text: 'Good morning' });
    expect(stage.text).toContain(words('en').errors.server);
    expect(await stage.ledger()).toMatchObject([{ state: 'failed' }]);
  });

  it('is not one that was interrupted: a lost answer of a render still says that', async () => {
    stage = await Stage.open();
    await stage.make('video', { prompt: 'a kite [[lost]]', resolution: '480p', duration: 4 });
    expect(stage.text).toContain(words('en').noticeUncertain);
  });

  it.each([
    ['ann', ann, 'I don’t know whether credits were spent'],
    ['wang', wang, words('zh-CN').noticeUncertain],
  ] as const)(
    'is not one that a restart cut off: its person is told that, and it’s no error in the log, %s',
    async (_, person, sentence) => {
      stage = await Stage.open();
      await stage.control({ faults: [{ operation: 'speech', do: 'stall', times: 1 }] });
      const given = stage.give('speak', { text: 'Good morning' }, person);
      await stage.until(async () => (await stage.ledger()).length > 0);
      await stage.until(() => false, stage.bot.dispatcher.stop());
      await given;
      expect(stage.text).toContain(sentence);
      expect(stage.text).not.toContain(words(person.locale).errors.serverMayCharge);
      expect(stage.standing.at(-1)?.message.buttons).toMatchObject([
        { label: words(person.locale).tryAgain },
      ]);
      expect(stage.ended).toEqual(['speak interrupted']);
      expect(stage.errors).toEqual([]);
    },
  );

  it.each(['en', 'zh-CN'] as const)('nor blames the service for what was never sent: %s', (locale) => {
    const say = words(locale);
    for (const operation of ['speech', 'voices'] as const) {
      const unsent = { operation, outcome: 'not-processed', retryable: false } as const;
      expect(explain(new CancelledError('stopped', unsent), say, ann)).toBe(say.shuttingDown);
    }
  });
});

describe('a paid request that the service refused', () => {
  const requests = [
    ['ask', { prompt: 'Tides [[fail 4XX]]' }],
    ['speak', { text: 'Good morning [[fail 4XX]]' }],
    ['imagine', { prompt: 'a kite [[fail 4XX]]' }],
    ['video', { prompt: 'a kite [[fail 4XX]]', resolution: '480p', duration: 4 }],
  ] as const;

  it.each(requests)(
    'has its words for it, though the key may not do this or there is no such model: /%s',
    async (command, options) => {
      stage = await Stage.open();
      for (const status of [403, 404, 413]) {
        const asked = Object.fromEntries(
          Object.entries(options).map(([name, value]) => [name, String(value).replace('4XX', `${status}`)]),
        );
        await stage.make(command, asked);
        expect(stage.text).toContain(
          `The service didn’t accept this, and nothing was spent: The sandbox was asked to answer with HTTP ${status}.`,
        );
      }
      expect(await stage.ledgerStates()).toEqual(['failed', 'failed', 'failed']);
      // Nobody is told of the key.
      expect(stage.standing.filter(({ address }) => address.channel !== here.channel)).toEqual([]);
    },
  );

  it.each([
    ['en', 'The service didn’t accept this. Nothing was spent.'],
    ['zh-CN', '服务没有接受，没有扣除积分。'],
  ] as const)(
    'is said to be, in the language of its person, where it gave no words for it: %s',
    async (locale, sentence) => {
      const page = '<html><title>413 Request Entity Too Large</title></html>';
      const { client } = await clientOf((_, reply) => reply.send(413, page));
      const requests = [
        () => client.chat.create(ask),
        () => client.speech.create(say),
        () => client.images.submit(draw),
        () => client.videos.submit(film),
      ];
      for (const request of requests)
        expect(explain(await failureOf(request()), words(locale), ann)).toBe(sentence);
    },
  );
});

it.each([
  ['en', ann],
  ['zh-CN', wang],
] as const)(
  'an answer that the service refuses to go on with says that, not that it failed: %s',
  async (locale, person) => {
    const refused = `data: ${JSON.stringify({ error: { code: 'content_policy_violation' } })}\n\n`;
    const { client } = await clientOf((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('Tides are') + refused);
      reply.end();
    });
    stage = await Stage.open();
    stage.service.chat.stream = (request, options) => client.chat.stream(request, options);
    await stage.give('ask', { prompt: 'Tides' }, person);
    expect(stage.text).toContain('Tides are');
    expect(stage.text).toContain(words(locale).endings.filtered);
    expect(stage.text).not.toContain(words(locale).errors.serverMayCharge);
    expect(await stage.ledger()).toMatchObject([{ state: 'uncertain' }]);
  },
);

describe('a wrong voice', () => {
  const wrong = { text: 'Good morning', voice: 'nobody_at_all' };

  it.each([
    ['where the list is known', true],
    ['where the service has told no list yet: it is waited for', false],
  ])('is refused to its requester alone, before anything is said or spent, %s', async (_, isListed) => {
    stage = await Stage.open();
    if (isListed) await stage.bot.voiceList.refresh();
    const refused = await stage.give('speak', wrong);
    expect(refused).toMatchObject({ kind: 'refused', text: expect.stringContaining('nobody_at_all') });
    expect(refused).toMatchObject({
      text: 'There’s no voice “nobody_at_all”. See `/voices` for the list.\nNothing was sent and nothing was spent.',
    });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  });

  it('is refused to its requester alone where the list comes later than a command can wait', async () => {
    stage = await Stage.open();
    await stage.control({ faults: [{ operation: 'voices', do: 'stall', times: 1 }] });
    const given = stage.give('speak', wrong);
    await stage.until(() => false, given);
    expect(await given).toMatchObject({ kind: 'accepted' });
    expect(stage.standing).toMatchObject([
      { seenBy: 'requester', message: { text: expect.stringMatching(/nobody_at_all.*\/voices/s) } },
    ]);
    expect(stage.standing[0]?.message.buttons).toBeUndefined();
    expect(await stage.ledgerStates()).toEqual(['failed']);
    expect(stage.ended).toEqual(['speak refused options']);
  });

  it('is refused to its requester alone where the list cannot be had and the service refuses it', async () => {
    stage = await Stage.open();
    await stage.control({ faults: [{ operation: 'voices', do: 'error', status: 400, times: 1_000 }] });
    await stage.give('speak', wrong);
    expect(stage.standing).toMatchObject([{ seenBy: 'requester' }]);
    expect(await stage.ledgerStates()).toEqual(['failed']);
  });

  it('is told where it was given when its requester cannot be told alone', async () => {
    stage = await Stage.open();
    await stage.control({ faults: [{ operation: 'voices', do: 'error', status: 400, times: 1_000 }] });
    let refusals = 0;
    stage.refuses = () => (refusals++ === 0 ? new PlatformError('expired') : undefined);
    await stage.give('speak', wrong);
    expect(stage.standing).toMatchObject([{ seenBy: 'channel' }]);
  });

  it('is none where the service lists it, or cannot tell', async () => {
    stage = await Stage.open();
    expect(await stage.bot.voiceList.mayHave('new_voice')).toBe(false);
    await stage.give('speak', { text: 'Good morning', voice: ' en_male_tim_uranus_bigtts ' });
    expect(stage.latest.message.files).toHaveLength(1);
    stage = await Stage.open();
    await stage.control({ faults: [{ operation: 'voices', do: 'error', status: 400, times: 1_000 }] });
    expect(await stage.bot.voiceList.mayHave('new_voice')).toBe(true);
  });
});

it.each([
  ['en', ann, '`video_urls` takes public links that start with https://.'],
  ['zh-CN', wang, '`video_urls` 需要以 https:// 开头的公开链接。'],
] as const)(
  'a link into a private network is refused in words of its person: %s',
  async (_, person, sentence) => {
    stage = await Stage.open();
    const asked = {
      prompt: 'a kite',
      resolution: '480p',
      duration: 4,
      video_urls: 'https://192.168.0.7/a.mp4',
    };
    const refused = await stage.give('video', asked, person);
    expect(refused).toMatchObject({ kind: 'refused', text: expect.stringContaining(sentence) });
    expect(stage.standing).toEqual([]);
    expect(await stage.ledger()).toEqual([]);
  },
);

const announced = [
  ['imagine', '> a kite [[fail 503]]\n`2k`'],
  ['video', '> a kite [[fail 500]]\n`4 s` `480p` `16:9` `balanced`'],
] as const;
const people = [ann, wang];

describe.each(people)('for $name', (person) => {
  const { errors, tryAgain } = words(person.locale);

  it.each(announced)('what was announced and can’t be recorded shows why: /%s', async (name, about) => {
    stage = await Stage.open();
    await refuse(stage.database, 'insert on renders');
    await stage.give(name, given[name], person);
    expect(stage.standing).toHaveLength(1);
    expect(stage.text).toBe(`${about}\n⚠️ ${errors.database}`);
    expect(stage.buttons).toEqual([tryAgain]);
    expect(stage.removed).toEqual([]);
    expect(await stage.ledgerStates()).toEqual(['failed']);
  });
});
