import { describe, expect, it } from 'vitest';
import {
  type Message,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
} from '../../src/port/index.ts';
import type { CallOptions } from '../../src/service/index.ts';
import { bob, deletionsOn, moderator } from './support/deletions.ts';
import { admin, ann, directWith, here, personCalled, Stage, type StageOptions } from './support/stage.ts';

let stage: Stage;
const { deletes, deletesPlace, deletesQuestions, isKnownPrivately, remembered, untilSent } = deletionsOn(
  () => stage,
);
const untilRender = (state: string) => stage.until(async () => (await stage.renderStates()).includes(state));
const expired = { kind: 'refused', text: 'This button has expired. Run the command again.' };

/** What is in every prompt of these tests, and in what comes of it. */
const secret = 'marmalade';
const wishes = {
  ask: { prompt: `repeat: ${secret}` },
  speak: { text: `${secret} is the word` },
  imagine: { prompt: `a jar of ${secret}` },
  video: { prompt: `a jar of ${secret}`, duration: '4' },
} as const;
type Talent = keyof typeof wishes;
const talents = Object.keys(wishes) as Talent[];
const renders = ['imagine', 'video'] as const;

/** What others in the channel can read. */
const publicly = () =>
  stage.standing.filter(
    ({ seenBy, address }) =>
      seenBy === 'channel' && address.onlyFor === undefined && address.channel === here.channel,
  );
/** What the requester can read: there, or in their direct messages. */
const privately = () => stage.standing.filter((one) => !publicly().includes(one));
const hasFile = () => privately().some(({ message }) => message.files?.length);

function wish(talent: Talent, trouble = '') {
  const [[name, text], ...more] = Object.entries(wishes[talent]) as [[string, string], ...[string, string][]];
  return { [name]: `${text}${trouble}`, ...Object.fromEntries(more), private: 'true' };
}

async function settled(): Promise<void> {
  await stage.until(
    async () => stage.bot.deliveries.outstanding === 0 && (await stage.rendersUnderWay()) === 0,
  );
  await stage.bot.recovery.settled();
}

const noThreads = () => stage.standing.every(({ address }) => address.thread === undefined);

describe.each(talents)('a private /%s', (talent) => {
  it('is answered to its requester alone, with a button that shares it', async () => {
    stage = await Stage.open();
    expect(await stage.give(talent, wish(talent))).toMatchObject({ seenBy: 'requester' });
    await settled();
    expect(publicly()).toEqual([]);
    expect(noThreads()).toBe(true);
    const labels = privately().flatMap(({ message }) => message.buttons?.map(({ label }) => label) ?? []);
    expect(labels).toContain('Share here');
  });

  it.each(['fail 400', 'error', 'break off', 'lost', 'filter', 'gone'])(
    'says nothing in the channel if the service answers with %s',
    async (trouble) => {
      stage = await Stage.open();
      await stage.give(talent, wish(talent, ` [[${trouble}]]`));
      await settled();
      expect(publicly()).toEqual([]);
      expect(privately()).not.toEqual([]);
    },
  );

  it.each([
    'no-permission',
    'refused',
    'moderated',
    'gone',
    'too-large',
    'expired',
    'file-not-allowed',
    'not-a-member',
  ] as const)(
    'says nothing in the channel if its messages there are refused: %s',
    async (kind: PlatformErrorKind) => {
      stage = await Stage.open();
      const direct = () => stage.standing.some(({ address }) => address.channel !== here.channel);
      stage.refuses = (message) =>
        direct() || !JSON.stringify(message).includes(secret) ? undefined : new PlatformError(kind);
      await stage.give(talent, wish(talent));
      await settled();
      expect(publicly()).toEqual([]);
    },
  );

  it('says nothing in the channel if the process dies and nothing can be posted for a while', async () => {
    stage = await Stage.open({ crashes: true });
    stage.refuses = () => new PlatformError('unreachable');
    await stage.give(talent, wish(talent));
    await stage.crash();
    stage.refuses = () => undefined;
    await settled();
    expect(publicly()).toEqual([]);
    expect(privately()).not.toEqual([]);
  });
});

