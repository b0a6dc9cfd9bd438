import { describe, expect, test } from 'vitest';
import {
  type DeletedMessages,
  type Job,
  type LiveAnswer,
  longestAbsence,
} from '../../../../src/port/index.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { type Channel, type FakePerson, type Installation, shown } from '../../../fakes/slack/index.ts';
import { clip, type Delivering, startDelivering } from '../support/delivering.ts';
import { askButtons, type Stage, type StageOptions } from '../support/stage.ts';

const minute = 60_000;
let delivering: Delivering;
let stage: Stage;
let answers: { job: Job; live: LiveAnswer }[];

async function begin(options: StageOptions = {}): Promise<Stage> {
  answers = [];
  delivering = await startDelivering({
    scripts: {
      ask: async ({ job, reply }) =>
        void answers.push({ job, live: reply.stream({ buttons: askButtons(job.id) }) }),
    },
    ...options,
  });
  stage = delivering.stage;
  return stage;
}

const speak = (channel: Channel, options: Job['options'] = {}) =>
  delivering.speak(stage.ada, channel, options);

/** An answer of which the first words are to be read. */
async function answering(person: FakePerson, channel: Channel) {
  const before = answers.length;
  const { message } = person.says(`${person.bot} hello`, channel);
  await stage.until(() => answers.length > before);
  const answer = answers.at(-1) as (typeof answers)[number];
  answer.live.append('The first words ');
  await stage.pass(4_000);
  return { ...answer, thread: message.ts };
}

const end = ({ job, live }: (typeof answers)[number]) => {
  live.append('and the last.');
  return delivering.deliveries.deliver(
    job,
    { text: live.text, buttons: askButtons(job.id)({ kind: 'done' }) },
    () => live.finish({ kind: 'done' }),
  );
};

const whole = 'The first words and the last.';
const texts = (channel: Channel, thread: string) => stage.posts(channel, thread).map(shown).join('\n');
const files = (channel: Channel) => delivering.files(channel);

/** Makes Slack refuse the token with this code; returns what makes it work again. */
function lose(installation: Installation, code: string): () => void {
  const { ada, general, slack } = stage;
  const { installations } = slack.world;
  if (code === notGranted) {
    // The token itself works: it’s an organization’s.
    const isAboutWorkspace = (args: object) => Object.keys(args).length > 0;
    slack.api.faults.plan('*', { kind: 'error', code }, 1_000_000, isAboutWorkspace);
    return () => {
      slack.api.faults.clear();
      ada.says('not to the bot', general);
    };
  }
  if (code === 'invalid_auth') {
    installations.delete(installation.token);
    return () => void installations.set(installation.token, installation);
  }
  installation.state = code as 'token_revoked';
  return () => {
    installation.state = 'active';
  };
}

const notGranted = 'team_access_not_granted';
const codes = ['account_inactive', 'token_revoked', 'invalid_auth', notGranted];

describe.each(codes)('a token that Slack refuses (%s)', (code) => {
  test.each(['direct messages', 'a channel'])(
    'while an answer grows in %s: it comes whole, once, when the app is back',
    async (where) => {
      const { ada, general, installation, slack } = await begin();
      const channel = where === 'a channel' ? general : ada.directMessages;
      const answer = await answering(ada, channel);
      const mend = lose(installation, code);
      const ended = end(answer);
      await stage.pass(10 * minute);
      const before = slack.api.calls.length;
      await stage.pass(60 * minute);
      // One look a minute whether the token is good again, and the answer's own rare tries.
      expect(slack.api.calls.length - before).toBeLessThan(60 + 60);
      mend();
      await stage.pass(15 * minute);
      await ended;
      const text = texts(channel, answer.thread);
      // What a stream shows stays there; the rest comes below it.
      for (const words of ['The first', 'words', 'and the last.']) expect(text.split(words)).toHaveLength(2);
      expect(text).toContain('Regenerate');
    },
  );

  test('before a file is posted: it comes once, when the app is back', async () => {
    const { general, installation, slack } = await begin();
    const mend = lose(installation, code);
    await speak(general);
    await stage.pass(60 * minute);
    const before = slack.api.calls.length;
    await stage.pass(60 * minute);
    expect(slack.api.calls.length - before).toBeLessThan(60 + 60);
    mend();
    await stage.until(() => files(general).length === 1, 10 * minute);
    await stage.pass(20 * minute);
    expect(files(general)).toHaveLength(1);
  });

  test('between the upload of a file and its end', async () => {
    const { general, installation, slack } = await begin();
    let mend: (() => void) | undefined;
    slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code }, 1, () => {
      mend ??= lose(installation, code);
      return true;
    });
    await speak(general);
    while (mend === undefined) await stage.quiet();
    await stage.pass(60 * minute);
    mend();
    await stage.until(() => files(general).length === 1, 10 * minute);
    await stage.pass(20 * minute);
    expect(files(general)).toHaveLength(1);
  });
});

test('a workspace that an organization’s token isn’t let into says nothing about the token', async () => {
  const { ada, general, installation, log, platform } = await begin();
  const mend = lose(installation, notGranted);
  ada.says(`${ada.bot} hello`, general);
  await stage.pass(2 * minute);
  expect(platform.notReady()).toBeUndefined();
  expect(JSON.stringify(log)).not.toContain('SLACK_BOT_TOKEN');
  mend();
});

