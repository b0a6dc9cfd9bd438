import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileOf, type Job } from '../../../../src/port/index.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import type { CommandRules } from '../../../fakes/commands.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { pingsIn, plainPingsIn } from '../../../fakes/slack/messages/formatting.ts';
import { askButtons, type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

async function begin(options: StageOptions = {}): Promise<void> {
  stage = await startStage(options);
}

const ended = (method: 'Success' | 'Error') => stage.slack.api.of(`functions.complete${method}`);
const open = () => openKeyv(stage.database, 'slack', () => stage.clock.now()).keysStartingWith(['step ']);

/** Draws a picture, as `/imagine` does where it’s ready at once. */
const draws: Script = async ({ reply }) => {
  const about = { name: 'a.png', contentType: 'image/png', kind: 'image', description: 'a cat' } as const;
  await reply.say({ text: 'Here it is.', files: [fileOf(new Uint8Array([1, 2, 3]), about)] });
};

test('the answer is the step’s output, and nothing is posted where no channel is given', async () => {
  await begin();
  const { execution, delivery } = stage.ada.runs('ask', { prompt: 'hello &amp; goodbye' });
  await delivery.done;
  await stage.until(() => execution.state !== 'running');
  expect(execution).toMatchObject({ state: 'done', outputs: { answer: 'You asked: hello & goodbye' } });
  expect(stage.slack.api.calls.filter(({ method }) => method.startsWith('chat.'))).toEqual([]);
  expect(await open()).toEqual([]);
});

test('a step whose event has no inputs fails with what is missing', async () => {
  await begin();
  stage.slack.world.optionalFields = 'absent';
  const { execution } = stage.ada.runs('ask', { prompt: 'hello' });
  await stage.until(() => execution.state !== 'running');
  expect(execution).toMatchObject({ state: 'failed', error: expect.stringContaining('prompt') });
});

test('a step whose person Slack fails to open direct messages with just now says that Slack can’t be reached', async () => {
  await begin({ scripts: { imagine: draws } });
  stage.slack.api.faults.plan('conversations.open', { kind: 'error', code: 'service_unavailable' });
  const { execution } = stage.ada.runs('imagine', { prompt: 'a cat', person: stage.ada.user.id });
  await stage.until(() => execution.state !== 'running');
  expect(execution).toMatchObject({ state: 'failed', error: words('en').errors.unreachable });
});

test('a later step that posts the output rings for nobody', async () => {
  await begin();
  const { execution } = stage.ada.runs('ask', { prompt: 'say &lt;!channel&gt; and @here' });
  await stage.until(() => execution.state !== 'running');
  const answer = String(execution.outputs?.answer);
  expect(answer).toContain('here');
  expect([...pingsIn(answer), ...plainPingsIn(answer)]).toEqual([]);
});

test('with a channel the answer is posted there, too, under who asked what, and linked', async () => {
  await begin();
  const { ada, general } = stage;
  const inputs = { prompt: `say hello to <@${stage.ben.user.id}>`, channel: general.id, person: ada.user.id };
  const { execution } = ada.runs('ask', inputs);
  await stage.until(() => execution.state !== 'running');
  const [posted] = stage.posts(general);
  expect(posted && shown(posted)).toContain('*ada* · `/ask` say hello to @ben');
  expect(execution.outputs).toEqual({
    answer: 'You asked: say hello to @ben',
    message_link: `https://acme.slack.com/archives/${general.id}/p${posted?.ts.replace('.', '')}`,
  });
});

test('a picture is posted in the channel, or in the person’s direct messages, and its file is linked', async () => {
  await begin({ scripts: { imagine: draws } });
  const { ada, general } = stage;
  for (const place of [{ channel: general.id }, { person: ada.user.id }]) {
    const { execution } = ada.runs('imagine', { prompt: 'a cat', ...place });
    await stage.until(() => execution.state !== 'running', 120_000);
    expect(execution.outputs?.file_link).toMatch(/^https:\/\/acme\.slack\.com\/files\/.*\/a\.png$/);
    expect(execution.outputs?.message_link).toContain('/archives/');
  }
  expect(stage.posts(general)).toHaveLength(1);
  expect(stage.posts(ada.directMessages)).toHaveLength(1);
});

test('a picture whose file is gone a moment later is linked by its message; where that’s gone, too, its step fails', async () => {
  const gone: Script = async (invocation, ...others) => {
    await draws(invocation, ...others);
    stage.workspace.files.clear();
  };
  await begin({ scripts: { imagine: gone } });
  const { ada, general, slack } = stage;
  const draw = async () => {
    const { execution } = ada.runs('imagine', { prompt: 'a cat', channel: general.id });
    await stage.until(() => execution.state !== 'running', 120_000);
    return execution;
  };
  const { outputs } = await draw();
  expect(outputs?.message_link).toContain(`/archives/${general.id}/`);
  expect(outputs?.file_link).toBe(outputs?.message_link);
  slack.api.faults.plan('chat.getPermalink', { kind: 'error', code: 'message_not_found' });
  expect(await draw()).toMatchObject({ state: 'failed', error: words('en').deleted });
  expect(await open()).toEqual([]);
});

test('without a person nobody is mentioned', async () => {
  await begin({
    scripts: {
      video: async ({ job, reply }) => {
        const mentions = [job.requester.id];
        const announced = await reply.say({ text: 'Rendering.', mentions });
        await stage.platform.adapter.complete(announced, { text: 'Ready.', mentions }, `${job.id}:ready`);
        await stage.platform.adapter.post(job.address, { text: 'Here it is.', mentions }, `${job.id}:result`);
        const [here] = stage.platform.adapter.doors(job);
        await here?.put({ text: 'And a picture.', mentions }, `${job.id}:below`);
      },
    },
  });
  const { ada, general } = stage;
  for (const person of [{}, { person: ada.user.id }]) {
    const { execution } = ada.runs('video', { prompt: 'a cat', channel: general.id, ...person });
    await stage.until(() => execution.state !== 'running', 60_000);
  }
  const mentioned = stage.posts(general).flatMap(({ text, blocks }) => {
    return JSON.stringify([text, blocks]).match(/<@\w+>/g) ?? [];
  });
  expect(new Set(mentioned)).toEqual(new Set([`<@${ada.user.id}>`]));
});

test('options and the person go to the command as they were given', async () => {
  const jobs: Job[] = [];
  await begin({
    scripts: {
      video: async ({ job, reply }) => {
        jobs.push(job);
        await reply.say({ text: 'x' });
      },
    },
  });
  const { ada, general } = stage;
  const inputs = { prompt: 'waves', duration: 8, generate_audio: false, ratio: '9:16', resolution: '' };
  const { execution } = ada.runs('video', { ...inputs, channel: general.id, person: stage.ben.user.id });
  await stage.until(() => jobs.length === 1);
  expect(jobs[0]?.options).toMatchObject({
    prompt: 'waves',
    duration: 8,
    generate_audio: false,
    ratio: '9:16',
  });
  expect(jobs[0]?.options).not.toHaveProperty('resolution');
  expect(jobs[0]?.options.workflow).toBe(execution.id);
  expect(jobs[0]?.requester).toMatchObject({ id: stage.ben.user.id, name: 'ben', locale: 'zh-CN' });
});

describe('what can’t be done ends the step with a sentence', () => {
  const failed = async (step: string, inputs: Record<string, unknown>) => {
    const { execution, delivery } = stage.ada.runs(step, inputs);
    expect((await delivery.done).ok).toBe(true);
    await stage.until(() => execution.state !== 'running', 60_000);
    expect(execution.state).toBe('failed');
    return execution.error;
  };

  test('an option that is wrong, in the person’s language', async () => {
    await begin();
    const inputs = { prompt: 'x', duration: 99, channel: stage.general.id };
    expect(await failed('video', inputs)).toContain('`duration` can’t be 99');
    expect(await failed('video', { ...inputs, person: stage.ben.user.id })).toContain('`duration` 不能');
  });

  test('no place for a file', async () => {
    await begin();
    expect(await failed('imagine', { prompt: 'a cat' })).toContain('needs a channel');
  });

  test('a channel the bot isn’t in, before anything is done', async () => {
    let runs = 0;
    await begin({ scripts: { imagine: async () => void runs++ } });
    expect(await failed('imagine', { prompt: 'a cat', channel: stage.outside.id })).toContain(
      '/invite @troupe',
    );
    expect(runs).toBe(0);
  });

  test.each([
    ['for a person who was taken out of it', true],
    ['for nobody', false],
  ])('a private channel, %s', async (_, isNamed) => {
    await begin();
    const { ada, ben, slack, workspace } = stage;
    const secret = slack.channel(workspace, 'secret', [ada, ben], { kind: 'group' });
    secret.members.delete(ada.user.id);
    const inputs = { prompt: 'x', channel: secret.id, ...(isNamed && { person: ada.user.id }) };
    expect(await failed('ask', inputs)).toContain('This channel is private');
    expect(stage.posts(secret)).toEqual([]);
    const { execution } = ada.runs('ask', { ...inputs, person: ben.user.id });
    await stage.until(() => execution.state === 'done');
    expect(stage.posts(secret)).toHaveLength(1);
  });

  test('what its rules refuse', async () => {
    const seen: unknown[] = [];
    const rules: CommandRules = async (_, __, { unattended, requester }) => {
      seen.push([unattended, requester.id]);
      return { kind: 'refused', text: 'Not here.' };
    };
    await begin({ rules });
    expect(await failed('ask', { prompt: 'x' })).toBe('Not here.');
    expect(seen).toEqual([[true, 'workflow']]);
  });

  test('a command that fails says why', async () => {
    await begin({ scripts: { speak: async () => Promise.reject(new Error('no voice')) } });
    const inputs = { text: 'x', channel: stage.general.id };
    expect(await failed('speak', inputs)).toBe('fault: no voice');
  });

  test.each([true, false])(
    'an answer that somebody deletes while it’s written (posted: %s)',
    async (isPosted) => {
      await begin({
        scripts: {
          ask: async ({ job, reply }) => {
            const live = reply.stream({ buttons: askButtons(job.id) });
            live.append('Half of it');
            const those = stage.database
              .updateTable('jobs')
              .set({ deleted: 'answer' })
              .where('id', '=', job.id);
            await those.execute();
            await live.finish({ kind: 'withdrawn' });
          },
        },
      });
      const place = isPosted ? { channel: stage.general.id } : {};
      expect(await failed('ask', { prompt: 'x', ...place })).toBe(words('en').deleted);
    },
  );

  test('a render that fails says why, not that it has begun', async () => {
    const outcome: { kind: string; text?: string; onRecord?: boolean } = { kind: 'running' };
    await begin({
      scripts: {
        video: async ({ reply }) => {
          await reply.say({ text: 'I’ll post it in the thread below when it’s ready.' });
          Object.assign(outcome, { kind: 'failed', text: '⚠️ The service failed.', onRecord: true });
        },
      },
      outcomes: async () => outcome as never,
    });
    const inputs = { prompt: 'a cat', channel: stage.general.id };
    expect(await failed('video', inputs)).toBe('⚠️ The service failed.');
  });

  test('with many words ends, also where an emoji stands at the limit', async () => {
    const text = `${'a'.repeat(999)}🌊 and more`;
    await begin({ outcomes: async () => ({ kind: 'failed', text, onRecord: true }) });
    expect(await failed('ask', { prompt: 'x' })).toBe(`${'a'.repeat(999)}…`);
  });
});

describe('Slack’s tokens', () => {
  test('the step’s own token ends it', async () => {
    await begin();
    stage.slack.world.readings.stepByBotToken = 'refused';
    const { execution } = stage.ada.runs('ask', { prompt: 'x' });
    await stage.until(() => execution.state === 'done');
    expect(ended('Success').map(({ token }) => token)).toEqual([execution.token]);
  });

  test('where that lives for a quarter of an hour alone, the bot’s own does', async () => {
    const { promise: underWay, resolve: finish } = Promise.withResolvers<void>();
    await begin({
      scripts: {
        ask: async ({ reply }) => {
          const live = reply.stream({ buttons: () => [] });
          await underWay;
          live.append('At last.');
          await live.finish({ kind: 'done' });
        },
      },
    });
    stage.slack.world.readings.stepTokenLives = 'refused';
    const { execution } = stage.ada.runs('ask', { prompt: 'x' });
    await stage.pass(16 * 60_000);
    finish();
    await stage.until(() => execution.state === 'done');
    expect(execution.outputs).toEqual({ answer: 'At last.' });
    expect(ended('Success').map(({ outcome }) => outcome)).toEqual(['token_revoked', 'ok']);
    // It says nothing about the workspace.
    expect(stage.platform.notReady()).toBeUndefined();
  });
});

test('an event that comes several times runs its step once', async () => {
  let runs = 0;
  await begin({
    scripts: {
      ask: async ({ reply }) => {
        runs++;
        await reply.say({ text: 'once' });
      },
    },
  });
  stage.slack.deliverer.copies = 3;
  const { execution } = stage.ada.runs('ask', { prompt: 'x' });
  await stage.until(() => execution.state === 'done');
  await stage.pass(60_000);
  expect(runs).toBe(1);
  expect(ended('Success').filter(({ outcome }) => outcome === 'ok')).toHaveLength(1);
});

test('Slack’s answer to the end that got lost ends nothing twice', async () => {
  await begin();
  stage.slack.api.faults.plan('functions.completeSuccess', { kind: 'cut', when: 'after' });
  const { execution } = stage.ada.runs('ask', { prompt: 'x' });
  await stage.pass(30_000);
  expect(execution.state).toBe('done');
  expect(await open()).toEqual([]);
});

test('an answer longer than Slack takes comes cut', async () => {
  const long = '很长的回答。'.repeat(4_000);
  await begin({ scripts: { ask: async ({ reply }) => void (await reply.say({ text: long })) } });
  stage.slack.api.faults.plan('functions.completeSuccess', {
    kind: 'error',
    code: 'parameter_validation_failed',
  });
  const { execution } = stage.ada.runs('ask', { prompt: 'x' });
  await stage.until(() => execution.state === 'done');
  expect(String(execution.outputs?.answer)).toHaveLength(3_000);
});

describe('when the process dies', () => {
  const kept = () => {
    const folder = join(tmpdir(), `troupe-steps-${process.pid}-${Date.now()}`);
    endsWithTest(() => rm(folder, { recursive: true, force: true }));
    return `sqlite:${join(folder, 'troupe.db')}`;
  };

  test('a step whose command is on record is ended by the next one, once', async () => {
    const outcome: { kind: 'running' | 'done'; text?: string } = { kind: 'running' };
    await begin({
      databaseUrl: kept(),
      scripts: { ask: () => new Promise(() => {}) },
      outcomes: async () => outcome as never,
    });
    const { execution, delivery } = stage.ada.runs('ask', { prompt: 'x' });
    expect((await delivery.done).ok).toBe(true);
    await stage.kill();
    Object.assign(outcome, { kind: 'done', text: 'Written before it died.' });
    await stage.startBot();
    await stage.until(() => execution.state === 'done', 120_000);
    expect(execution.outputs).toEqual({ answer: 'Written before it died.' });
    expect(await open()).toEqual([]);
  });

  test('a step that was lost before its command was on record fails after a while', async () => {
    await begin({ databaseUrl: kept(), outcomes: async () => ({ kind: 'unknown' }) });
    const { execution } = stage.ada.runs('ask', { prompt: 'x', person: stage.ben.user.id });
    await stage.quiet();
    await stage.restart();
    await stage.pass(11 * 60_000);
    expect(execution.state).toBe('failed');
    expect(execution.error).toContain('⚠️');
  });

  test('the step’s token isn’t readable in the database', async () => {
    await begin({ scripts: { ask: () => new Promise(() => {}) } });
    const { execution } = stage.ada.runs('ask', { prompt: 'x' });
    await stage.quiet();
    const rows = JSON.stringify(await stage.database.selectFrom('keyv').selectAll().execute());
    expect(rows).toContain(execution.id);
    expect(rows).not.toContain(execution.token);
  });
});