describe.each(renders)('a private /%s whose process dies', (talent) => {
  const begin = async (options: StageOptions = {}) => {
    stage = await Stage.open({ crashes: true, ...options });
    return stage.service[talent === 'imagine' ? 'images' : 'videos'];
  };

  it('while it is being sent: only its requester learns that nobody knows', async () => {
    const media = await begin();
    media.submit = async (_: unknown, options?: CallOptions) => {
      await options?.beforeSending?.();
      return new Promise<never>(() => {});
    };
    await stage.give(talent, wish(talent));
    await untilRender('submitting');
    await stage.crash();
    await settled();
    expect(await stage.renderStates()).toEqual(['uncertain']);
    expect(publicly()).toEqual([]);
    expect(stage.text).toContain('don’t know whether credits were spent');
  });

  it('while it is being made: its requester gets it', async () => {
    await begin({ sandbox: { renderTime: 1 } });
    await stage.give(talent, wish(talent));
    await untilRender('waiting');
    await stage.crash();
    await settled();
    expect(publicly()).toEqual([]);
    expect(hasFile()).toBe(true);
  });

  it('when it was made and couldn’t be posted: its requester gets it directly', async () => {
    await begin();
    stage.platformWith({ complete: () => Promise.reject(new PlatformError('unreachable')) });
    await stage.give(talent, wish(talent));
    await untilRender('ready');
    await stage.crash();
    await settled();
    expect(publicly()).toEqual([]);
    expect(hasFile()).toBe(true);
  });
});

describe('a private result that can’t be sent', () => {
  let tried: number;
  /** Direct messages are closed, and what stood in the channel can't be changed any more. */
  const shut = () => {
    tried = 0;
    const closed = () => {
      tried += 1;
      return Promise.reject(new PlatformError('expired'));
    };
    stage.platformWith({ complete: closed, post: closed });
  };

  /** The reply can't be written any more, either. */
  const silenced = () => {
    shut();
    stage.refuses = (message) =>
      message.text?.includes('/renders') || !isSecret(message) ? undefined : new PlatformError('expired');
  };
  const isSecret = (message: Message) =>
    Boolean(message.files?.length) || JSON.stringify(message).includes(secret);
  const words = ['ask', 'speak'] as const;
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      await stage.clock.advance(3_600_000);
      await stage.deliveriesEnded();
    }
  };

  it.each(words)('made by /%s is kept: /renders shows it to its requester', async (talent) => {
    stage = await Stage.open({ crashes: true });
    silenced();
    await stage.give(talent, wish(talent));
    await stage.deliveriesEnded();
    await stage.crash();
    silenced();
    await stage.deliveriesEnded();
    await pass(24);
    expect(privately()).toEqual([]);
    stage.refuses = () => undefined;
    await stage.give('renders', {}, personCalled('eve'));
    expect(stage.text).toBe('Nothing is being rendered here.');
    await stage.give('renders');
    expect(stage.text).toContain(secret);
    expect(stage.text).toContain('I couldn’t send it');
    const list = stage.latest;
    await stage.press('Show 1');
    expect(stage.text).toContain(secret);
    expect(stage.buttons).toContain('Share here');
    expect(hasFile()).toBe(talent === 'speak');
    expect(publicly()).toEqual([]);
    const said = stage.standing.length;
    await stage.pressOn(list, 'Show 1');
    expect(stage.text).toContain('delivered already');
    expect(stage.standing).toHaveLength(said + 1);
    await stage.give('renders');
    expect(stage.text).toBe('Nothing is being rendered here.');
  });

  it.each(words)('made by /%s comes directly within an hour after that’s possible', async (talent) => {
    stage = await Stage.open();
    silenced();
    await stage.give(talent, wish(talent));
    await stage.deliveriesEnded();
    await pass(6 * 24);
    expect(tried).toBeGreaterThan(6 * 24 - 2);
    stage.platformWith({});
    stage.refuses = () => undefined;
    expect(privately()).toEqual([]);
    await pass(2);
    expect(privately()).toHaveLength(1);
    expect(publicly()).toEqual([]);
    await pass(2);
    expect(privately()).toHaveLength(1);
  });

  it.each(words)('made by /%s is kept for a week', async (talent) => {
    stage = await Stage.open();
    silenced();
    await stage.give(talent, wish(talent));
    await pass(7 * 24 - 2);
    expect(await stage.bot.deliveries.pendingIds()).toHaveLength(1);
    await pass(4);
    expect(await stage.bot.deliveries.pendingIds()).toEqual([]);
    stage.refuses = () => undefined;
    await stage.give('renders');
    expect(stage.text).toBe('Nothing is being rendered here.');
  });

  it('keeps its buttons where its place is deleted before it’s fetched', async () => {
    stage = await Stage.open();
    shut();
    await stage.give('imagine', wish('imagine'));
    await untilRender('ready');
    await stage.clock.advance(60_000);
    await deletesPlace({ workspace: 'w' });
    await stage.give('renders');
    await stage.press('Show 1');
    expect(hasFile()).toBe(true);
    expect(stage.buttons).toContain('Edit');
  });

  it('is kept: /renders shows it to its requester, and to nobody else', async () => {
    stage = await Stage.open();
    shut();
    await stage.give('imagine', wish('imagine'));
    await untilRender('ready');
    await stage.clock.advance(60_000);
    await stage.give('renders', {}, personCalled('eve'));
    expect(stage.text).not.toContain(secret);
    await stage.give('renders');
    expect(stage.text).toContain(`${secret}`);
    expect(stage.text).toContain('I couldn’t send it');
    await stage.press('Show 1');
    expect(hasFile()).toBe(true);
    expect(publicly()).toEqual([]);
    await stage.give('renders');
    expect(stage.text).toBe('Nothing is being rendered here.');
  });

  it('comes directly once that’s possible', async () => {
    stage = await Stage.open();
    shut();
    await stage.give('imagine', wish('imagine'));
    await stage.clock.advance(60_000);
    stage.platformWith({});
    await stage.clock.advance(3_700_000);
    await settled();
    expect(hasFile()).toBe(true);
    expect(publicly()).toEqual([]);
  });
});

