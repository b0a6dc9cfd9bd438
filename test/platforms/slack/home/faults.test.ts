import { expect, test } from 'vitest';
import { actionId, type HomePage } from '../../../../src/port/index.ts';
import { blocksAsText, type Fault, type Json, type View } from '../../../fakes/slack/index.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

const homePage: HomePage = async () => [
  {
    title: 'For administrators',
    text: 'Everything here.',
    buttons: [{ id: 's', label: 'Settings', call: { command: 'settings', options: { scope: 'workspace' } } }],
  },
];

let drawn: number;
const options: StageOptions = {
  homePage,
  scripts: {
    imagine: async ({ reply }) => {
      drawn++;
      await reply.say({ text: 'Drawn.' });
    },
    settings: async ({ job, reply }) => {
      const button = (action: string) => ({ id: actionId('settings', action, job.id), label: action });
      const { scope } = job.options as { scope: string };
      await reply.say({ text: `for ${scope}`, buttons: [button('answers'), button('channel')] });
    },
  },
  forms: {
    'settings.answers': () => ({ title: 'Answers', command: 'settings', fields: ['persona'], values: {} }),
  },
};

const textOf = (view: View | undefined) => blocksAsText((view?.content.blocks ?? []) as Json[]);

/** A step that is done and one that fails, a channel that is joined, a Home tab with a window and a form above it. */
async function everything(): Promise<void> {
  const { ada, chief, general, outside } = stage;
  const done = ada.runs('ask', { prompt: 'hello', channel: general.id });
  await stage.until(() => done.execution.state !== 'running', 300_000);
  expect(done.execution.outputs?.answer).toBe('You asked: hello');
  const failed = ada.runs('imagine', { prompt: 'a cat' });
  await stage.until(() => failed.execution.state === 'failed', 300_000);
  await stage.done(ada.types('/imagine a cat', outside));
  await stage.until(() => ada.whispers.length > 0, 60_000);
  const [offer] = ada.whispers;
  if (offer) await stage.done(ada.presses(offer, 'Add me here'));
  await stage.until(() => stage.posts(outside).length > 0, 60_000);
  expect(drawn).toBe(1);
  await stage.done(chief.opensHome().done);
  await stage.until(() => textOf(chief.home).includes('Everything here.'), 60_000);
  await stage.done(chief.pressesIn(chief.home as View, 'Settings'));
  await stage.until(() => textOf(chief.form).startsWith('for workspace'), 60_000);
  await stage.done(chief.pressesIn(chief.form as View, 'channel'));
  await stage.until(() => textOf(chief.form).startsWith('for channel'), 60_000);
  // A trigger lives three seconds: where the form was refused, people press again.
  for (let tries = 0; tries < 3 && stage.slack.views.of(chief.user.id).length < 2; tries++) {
    await stage.done(chief.pressesIn(chief.form as View, 'answers'));
    await stage.pass(20_000);
  }
  expect(stage.slack.views.of(chief.user.id)).toHaveLength(2);
}

const methods = [
  ...(['chat.getPermalink', 'conversations.join', 'functions.completeError'] as const),
  ...(['functions.completeSuccess', 'views.publish', 'views.push', 'views.update'] as const),
];
const faults: readonly (readonly [string, Fault])[] = [
  ['429', { kind: 'too-many', seconds: 2 }],
  ['5xx after it was carried out', { kind: 'status', status: 502, when: 'after' }],
  ['internal_error after it was carried out', { kind: 'error', code: 'internal_error', when: 'after' }],
];

test.each(methods.flatMap((method) => faults.map(([name, fault]) => [method, name, fault] as const)))(
  '%s, %s: nothing is lost, nothing is doubled',
  async (method, _, fault) => {
    drawn = 0;
    stage = await startStage(options);
    stage.slack.api.faults.plan(method, fault);
    await everything();
    await stage.pass(60_000);
    expect(stage.slack.api.faults.outstanding).toBe(0);
    expect(stage.texts(stage.general).filter((text) => text.includes('You asked: hello'))).toHaveLength(1);
    expect(drawn).toBe(1);
  },
);
