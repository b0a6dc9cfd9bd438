import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { bringNotice, type Explanation } from '../../src/engine/index.ts';
import {
  actionId,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import { createJobs, createLiveAnswers, type Database } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { adapterWith } from '../fakes/adapter.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { type AnyCommand, defineCommand } from '../fakes/commands.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled, personCalled } from '../fakes/records.ts';
import { startRecovery } from '../platforms/recover.ts';

const address = { platform: 'discord', workspace: 'w', channel: 'c' } as const;
const message: MessageAddress = { ...address, message: 'm' };
const description = { en: 'x', 'zh-CN': 'x' };
const command = (name: string, more: object = {}): AnyCommand => ({
  ...defineCommand<Record<string, never>>({
    name,
    description,
    help: description,
    options: {},
    textOption: 'prompt',
    seenBy: 'channel',
    run: async () => {},
  }),
  ...more,
});
const commands = [
  command('ask'),
  command('usage', { seenBy: 'requester' }),
  command('video', { interrupted: async () => 'goes-on' }),
  command('speak', {
    interrupted: async () => 'goes-on',
    revive: () => ({ faults: [{ option: 'speak', code: 'other-version' }] }),
  }),
  command('imagine', {
    isInterim: (shown: string) => shown.endsWith('…'),
    about: ({ options: { prompt } }: Job) => `> ${prompt}`,
  }),
];

let database: Database;
let clock: FakeClock;
let done: [what: string, message: Message][];
let failure: (what: string) => Error | undefined;
let adapter: PlatformAdapter;

/** Sets the scene on a database. */
async function begin(url: string): Promise<void> {
  database = await databaseOfTest(url);
  clock = new FakeClock();
  done = [];
  failure = () => undefined;
  const take = (what: string) => async (_: unknown, content: Message) => {
    const error = failure(what);
    if (error) throw error;
    done.push([what, content]);
    return message;
  };
  adapter = adapterWith({
    platform: 'discord',
    post: take('post'),
    edit: take('edit'),
    answerInterrupted: take('settle'),
  });
}

const requester = personCalled('u');
const left = async (id: string, name: string, more: Partial<Job> = {}) => {
  const options = { prompt: `prompt of ${id}` };
  const job = jobCalled(id, { command: name, options, address, requester, ...more });
  await createJobs(database).add(job, `event of ${id}`);
};
const recover = () => startRecovery(database, adapter, commands, clock);
const recovered = async () => (await recover()).recovery.settled();
const answer = (jobId: string, kind: 'said' | 'growing', lastText: string) =>
  createLiveAnswers(database).save(jobId, { messages: [message], lastText }, kind);
const asked = (id: string, text = `prompt of ${id}`): Message => ({
  whose: { requester, command: 'ask', options: { prompt: `prompt of ${id}` }, text },
});
/** What's told below it may be deleted without it. */
const cut = `Half an ans\n\n${words('en').endings.interrupted}`;
const word = (id: string): Message => ({
  ...asked(id, ''),
  text: words('en').interrupted(`prompt of ${id}`),
  buttons: [{ id: actionId('ask', 'again', id), label: 'Try again' }],
});