describe('/renders', () => {
  it('doesn’t list somebody else’s private ones', async () => {
    stage = await Stage.open({ sandbox: { renderTime: 30 } });
    await stage.give('imagine', wish('imagine'));
    await stage.give('renders', {}, personCalled('eve'));
    expect(stage.text).toBe('Nothing is being rendered here.');
    await stage.give('renders', {}, ann);
    expect(stage.text).toContain(secret);
  });
});

it('is shared whatever its requester is called, also by a word that’s blocked there', async () => {
  stage = await Stage.open();
  await stage.give('settings', { blocked_words: 'tar' }, admin);
  const tar = personCalled('tar');
  await stage.give('ask', { prompt: 'repeat: a boat', private: true }, tar);
  await stage.press('Share here', tar);
  expect(stage.latest.seenBy).toBe('channel');
  expect(stage.text).toContain('a boat');
});

it('is shared by whoever it is, though nothing of their name can be seen', async () => {
  stage = await Stage.open();
  const eve = personCalled('eve', { name: '**\u3164**' });
  await stage.give('ask', wish('ask'), eve);
  await stage.press('Share here', eve);
  expect(publicly().at(-1)?.message.text).toMatch(/-# Shared by eve$/);
});

it.each(['speak', 'imagine', 'video'] as const)(
  'a file made by /%s is described where it’s shared as it was: by the words that it’s made from',
  async (talent) => {
    stage = await Stage.open();
    const attachments = async () => [{ name: 'file', contentType: '', size: 8, source: 'file' }];
    stage.platformWith({ attachments });
    await stage.give(talent, wish(talent));
    await settled();
    const made = stage.latest.message.files?.[0]?.description;
    expect(made).toContain(secret);
    await stage.press('Share here');
    expect(publicly().at(-1)?.message.files?.[0]?.description).toBe(made);
  },
);

it('the link to a hidden private video that’s too large is hidden where it’s shared, too', async () => {
  stage = await Stage.open();
  await stage.give('video', { ...wishes.video, private: 'true', spoiler: 'true' });
  await settled();
  const link = 'https://files.service.example/end.mp4';
  const { result } = await stage.database.selectFrom('renders').select('result').executeTakeFirstOrThrow();
  const large = { result: JSON.stringify({ ...JSON.parse(result ?? ''), link }) };
  await stage.database.updateTable('renders').set(large).execute();
  await stage.press('Share here');
  expect(publicly().at(-1)?.message).toMatchObject({ link, spoiler: true });
});

it.each(['Listen', 'Draw it', '👍', 'Regenerate'])(
  'a forged %s of somebody else’s private answer is refused as if there was no such answer',
  async (label) => {
    stage = await Stage.open();
    await stage.give('ask', { ...wishes.ask, private: 'true' });
    expect(await stage.pressOn({ ...stage.latest, address: here }, label, bob)).toEqual(expired);
  },
);

describe('Delete under what was shared', () => {
  async function shared(talent: Talent) {
    stage = await Stage.open();
    const image = { name: 'image.png', contentType: 'image/png', size: 8, source: 'image' };
    const attachments = async () => (talent === 'imagine' ? [image] : []);
    stage.platformWith({ attachments });
    await stage.give(talent, wish(talent));
    await settled();
    const own = stage.latest;
    await stage.press('Share here');
    const [copy] = publicly() as [typeof own];
    const [remove = { id: '', label: '' }, ...more] = copy.message.buttons ?? [];
    expect([remove.label, more]).toEqual(['Delete', []]);
    return { own, copy, remove: remove.id };
  }

  it.each(['ask', 'imagine'] as const)('of /%s takes all of it for its requester', async (talent) => {
    const { own, copy, remove } = await shared(talent);
    await stage.pressId(remove, copy);
    expect(stage.removed.toSorted()).toEqual([own.id, copy.id].toSorted());
  });

  it.each(['ask', 'imagine'] as const)(
    'of /%s takes only that for a moderator, and nothing for others or by a forged id',
    async (talent) => {
      const { own, copy, remove } = await shared(talent);
      expect(await stage.pressId(remove, copy, bob)).toEqual({
        kind: 'refused',
        text: 'Only the person who ran the command can use this button.',
      });
      await stage.give('ask', { prompt: 'Something else' });
      for (const other of [own, stage.latest])
        expect(await stage.pressId(remove, { ...other, address: here }, moderator)).toEqual(expired);
      for (const { id } of own.message.buttons?.filter(({ label }) => label !== 'Delete') ?? [])
        expect(await stage.pressId(id, copy, moderator)).toEqual(expired);
      await stage.pressId(remove, copy, moderator);
      expect(new Set(stage.removed)).toEqual(new Set([copy.id]));
      const again = talent === 'ask' ? 'Regenerate' : 'Again';
      expect(await stage.pressOn(own, again)).toMatchObject({ kind: 'accepted' });
    },
  );

  it('takes it out of the conversation there, and a moderator’s leaves it in the private one', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Remember the number 4711.', private: 'true' });
    await stage.press('Share here');
    const [copy] = publicly();
    await stage.press('Delete', moderator);
    expect(stage.removed).toEqual([copy?.id]);
    await isKnownPrivately();
  });
});

