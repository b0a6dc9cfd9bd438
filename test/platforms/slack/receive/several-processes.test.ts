import { describe, expect, test } from 'vitest';
import { actionId, type Button } from '../../../../src/port/index.ts';
import { allowing, asking, type CommandRules } from '../../../fakes/commands.ts';
import type { Message } from '../../../fakes/slack/index.ts';
import { says, type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

/** Slack brings everything to both processes. */
async function start(options: StageOptions = {}): Promise<void> {
  stage = await startStage({ twice: true, ...options });
  stage.to = 'both';
}

const refusing: CommandRules = async () => ({ kind: 'refused', text: 'not today' });
/** Rules that refuse what's asked again. */
function once(): CommandRules {
  let asked = 0;
  return (...given) =>
    ++asked > 1 ? Promise.resolve({ kind: 'refused', text: 'too many' }) : allowing(...given);
}
const called = (method: string) => stage.slack.api.calls.filter((call) => call.method === method);
const whispered = () => stage.ada.whispers.map(({ text }) => text);

/** An `/ask` whose message has these buttons. */
const withButtons =
  (...actions: readonly string[]): Script =>
  async ({ job, reply }) => {
    const buttons = actions.map((action): Button => ({ id: actionId('ask', action, job.id), label: action }));
    await reply.say({ text: 'the answer', buttons });
  };

/** A message of the bot's, asked for at the first process alone. */
async function answered(): Promise<Message> {
  stage.to = 0;
  await stage.done(stage.ada.types('/ask hello', stage.general));
  await stage.until(() => stage.posts(stage.general).length > 0);
  stage.to = 'both';
  return stage.posts(stage.general)[0]!;
}

describe('what Slack brings to both processes', () => {
  test('a command is carried out once', async () => {
    await start();
    await stage.done(stage.ada.types('/ask hello', stage.general));
    await stage.until(() => stage.posts(stage.general).length > 0);
    await stage.pass(10_000);
    expect(stage.posts(stage.general)).toHaveLength(1);
  });

  test('a refused command is refused once', async () => {
    await start({ rules: refusing });
    await stage.done(stage.ada.types('/imagine a cat', stage.general));
    await stage.pass(2_000);
    expect(whispered()).toEqual(['not today You typed: /imagine a cat']);
  });

  test('a command without its text opens one form, which is taken once', async () => {
    const did: string[] = [];
    const note: Script = async ({ reply }) => {
      did.push('imagine');
      await reply.say({ text: 'drawn' });
    };
    await start({ scripts: { imagine: note } });
    await stage.done(stage.ada.types('/imagine', stage.general));
    await stage.quiet();
    expect(called('views.open')).toHaveLength(1);
    await stage.done(stage.ada.sends({ prompt: 'a cat' }));
    await stage.until(() => did.length > 0);
    await stage.pass(2_000);
    expect(did).toHaveLength(1);
    expect(stage.texts(stage.general)).toHaveLength(1);
  });

  test('a question before a command is asked once, and answered once', async () => {
    await start({ rules: asking('Really?') });
    await stage.done(stage.ada.types('/ask hello', stage.general));
    await stage.until(() => stage.ada.whispers.length > 0);
    await stage.pass(2_000);
    expect(stage.ada.whispers).toHaveLength(1);
    await stage.done(stage.ada.presses(stage.ada.whispers[0]!, 'Yes, go ahead'));
    await stage.until(() => stage.posts(stage.general).length > 0);
    await stage.pass(2_000);
    expect(stage.posts(stage.general)).toHaveLength(1);
    expect(stage.ada.whispers).toHaveLength(1);
  });

  test('a refused mention is refused once', async () => {
    await start({ rules: refusing });
    stage.ada.says(`${stage.ada.bot} hello`, stage.general);
    await stage.until(() => stage.ada.whispers.length > 0);
    await stage.pass(2_000);
    expect(whispered()).toEqual(['not today']);
  });

  test('a mention that one process takes isn’t refused by the other, which finds it waiting', async () => {
    await start({ rules: once() });
    stage.ada.says(`${stage.ada.bot} hello`, stage.general);
    await stage.until(() => stage.posts(stage.general).length > 0);
    await stage.pass(2_000);
    expect(whispered()).toEqual([]);
    expect(stage.posts(stage.general)).toHaveLength(1);
  });

  test('a press has its effect once', async () => {
    const did: string[] = [];
    await start({
      scripts: { ask: withButtons('good') },
      presses: {
        'ask.good': async ({ reply }) => {
          did.push('good');
          await reply.say({ text: 'Thank you' });
        },
      },
    });
    await stage.done(stage.ada.presses(await answered(), 'good'));
    await stage.until(() => did.length > 0);
    await stage.pass(2_000);
    expect(did).toEqual(['good']);
    expect(whispered()).toEqual(['Thank you']);
  });

  test('a press that opens a form opens one, and its form has its effect once', async () => {
    const did: unknown[] = [];
    await start({
      scripts: { ask: withButtons('good') },
      forms: {
        'ask.good': () => ({ title: 'Why?', command: 'imagine', fields: ['prompt'], values: {} }),
      },
      presses: { 'ask.good': async ({ values }) => void did.push(values) },
    });
    await stage.done(stage.ada.presses(await answered(), 'good'));
    await stage.quiet();
    expect(called('views.open')).toHaveLength(1);
    await stage.done(stage.ada.sends({ prompt: 'a cat' }));
    await stage.until(() => did.length > 0);
    await stage.pass(2_000);
    expect(did).toEqual([{ prompt: 'a cat' }]);
  });

  test('a message shortcut opens one form', async () => {
    await start();
    stage.to = 0;
    const { message } = stage.ada.says('the tide is high', stage.general);
    stage.to = 'both';
    await stage.done(stage.ada.picks(message, 'Ask about this'));
    await stage.pass(2_000);
    expect(called('views.open')).toHaveLength(1);
  });

  test('a step of a workflow ends once, as it was carried out', async () => {
    await start({ rules: once(), scripts: { imagine: says('drawn') } });
    const inputs = { prompt: 'a cat', channel: stage.general.id, person: stage.ada.user.id };
    const { execution } = stage.ada.runs('imagine', inputs);
    await stage.until(() => execution.state !== 'running');
    expect(execution).toMatchObject({ state: 'done', error: undefined });
    expect(stage.posts(stage.general)).toHaveLength(1);
  });

  test('Slack’s own Stop button has its effect once', async () => {
    const did: string[] = [];
    await start({
      scripts: {
        ask: async ({ job, reply }) => {
          reply
            .stream({ buttons: () => [{ id: actionId('ask', 'stop', job.id), label: 'Stop' }] })
            .append('It');
          await new Promise(() => {});
        },
      },
      presses: { 'ask.stop': async () => void did.push('stop') },
    });
    const { directMessages: direct } = stage.ada;
    const { message } = stage.ada.says('hello', direct);
    await stage.until(() => stage.posts(direct).length > 0);
    stage.ada.stops(direct, message.ts);
    await stage.until(() => did.length > 0);
    await stage.pass(2_000);
    expect(did).toEqual(['stop']);
  });
});