describe.each(databases)('on $name', ({ fresh }) => {
  beforeEach(async () => begin(await fresh()));

  describe('a command of this process whose platform takes nothing', () => {
    it('is told of when the platform is back, once, and then ended', async () => {
      await left('1', 'ask');
      const { recovery } = await recover();
      await recovery.settled();
      done.length = 0;
      failure = () => new PlatformError('unreachable');
      await left('2', 'ask');
      const failed = await createJobs(database).find('2');
      if (!failed) throw new Error('no job');
      recovery.notifyLater(failed, new PlatformError('unreachable'));
      await clock.advance(10_000);
      expect(done).toEqual([]);
      failure = () => undefined;
      await clock.advance(60_000);
      await recovery.settled();
      expect(done).toEqual([['post', word('2')]]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });

    it('isn’t told of if somebody deletes it before the platform is back', async () => {
      await left('1', 'ask');
      failure = () => new PlatformError('unreachable');
      const { recovery } = await recover();
      await clock.advance(10_000);
      // The try that's under way is over: the next one waits.
      await expect.poll(() => clock.pending).toBeGreaterThan(0);
      await createJobs(database).markDeleted('1', 'question');
      failure = () => undefined;
      await clock.advance(60_000);
      await recovery.settled();
      expect(done).toEqual([]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });
  });

  it('leaves what goes on by a record of its own to that, whether this version can read its options or not', async () => {
    await left('1', 'speak');
    await recovered();
    expect(done).toEqual([]);
    expect(await createJobs(database).unfinished()).toEqual([]);
  });

  describe('a command of this process that failed, and whose platform took not even the reason', () => {
    const reason = { text: 'The service failed.', buttons: [] };

    async function told(explanation: Explanation, name = 'ask', shown?: string) {
      await left('1', 'ask');
      const { recovery } = await recover();
      await recovery.settled();
      done.length = 0;
      await left('2', name);
      if (shown !== undefined) await answer('2', 'said', shown);
      const failed = (await createJobs(database).find('2')) as Job;
      recovery.notifyLater(failed, new PlatformError('unreachable'), explanation);
      await recovery.settled();
      expect(await createJobs(database).unfinished()).toEqual([]);
      return done;
    }

    it('is told that reason, and of no interruption', async () => {
      expect(await told(reason)).toEqual([['post', { ...reason, ...asked('2') }]]);
    });

    describe('and that had announced what it can’t begin', () => {
      const announced = '> prompt of 2\nDrawing…';
      const below = { text: `> prompt of 2\n${reason.text}`, unquoted: reason.text, buttons: [] };
      const { whose } = asked('2', '');

      it('is told that reason in its place', async () => {
        expect(await told(reason, 'imagine', announced)).toMatchObject([['edit', below]]);
      });

      it('is told it once where an earlier try got through', async () => {
        expect(await told(reason, 'imagine', below.text)).toEqual([]);
      });

      it.each(['gone', 'expired'] as const)(
        'is told it anew, with whose it is, where that’s %s',
        async (kind) => {
          failure = (what) => (what === 'edit' ? new PlatformError(kind) : undefined);
          expect(await told(reason, 'imagine', announced)).toMatchObject([
            ['post', { ...below, whose: { ...whose, command: 'imagine' } }],
          ]);
        },
      );
    });

    it('is told alone what is nobody else’s business', async () => {
      const opened: unknown[] = [];
      adapter = {
        ...adapter,
        directMessages: async (workspace, person) => {
          opened.push([workspace, person]);
          return { platform: 'discord', workspace: 'd', channel: 'd' };
        },
        post: async ({ channel }, content) => {
          done.push([channel, content]);
          return message;
        },
      };
      expect(await told({ ...reason, privately: true })).toEqual([['d', { ...reason, ...asked('2') }]]);
      expect(opened).toEqual([['w', 'u']]);
    });

    it('is told where it was asked for after all where they take no direct messages', async () => {
      adapter = {
        ...adapter,
        directMessages: async () => {
          throw new PlatformError('no-permission');
        },
      };
      expect(await told({ ...reason, privately: true })).toEqual([['post', { ...reason, ...asked('2') }]]);
    });
  });

  describe('the recovery after a crash', () => {
    it('keeps what was written, takes its Stop away, and says below it what happened', async () => {
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      await recovered();
      expect(done).toEqual([
        ['edit', { text: cut }],
        ['post', word('a')],
      ]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });

    it.each([
      ['in the same edit, which can be repeated', 100, [['edit', `Half an ans\n\n${word('a').text}`]]],
      [
        'below it, if that’s too long for one message',
        45,
        [
          ['edit', cut],
          ['post', word('a').text],
        ],
      ],
    ])('says it where a post can’t be recognised %s', async (_, maxLength, expected) => {
      adapter = { ...adapter, postsOnce: () => false, messageLimits: async () => ({ maxLength }) };
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      await recovered();
      expect(done.map(([what, { text }]) => [what, text])).toEqual(expected);
    });

    it('takes back a hint, and adds to what was said whole', async () => {
      await left('a', 'ask');
      await answer('a', 'growing', '');
      await left('b', 'ask');
      await answer('b', 'said', 'Drawing…');
      await recovered();
      expect(done).toEqual([
        ['edit', word('a')],
        ['edit', { ...word('b'), text: `Drawing…\n\n${word('b').text}` }],
      ]);
    });

    it('says it below what cannot be changed any more, and with the words where the message is gone', async () => {
      const refuse = (kind: 'refused' | 'gone') => (what: string) =>
        what === 'edit' ? new PlatformError(kind) : undefined;
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      failure = refuse('refused');
      await recovered();
      expect(done).toEqual([['post', word('a')]]);

      await left('b', 'ask');
      await answer('b', 'growing', 'Half an ans');
      failure = refuse('gone');
      await recovered();
      expect(done.at(-1)).toEqual(['post', { ...word('b'), text: `Half an ans\n\n${word('b').text}` }]);
    });

    it('ends the words with it where the bot may post nothing, nor message the requester', async () => {
      const ended: unknown[] = [];
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      failure = (what) => (what === 'post' ? new PlatformError('no-permission') : undefined);
      Object.assign(adapter, {
        directMessages: async () => {
          throw new PlatformError('no-permission');
        },
      });
      const end = async (...content: unknown[]) => void ended.push(content);
      const given = [database, adapter, commands, clock, undefined, undefined, end] as const;
      await (await startRecovery(...given)).recovery.settled();
      expect(ended).toEqual([[message, { text: `Half an ans\n\n${word('a').text}` }]]);
    });

    it('says it and the words to the requester alone where somebody deleted the message', async () => {
      const direct = { ...address, channel: 'direct' };
      Object.assign(adapter, {
        directMessages: async () => direct,
        post: async (at: unknown, content: Message) => {
          done.push([at === direct ? 'whisper' : 'post', content]);
          return message;
        },
      });
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      failure = () => new PlatformError('deleted');
      await recovered();
      expect(done).toEqual([['whisper', { ...word('a'), text: `Half an ans\n\n${word('a').text}` }]]);
    });

    it('takes away what it says of a question that somebody deletes meanwhile, with what stands of its answer', async () => {
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      const notice = { ...address, message: 'notice' };
      adapter = {
        ...adapter,
        post: async () => {
          await createJobs(database).markDeleted('a', 'question');
          return notice;
        },
      };
      const taken: MessageAddress[] = [];
      const takeAway = async ({ id }: Job) =>
        void taken.push(...(await createLiveAnswers(database).messagesOf(id)));
      await (await startRecovery(database, adapter, commands, clock, takeAway)).recovery.settled();
      expect(taken).toEqual([message, notice]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });

    it('leaves to the requester what they were told alone since somebody deleted the message', async () => {
      const direct = { ...address, channel: 'direct' };
      adapter = {
        ...adapter,
        directMessages: async () => direct,
        edit: async () => {
          await createJobs(database).markDeleted('a', 'answer');
          throw new PlatformError('deleted');
        },
        post: async (at) => ({ ...at, message: 'notice' }),
      };
      await left('a', 'ask');
      await answer('a', 'growing', 'Half an ans');
      const taken: string[] = [];
      const takeAway = async ({ id }: Job) => void taken.push(id);
      await (await startRecovery(database, adapter, commands, clock, takeAway)).recovery.settled();
      expect(taken).toEqual([]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });

    it('settles what was only acknowledged, and posts where that is too late', async () => {
      const acknowledgement = { token: 't' };
      await left('a', 'ask', { acknowledgement });
      await recovered();
      expect(done).toEqual([['settle', word('a')]]);

      await left('b', 'ask', { acknowledgement });
      failure = (what) => (what === 'settle' ? new PlatformError('expired') : undefined);
      await recovered();
      expect(done.at(-1)).toEqual(['post', word('b')]);
    });

    it('shows nobody else what only the requester was to see', async () => {
      await left('a', 'usage');
      await left('b', 'usage', { acknowledgement: { token: 't' } });
      await recovered();
      expect(done.map(([what]) => what)).toEqual(['settle']);
    });

    it('leaves alone what goes on by itself', async () => {
      await left('a', 'video');
      await recovered();
      expect(done).toEqual([]);
      expect(await createJobs(database).unfinished()).toEqual([]);
    });

    it('waits for a platform that is away, and leaves the rest to the next start when it is closed', async () => {
      await left('a', 'ask');
      failure = () => new PlatformError('unreachable');
      const { count, recovery } = await recover();
      expect(count).toBe(1);
      await clock.advance(10_000);
      expect(await createJobs(database).unfinished()).toHaveLength(1);
      failure = () => undefined;
      await clock.advance(60_000);
      await recovery.settled();
      expect(done).toEqual([['post', word('a')]]);

      await left('b', 'ask');
      failure = () => new PlatformError('unreachable');
      const { recovery: second } = await recover();
      await settle();
      await second.close();
      expect(await createJobs(database).unfinished()).toHaveLength(1);
    });

    it('goes on in the order in which a place was spoken to', async () => {
      for (const id of ['a', 'b', 'c']) await left(id, 'ask');
      await recovered();
      expect(done.map(([, { text }]) => text)).toEqual(['a', 'b', 'c'].map((id) => word(id).text));
    });

    it('names a long request up to an emoji, not to the middle of it', async () => {
      await left('a', 'ask', { options: { prompt: `${'a'.repeat(78)}🐈 and its tail` } });
      await recovered();
      expect(done.map(([, { text }]) => text)).toEqual([words('en').interrupted(`${'a'.repeat(78)}…`)]);
    });

    it('gives up where there is nobody left to tell', async () => {
      await left('a', 'ask');
      failure = () => new PlatformError('gone');
      Object.assign(adapter, {
        directMessages: async () => {
          throw new PlatformError('no-permission');
        },
      });
      await recovered();
      expect(await createJobs(database).unfinished()).toEqual([]);
    });
  });
});

describe('what a requester is told alone', () => {
  beforeEach(() => begin('sqlite::memory:'));

  it('comes once for each thing there is to tell, though platforms take a post of the same name once', async () => {
    const taken = new Map<string, string>();
    const telling = {
      ...adapter,
      directMessages: async () => ({ ...address, channel: 'd' }),
      post: async (_: unknown, { text = '' }: Message, key: string) => {
        if (!taken.has(key)) taken.set(key, text);
        return message;
      },
    } as PlatformAdapter;
    const job = jobCalled('1', { options: { private: true }, address, requester });
    for (const name of ['interrupted', 'blocked', 'nowhere', 'nowhere'])
      await bringNotice(telling, job, { message: { text: name }, name });
    expect([...taken.values()]).toEqual(['interrupted', 'blocked', 'nowhere']);
  });
});

describe('what its requester is told alone where the answer stands', () => {
  beforeEach(() => begin('sqlite::memory:'));

  it('ends the answer nonetheless, as soon as that can be', async () => {
    const closed = async () => {
      throw new PlatformError('no-permission');
    };
    const whispered = { ...message, message: '' };
    const telling = adapterWith({
      ...{ platform: 'slack', hidesAside: true, messageLimits: async () => ({ maxLength: 4_000 }) },
      ...{ post: closed, edit: closed, directMessages: closed, postAside: async () => whispered },
    });
    const job = jobCalled('1', { address, requester });
    const ended: [MessageAddress, Message][] = [];
    const at = await bringNotice(telling, job, {
      ...{ message: { text: 'It ends here.' }, name: 'nowhere' },
      answer: { kind: 'growing', messages: [message], lastText: 'Half an ans' },
      endMessage: async (...end) => void ended.push(end),
    });
    expect(at).toEqual(whispered);
    expect(ended).toEqual([[message, { text: 'Half an ans\n\nIt ends here.' }]]);
  });
});

describe('the recovery on SQLite', () => {
  beforeEach(() => begin('sqlite::memory:'));

  it('waits for a database that takes no writes, and does not need another start', async () => {
    await left('a', 'ask');
    await sql`pragma query_only = 1`.execute(database);
    const { recovery } = await recover();
    await clock.advance(600_000);
    expect(await createJobs(database).unfinished()).toHaveLength(1);
    await sql`pragma query_only = 0`.execute(database);
    await clock.advance(60_000);
    await recovery.settled();
    expect(await createJobs(database).unfinished()).toEqual([]);
    expect(done).toEqual([['post', word('a')]]);
  });
});