describe('what somebody deletes while it’s shared', () => {
  /** Shares an answer in as many messages as there are texts; tells of each before the bot notes it, and after. */
  async function shares(
    texts: readonly string[],
    { before = async () => {}, after = async () => {} }: Record<string, (id: string) => Promise<unknown>>,
  ) {
    stage = await Stage.open();
    const adapter = stage.adapter();
    const post: PlatformAdapter['post'] = async (address, message, key, onPosted) => {
      let last = { ...address, message: '' };
      for (const text of texts) {
        last = await adapter.post(address, { ...message, text }, key);
        await before(last.message);
        await onPosted?.(last);
        await after(last.message);
      }
      return last;
    };
    stage.platformWith({ post });
    await stage.give('ask', { prompt: 'Remember the number 4711.', private: 'true' });
    await stage.press('Share here');
    return publicly().map(({ message: { text }, id }) => [text, stage.removed.includes(id)]);
  }

  const pressesDelete = (message: string) =>
    stage.pressOn(
      stage.standing.find(({ id }) => id === message),
      'Delete',
      moderator,
    );

  /** Its requester is told, and has it as before; nobody else's answer quotes it. */
  async function isForgotten() {
    expect(stage.text).toContain('This was deleted there while it was being shared.');
    stage.platformWith({});
    await isKnownPrivately();
  }

  it('isn’t posted on, goes as a whole, and isn’t remembered there', async () => {
    const shown = await shares(['one', 'two', 'three'], {
      after: async () => stage.text === 'one' && deletes([stage.latest.id]),
    });
    expect(shown).toEqual([
      ['one', true],
      ['two', true],
    ]);
    await isForgotten();
  });

  it.each([
    ['before the bot has noted it', { before: (id: string) => deletes([id]) }],
    ['before the conversation there has it', { after: (id: string) => deletes([id]) }],
    ['by its button, before the conversation there has it', { after: pressesDelete }],
  ])('isn’t remembered there: %s', async (_, when) => {
    await shares(['one'], when);
    await isForgotten();
  });

  it('goes with the answer itself, which its requester deletes before the bot has noted the copy', async () => {
    const shown = await shares(['one'], { before: () => stage.pressOn(privately()[0], 'Delete') });
    expect(shown).toEqual([['one', true]]);
  });
});

