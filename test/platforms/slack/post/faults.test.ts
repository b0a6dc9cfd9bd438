import { describe, expect, test } from 'vitest';
import { sleep } from '../../../../src/lib/clock.ts';
import { methods } from '../../../../src/platforms/slack/api/rate-limits.ts';
import { image } from '../../../fakes/outgoing-files.ts';
import type { Fault, Json } from '../../../fakes/slack/index.ts';
import { askButtons, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

const clip = { ...image, name: 'speech.mp3', contentType: 'audio/mpeg', kind: 'audio' } as const;

/** One of everything a person can do. Returns what has to be there in the end. */
async function everything(): Promise<void> {
  const { ada, general, chief } = stage;
  ada.opensApp();
  ada.says('hello', ada.directMessages);
  await stage.done(ada.types('/ask hello', general));
  await stage.done(ada.types('/imagine a cat', general));
  await stage.done(ada.types('/speak hello', general));
  await stage.until(
    () => [...stage.workspace.files.values()].filter(({ readAt }) => readAt).length === 2,
    300_000,
  );
  await stage.until(() => stage.texts(general).some((text) => text.includes('Delete')), 300_000);
  await stage.until(
    () => stage.texts(ada.directMessages).some((text) => text.includes('Regenerate')),
    300_000,
  );
  const drawn = stage.posts(general).find((message) => JSON.stringify(message.blocks).includes('Delete'));
  if (!drawn) throw new Error('no image');
  await stage.done(chief.presses(drawn, 'Delete'));
  await stage.until(() => !stage.posts(general).includes(drawn), 300_000);
  ada.says(ada.bot, general);
  await stage.until(() => ada.whispers.length > 0, 300_000);
  // A trigger lives three seconds: where the form was refused, people press again.
  for (let tries = 0; tries < 3 && !ada.form; tries++) {
    await stage.done(ada.types('/video', general));
    await stage.pass(20_000);
  }
  expect(ada.form).toBeDefined();
}

const scripts: StageOptions['scripts'] = {
  ask: async ({ job, options, reply }) => {
    const live = reply.stream({ buttons: askButtons(job.id) });
    await sleep(stage.clock, 1_000);
    live.append('You asked: ');
    await sleep(stage.clock, 4_000);
    live.append((options as { prompt: string }).prompt);
    await sleep(stage.clock, 4_000);
    live.append(' and more');
    await sleep(stage.clock, 4_000);
    await live.finish({ kind: 'done' });
  },
  imagine: async ({ reply, job }) => {
    const message = await reply.say({ text: 'Drawing…' });
    const buttons = [{ id: `imagine.remove:${job.id}`, label: 'Delete' }];
    await stage.platform.adapter.complete(message, { text: 'a cat', files: [image], buttons }, job.id);
  },
  speak: async ({ reply }) => void (await reply.say({ text: 'hello', files: [clip] })),
};
const presses: StageOptions['presses'] = {
  'imagine.remove': ({ message }) => stage.platform.adapter.remove(message),
};

/** Some methods are only called after something was lost, or where there is nothing better. */
function prepareFor(method: string): void {
  if (method.startsWith('assistant.threads.set') && method !== 'assistant.threads.setSuggestedPrompts') {
    stage.slack.world.readings.agentSessions = 'refused';
  }
  if (method === 'conversations.replies') {
    stage.slack.api.faults.plan('chat.stopStream', { kind: 'cut', when: 'after' });
  }
  if (method !== 'conversations.history') return;
  const isRoot = ({ thread_ts }: Json) => thread_ts === undefined;
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'cut', when: 'after' }, 1, isRoot);
}

/** Methods that these people's wishes do not need. */
const others = [
  ...['conversations.open', 'conversations.members', 'agents.sessions.rename'],
  // home/faults.test.ts has these.
  ...['chat.getPermalink', 'conversations.join', 'functions.completeError', 'functions.completeSuccess'],
  ...['views.publish', 'views.push', 'views.update'],
];
const faultable = Object.keys(methods).filter((method) => !others.includes(method));
const sorted = Object.groupBy(faultable, (method) => {
  if (method === 'conversations.replies') return 'what looks for a lost end';
  if (/^(agents|conversations\.history)/.test(method)) return 'what looks for a lost post';
  return /^(chat|files|views)/.test(method) ? 'what people see' : 'what goes with it';
});
/** Methods that fail in one scene; those that `prepareFor` needs another loss for are in a scene of their own. */
const scenes = Object.entries(sorted) as [string, string[]][];

// Fact: At a 429, Slack’s client pauses all the token’s calls (measured)

// Fact: After `internal_error`, `fatal_error` or 408, a call may be carried out (chat.postMessage, python-slack-sdk#1165)
describe.each<[string, Fault, number]>([
  ['a 429', { kind: 'too-many', seconds: 2 }, 2],
  ['5xx, after it was carried out,', { kind: 'status', status: 502, when: 'after' }, 1],
  ['408, after it was carried out,', { kind: 'status', status: 408, when: 'after' }, 1],
  ['internal_error, after it was carried out,', { kind: 'error', code: 'internal_error', when: 'after' }, 1],
])('%s of any method', (_, fault, times) => {
  test.each(scenes)('%s: nothing is lost, nothing is doubled', async (_name, failing) => {
    await begin({ scripts, presses });
    for (const method of failing) stage.slack.api.faults.plan(method, fault, times);
    for (const method of failing) prepareFor(method);
    await everything();
    await stage.pass(60_000);
    expect(stage.slack.api.faults.outstanding).toBe(0);
    expect(stage.texts(stage.general).filter((text) => text.includes('You asked: hello'))).toHaveLength(1);
    expect(
      stage.texts(stage.ada.directMessages).filter((text) => text.includes('You asked: hello')),
    ).toHaveLength(1);
    expect(stage.posts(stage.general).filter(({ files }) => files.length > 0)).toHaveLength(1);
  });
});