test('an app that was taken out of a workspace brings what it owes when it is installed there again', async () => {
  await begin({ mode: 'oauth' });
  const { slack, workspace, general, chief } = stage;
  await stage.install(chief);
  for (const { done } of slack.uninstall(workspace)) await stage.done(done);
  await speak(general);
  await stage.pass(120 * minute);
  expect(files(general)).toEqual([]);
  // Nobody is asked with a token that is no more.
  const before = slack.api.calls.length;
  await stage.pass(60 * minute);
  expect(slack.api.calls.length).toBe(before);
  await stage.install(chief);
  await stage.until(() => files(general).length === 1, 10 * minute);
  await stage.pass(20 * minute);
  expect(files(general)).toHaveLength(1);
});

test('an app with a token of its own buys nothing more in its workspace once it’s taken out there, and deletes nothing: operators may replace the token', async () => {
  const deleted: DeletedMessages[] = [];
  await begin({ deleted: async (one) => void deleted.push(one) });
  const { slack, workspace } = stage;
  for (const { done } of slack.uninstall(workspace)) await stage.done(done);
  const place = { workspace: workspace.id };
  expect(deleted[0]).toEqual({ platform: 'slack', messages: [], place, isWaitedFor: true });
  expect(await stage.platform.isIn?.(workspace.id)).toBe(true);
  expect(await stage.platform.isIn?.('T0ANOTHER')).toBe(false);
});

test('events of an uninstallation end nothing where a token of its own still works', async () => {
  const deleted: DeletedMessages[] = [];
  await begin({ deleted: async (one) => void deleted.push(one) });
  await stage.done(stage.slack.sendEvent(stage.workspace, { type: 'app_uninstalled' }).done);
  await stage.pass(2 * minute);
  expect(deleted).toEqual([]);
});

describe('a workspace that nobody installs the app in again', () => {
  const hour = 60 * minute;
  /** How long a result waits there, by the record, before this process has seen anything of it. */
  const hasLasted = (milliseconds: number) => {
    const { database, clock, workspace } = stage;
    return openKeyv(database, 'slack', () => clock.now()).set(`no access ${workspace.id}`, milliseconds);
  };
  const install = async () => {
    await begin({ mode: 'oauth' });
    await stage.install(stage.chief);
    return [...stage.slack.world.installations.values()].at(-1)!;
  };
  const logged = (what: string) => delivering.log.filter(({ message }) => message === what);

  test('is asked ever more rarely, and told of once in the log; a sign of life ends that', async () => {
    const installation = await install();
    const { general, slack, ada } = stage;
    const mend = lose(installation, 'account_inactive');
    await speak(general);
    await stage.pass(8 * hour);
    const before = slack.api.calls.length;
    await stage.pass(4 * hour);
    expect(slack.api.calls.length - before).toBeLessThanOrEqual(1);
    expect(logged('a result could not be posted yet').length).toBeLessThanOrEqual(1);
    mend();
    ada.says('not to the bot', general);
    await stage.until(() => files(general).length === 1, 10 * minute);
  });

  test.each(['is refused', 'is gone'])(
    'whose token %s: after 30 days of running time a result is given up, kept on record as failed',
    async (what) => {
      const installation = await install();
      const { general, slack, workspace, database } = stage;
      if (what === 'is refused') lose(installation, 'account_inactive');
      else for (const { done } of slack.uninstall(workspace)) await stage.done(done);
      await hasLasted(longestAbsence - hour);
      await speak(general);
      await stage.pass(50 * minute);
      expect(await delivering.deliveries.pendingIds()).toHaveLength(1);
      await stage.pass(20 * minute);
      expect(await delivering.deliveries.pendingIds()).toEqual([]);
      expect(logged("an answer couldn't be posted anywhere")).toHaveLength(1);
      const { state } = await database
        .selectFrom('jobs')
        .select('state')
        .where('id', '=', 'job1')
        .executeTakeFirstOrThrow();
      expect(state).toBe('failed');
      const calls = slack.api.calls.length;
      await stage.pass(2 * hour);
      expect(slack.api.calls).toHaveLength(calls);
    },
  );
});

describe('somebody who is taken out of the channel while they are answered', () => {
  test.each([
    ['a member', {}],
    ['a guest', { guest: true }],
  ])('%s: the answer stays whole where it was asked for', async (_, user) => {
    const { slack, workspace } = await begin();
    const gus = slack.person(workspace, { name: 'gus', ...user });
    const room = slack.channel(workspace, 'room', [gus]);
    const answer = await answering(gus, room);
    room.members.delete(gus.user.id);
    const ended = end(answer);
    await stage.pass(minute);
    await ended;
    expect(texts(room, answer.thread)).toContain(whole);
    expect([...slack.world.sessions.values()].map(({ status }) => status)).toEqual(['active']);
  });

  test('gets what only they may see directly', async () => {
    const { general, ada } = await begin({
      scripts: {
        usage: async ({ reply }) => {
          general.members.delete(ada.user.id);
          await reply.say({ text: 'Used: 22', files: clip.files ?? [] });
        },
      },
    });
    await ada.types('/troupe usage', general);
    await stage.until(() => files(ada.directMessages).length === 1);
    expect(stage.posts(general)).toEqual([]);
  });

  test('and has no account any more: a private clip is given up, and the bot lives on', async () => {
    const { ada, general, slack } = await begin();
    ada.user.disabled = true;
    await speak(general, { private: true });
    await stage.pass(60 * minute);
    expect(await delivering.deliveries.pendingIds()).toEqual([]);
    const before = slack.api.calls.length;
    await stage.pass(60 * minute);
    expect(slack.api.calls.length - before).toBe(0);
  });
});