describe('an answer that’s shared in several messages', () => {
  /** The platform fails as often, behind the first message; what's there is found by its key. */
  async function shares(...failures: readonly PlatformErrorKind[]) {
    stage = await Stage.open();
    const adapter = stage.adapter();
    const left = [...failures];
    const post: PlatformAdapter['post'] = async (address, message, key, onPosted) => {
      const first = await adapter.post(address, { ...message, text: 'one' }, `${key} one`);
      await onPosted?.(first);
      const failure = left.shift();
      if (failure) throw new PlatformError(failure);
      return adapter.post(address, { ...message, text: 'two' }, key);
    };
    stage.platformWith({ post });
    await stage.give('ask', { prompt: 'Remember the number 4711.', private: 'true' });
    await stage.press('Share here');
  }
  const deletesData = async () => {
    await stage.give('privacy');
    await stage.press('Delete my data');
    await stage.press('Delete my data');
  };
  const shown = () =>
    publicly()
      .filter(({ id }) => !stage.removed.includes(id))
      .map(({ message: { text } }) => text);

  it('leaves no part of it where the platform refuses the rest', async () => {
    await shares('no-permission');
    expect(stage.text).toContain('I’m not allowed to do this.');
    expect(shown()).toEqual([]);
  });

  it('is completed where the platform is away for a while', async () => {
    await shares('unreachable', 'unreachable');
    await stage.until(() => shown().includes('two'));
    expect(new Set(shown())).toEqual(new Set(['one', 'two']));
  });

  it('leaves no part of it where the platform is away for a while, and refuses the rest then', async () => {
    await shares('unreachable', 'no-permission');
    await stage.until(() => shown().length === 0);
  });

  it.each([
    ['its requester deletes it', () => stage.pressOn(privately()[0], 'Delete')],
    ['its question is deleted', () => deletesQuestions(1)],
    ['its requester deletes their data', deletesData],
    [
      'its requester is blocked',
      () => stage.give('settings', { blocked: '<@ann>', scope: 'workspace' }, admin),
    ],
    ['a word of it is blocked', () => stage.give('settings', { blocked_words: '4711' }, admin)],
    ['its command is turned off', () => stage.give('settings', { off: 'ask' }, admin)],
    ['its requester may write there no more', async () => void stage.absent.add('ann')],
  ])(
    'leaves no part of it, nor a record, where the platform is away and meanwhile %s',
    async (_, happens) => {
      await shares(...Array.from({ length: 20 }, () => 'unreachable' as const));
      expect(shown()).toContain('one');
      await happens();
      await stage.until(() => !shown().includes('one'));
      await stage.clock.advance(3_600_000);
      expect(shown()).not.toContain('two');
      const kept = stage.database.selectFrom('keyv').select('key').where('key', 'like', '%sharing %');
      expect(await kept.execute()).toEqual([]);
    },
  );

  it('isn’t posted anew hours after a moderator deleted its part, where the platform is away for as long', async () => {
    await shares(...Array.from({ length: 20 }, () => 'unreachable' as const));
    stage.platformWith({ post: () => Promise.reject(new PlatformError('unreachable')) });
    const parts = publicly();
    await deletes(parts.map(({ id }) => id));
    for (let hour = 0; hour < 8; hour++) await stage.clock.advance(3_600_000);
    stage.platformWith({});
    await stage.clock.advance(3_600_000);
    expect(parts).not.toEqual([]);
    expect(publicly()).toEqual(parts);
  });

  it('isn’t begun later where its requester deletes it before the platform has taken anything', async () => {
    stage = await Stage.open();
    stage.platformWith({ post: () => Promise.reject(new PlatformError('unreachable')) });
    await stage.give('ask', { prompt: 'Remember the number 4711.', private: 'true' });
    await stage.press('Share here');
    await stage.press('Delete');
    stage.platformWith({});
    await stage.clock.advance(3_600_000);
    expect(shown()).toEqual([]);
  });
});

