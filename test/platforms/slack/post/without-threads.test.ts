import { beforeEach, expect, test } from 'vitest';
import { clip } from '../../../fakes/outgoing-files.ts';
import { askButtons, type Stage, startStage } from '../support/stage.ts';

const long = 'A sentence about the tides. '.repeat(700);

let stage: Stage;
let text: string;
beforeEach(async () => {
  text = 'An answer that was paid for.';
  stage = await startStage({
    scripts: {
      ask: async ({ job, reply }) => {
        if (text === '') return void (await reply.say({ files: [clip] }));
        const live = reply.stream({ buttons: askButtons(job.id) });
        live.append(text);
        await live.finish({ kind: 'done' });
      },
    },
  });
  stage.general.threads = 'forbidden';
});

const said = () => stage.posts(stage.general);
const directly = () => stage.posts(stage.ada.directMessages);
const refused = () =>
  stage.slack.api.calls.filter(({ outcome }) => outcome === 'restricted_action_non_threadable_channel');

test('a mention is answered in the channel itself, and that is remembered', async () => {
  const { ada, general } = stage;
  for (let count = 1; count <= 2; count++) {
    ada.says(`${ada.bot} hello`, general);
    await stage.until(() => stage.texts(general).join().split('Regenerate').length === count + 1, 300_000);
  }
  expect(said().map(({ threadTs }) => threadTs)).toEqual([undefined, undefined]);
  expect(stage.texts(general)[0]).toContain(text);
  expect(directly()).toEqual([]);
  expect(refused()).toHaveLength(1);
});

test('the rest of a long answer to a command follows in the channel, whole', async () => {
  const { ada, general } = stage;
  text = long;
  await ada.types('/ask hello', general);
  await stage.until(() => stage.texts(general).join().includes('Regenerate'), 300_000);
  const sentences = stage.texts(general).join().split('A sentence about the tides.').length - 1;
  expect(sentences).toBe(700);
  expect(directly()).toEqual([]);
});

test('an answer whose post was lost is found in the channel, and is there once', async () => {
  const { ada, general, slack } = stage;
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).join().includes('Regenerate'), 300_000);
  slack.api.faults.plan('chat.postMessage', { kind: 'cut', when: 'after' });
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => stage.texts(general).join().split('Regenerate').length === 3, 300_000);
  expect(said()).toHaveLength(2);
});

test('a file that belongs in a thread comes in the channel', async () => {
  const { ada, general } = stage;
  text = '';
  ada.says(`${ada.bot} hello`, general);
  await stage.until(() => said().some(({ files }) => files.length > 0), 300_000);
  expect(said().map(({ threadTs }) => threadTs)).toEqual([undefined]);
  expect(directly()).toEqual([]);
});

// Slack’s own notices are such (chat.postMessage: errors; hermes-agent#98285, #110778)
test('a mention in a message that takes no replies is answered in the channel, others in their threads', async () => {
  const { ada, general, slack } = stage;
  general.threads = 'allowed';
  const answered = (count: number) =>
    stage.until(() => stage.texts(general).join().split('Regenerate').length === count + 1, 300_000);
  const { message } = ada.says(`${ada.bot} hello`, general);
  message.isUnthreadable = true;
  await answered(1);
  const { message: other } = ada.says(`${ada.bot} hello`, general);
  await answered(2);
  expect(said().map(({ threadTs }) => threadTs)).toEqual([undefined, other.ts]);
  expect(directly()).toEqual([]);
  const codes = slack.api.calls.map(({ outcome }) => outcome);
  expect(codes.filter((code) => code === 'cannot_reply_to_message')).toHaveLength(1);
});