describe('a page of status 200 instead of Slack’s response, which its client takes for the code of an error', () => {
  const page = (when: 'before' | 'after') => ({ kind: 'status', status: 200, when }) as const;

  test('what was posted all the same isn’t posted again', async () => {
    const { general, platform, slack, workspace } = await begin();
    slack.api.faults.plan('chat.postMessage', page('after'));
    const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    await stage.done(platform.adapter.post(place, { text: 'hello' }, 'key'));
    expect(stage.texts(general)).toEqual(['hello']);
  });

  test('streams are used again', async () => {
    const { ada, slack } = await begin({ scripts });
    slack.api.faults.plan('chat.startStream', page('before'));
    for (const [index, words] of ['hello', 'and again'].entries()) {
      ada.says(words, ada.directMessages);
      await stage.until(
        () => stage.texts(ada.directMessages).filter((text) => text.includes('Regenerate')).length > index,
        300_000,
      );
    }
    expect(slack.api.of('chat.startStream').map(({ outcome }) => outcome)).toEqual(['200', 'ok']);
  });

  test('what’s due comes once that’s over', async () => {
    const { general, platform, slack, workspace } = await begin();
    slack.api.faults.plan('*', page('before'), 1_000);
    const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    const posted = platform.adapter.post(place, { text: 'hello' }, 'key');
    await stage.done(expect(posted).rejects.toMatchObject({ kind: 'unreachable' }));
  });
});

test('a 429 that doesn’t say how long is waited out for a minute', async () => {
  const { general, platform, slack, workspace } = await begin();
  const begun = stage.clock.now();
  const fault = { kind: 'too-many', seconds: undefined } as const;
  slack.api.faults.plan('chat.postMessage', fault, 1_000, () => stage.clock.now() < begun + 60_000);
  const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
  await stage.done(platform.adapter.post(place, { text: 'hello' }, 'key'));
  expect(stage.texts(general)).toEqual(['hello']);
  expect(slack.api.of('chat.postMessage').length).toBeLessThan(10);
});

test('a token that was revoked is told where operators look, and the bot lives on', async () => {
  const { ada, general, installation, platform } = await begin();
  installation.state = 'token_revoked';
  ada.says(`${ada.bot} hello`, general);
  await stage.pass(60_000);
  expect(platform.notReady()).toContain('token_revoked');
  installation.state = 'active';
  await stage.until(() => platform.notReady() === undefined, 300_000);
  const { message } = ada.says(`${ada.bot} back?`, general);
  await stage.until(() => stage.posts(general, message.ts).length > 0, 120_000);
});

test('a file that is not allowed is told in a sentence', async () => {
  const { ada, general, workspace } = await begin({ scripts });
  workspace.forbiddenEndings.add('.mp3');
  await ada.types('/speak hello', general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('file-not-allowed')));
});

test('where nobody may post any more the sentence comes through the response address', async () => {
  const { chief, general } = await begin({
    scripts: {
      reset: async ({ reply }) => {
        general.archived = true;
        await reply.say({ text: 'done' });
      },
    },
  });
  await chief.types('/troupe reset', general);
  await stage.until(() => chief.whispers.length > 0);
  expect(JSON.stringify(chief.whispers[0]?.blocks)).toContain('fault: gone');
});

test('a message that was deleted while its answer grew is known at its next edit, and told its person alone', async () => {
  const refused = Promise.withResolvers<unknown>();
  const { ada, general } = await begin({
    scripts: {
      ask: async ({ reply }) => {
        const live = reply.stream({ buttons: () => [], onRefused: refused.resolve });
        live.append('one');
        await sleep(stage.clock, 5_000);
        for (const { ts } of stage.posts(general)) general.messages.delete(ts);
        live.append(' two');
        expect(await refused.promise).toMatchObject({ kind: 'deleted' });
        await live.finish({ kind: 'done' });
      },
    },
  });
  await ada.types('/ask hello', general);
  await stage.until(() => JSON.stringify(ada.whispers).includes('fault: deleted'), 600_000);
  expect(stage.texts(general)).toEqual([]);
});

test('users.info that does not answer in time costs the language, not the answer', async () => {
  const { ben, general, slack } = await begin();
  slack.api.faults.plan('users.info', { kind: 'delay', ms: 60_000 }, 5);
  await stage.done(ben.types('/ask hello', general));
  await stage.until(() => stage.texts(general).some((text) => text.includes('You asked: hello')));
});

test.each([
  // The first look-up gets the 429.
  ['an earlier look-up', () => stage.done(stage.ada.types('/ask first', stage.general))],
  ['the look-up itself', async () => {}],
])('users.info that Slack refuses as too frequent, at %s, is not waited for', async (_, before) => {
  const { ben, general, slack } = await begin();
  slack.api.faults.plan('users.info', { kind: 'too-many', seconds: 60 });
  await before();
  let acknowledged = false;
  const given = ben.types('/ask hello', general).then((outcome) => {
    acknowledged = outcome.acknowledged.ok;
  });
  await stage.until(() => acknowledged, 900);
  await given;
  await stage.until(() => stage.texts(general).some((text) => text.includes('You asked: hello')));
});