it.each([
  ['Listen', 'accepted'],
  ['Draw it', 'form'],
] as const)('%s works under a private answer where the bot may post no files', async (label, kind) => {
  stage = await Stage.open();
  await stage.give('ask', { ...wishes.ask, private: 'true' });
  const prepared = await stage.bot.dispatcher.preparePress({
    eventId: 'press',
    actionId: stage.buttonId(label),
    address: here,
    message: { ...here, message: stage.latest.id },
    requester: ann,
    postingLimits: { files: 'Attach Files' },
  });
  expect(prepared.kind).toBe(kind);
});

describe('a private command whose words its requester deletes', () => {
  const labels = () => privately().flatMap(({ message }) => message.buttons?.map(({ label }) => label) ?? []);
  /** What each waits for at the service, so that it's under way. */
  const slowly = { ask: ' [[slow 5]]', speak: ' [[slow 5]]', imagine: '', video: '' };

  it.each(talents)('/%s: at once, it’s answered all the same', async (talent) => {
    stage = await Stage.open();
    await deletesQuestions(1);
    await stage.give(talent, wish(talent));
    await settled();
    expect(labels()).toContain('Share here');
    expect(publicly()).toEqual([]);
    expect(String(await remembered())).not.toContain(secret);
  });

  it.each(talents)('/%s: under way, it’s answered all the same', async (talent) => {
    stage = await Stage.open({ sandbox: { renderTime: 60 } });
    const given = stage.give(talent, wish(talent, slowly[talent]));
    await untilSent();
    await deletesQuestions(1);
    await given;
    await settled();
    expect(labels()).toContain('Share here');
    expect(stage.removed).toEqual([]);
    expect(publicly()).toEqual([]);
    expect(String(await remembered())).not.toContain(secret);
  });

  it('while it waits for its turn: it’s answered, and forgotten afterwards', async () => {
    stage = await Stage.open();
    const first = stage.give('ask', { prompt: 'Write 2000 characters [[stall]]', private: 'true' });
    await stage.untilWritten();
    const second = stage.give('ask', wish('ask'));
    await deletesQuestions(2);
    await stage.press('Stop');
    await Promise.all([first, second]);
    await settled();
    expect(JSON.stringify(privately())).toContain(secret);
    expect(String(await remembered())).toContain('2000 characters');
    expect(String(await remembered())).not.toContain(secret);
  });

  it('and whose process dies: what can be read of it stays, and it’s forgotten', async () => {
    stage = await Stage.open({ crashes: true });
    const prompt = `${secret}: write 2000 characters [[stall]]`;
    stage.give('ask', { prompt, private: 'true' }).catch(() => {});
    await stage.untilWritten();
    await deletesQuestions(1);
    await stage.crash();
    await settled();
    expect(stage.removed).toEqual([]);
    expect(labels()).toContain('Try again');
    expect(String(await remembered())).not.toContain(secret);
  });

  it('once its price is asked for: it’s asked on', async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('imagine', wish('imagine'));
    await deletesQuestions(1);
    expect(await stage.press('Yes, go ahead')).toMatchObject({ kind: 'accepted' });
    await settled();
    expect(hasFile()).toBe(true);
  });

  it('once it waits for its platform: it comes', async () => {
    stage = await Stage.open();
    stage.refuses = (message) =>
      JSON.stringify(message).includes(secret) ? new PlatformError('unreachable') : undefined;
    const given = stage.give('ask', wish('ask'));
    await stage.until(() => stage.bot.deliveries.outstanding > 0);
    await given;
    await deletesQuestions(1);
    stage.refuses = () => undefined;
    await settled();
    expect(JSON.stringify(privately())).toContain(secret);
    expect(String(await remembered())).not.toContain(secret);
  });
});

it.each([
  ['where the command was given', true, here],
  ['there if its person can’t write where the command was given any more', false, directWith('ann')],
])('a button pressed in direct messages goes on %s', async (_, isThere, expected) => {
  stage = await Stage.open();
  if (!isThere) stage.absent.add('ann');
  await stage.give('imagine', wish('imagine'));
  await settled();
  const found = stage.latest;
  await stage.pressOn({ ...found, address: directWith('ann') }, 'Again', { ...ann, direct: true });
  const jobs = await stage.database.selectFrom('jobs').select('address').execute();
  expect(jobs.map(({ address }) => JSON.parse(address))).toEqual([
    { ...here, onlyFor: 'ann' },
    { ...expected, onlyFor: 'ann' },
  ]);
  await settled();
});
