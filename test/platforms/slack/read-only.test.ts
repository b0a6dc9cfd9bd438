import { afterEach, expect, test } from 'vitest';
import { fileOf } from '../../../src/port/index.ts';
import { slackWords } from '../../../src/words/slack.ts';
import { type Channel, shown } from '../../fakes/slack/index.ts';
import { type Script, type Stage, type StageOptions, startStage } from './stage.ts';

let stage: Stage;
let ran: number;
afterEach(() => stage.stop());

const clip = fileOf(new Uint8Array(5), {
  name: 'speech.mp3',
  contentType: 'audio/mpeg',
  kind: 'audio',
  description: 'hello',
});
const speak: Script = async ({ reply }) => {
  ran += 1;
  await reply.say({ text: '> hello', files: [clip] });
};

async function begin(close: (channel: Channel) => void, options: StageOptions = {}): Promise<Stage> {
  ran = 0;
  stage = await startStage({ scripts: { speak }, ...options });
  close(stage.general);
  return stage;
}

const readOnly = (channel: Channel) => {
  channel.readOnly = true;
};
const threadsOnly = (channel: Channel) => {
  channel.threads = 'only';
};
const archived = (channel: Channel) => {
  channel.archived = true;
};
const whispers = () => stage.ada.whispers.map((whisper) => JSON.stringify(whisper)).join();
const files = (channel: Channel) => stage.posts(channel).filter((message) => message.files.length > 0);
const { readOnly: sentence } = slackWords('en');

test.each([
  ['whose settings keep the bot from posting', readOnly],
  ['that takes replies alone', threadsOnly],
  ['that was archived', archived],
])('a command that posts files in a channel %s is refused before anything is spent', async (_, close) => {
  const { ada, general } = await begin(close);
  await ada.types('/speak hello', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(whispers()).toContain(sentence);
  expect(ran).toBe(0);
  expect(stage.posts(general)).toEqual([]);
});

test('in the language of who gave it', async () => {
  const { ben, general } = await begin(readOnly);
  await ben.types('/speak hello', general);
  await stage.until(() => ben.whispers.length > 0);
  expect(JSON.stringify(ben.whispers[0])).toContain(slackWords('zh-CN').readOnly);
});

test('by a form: it says so, and stays open', async () => {
  const { ada, general } = await begin(readOnly);
  await ada.types('/speak', general);
  await stage.until(() => ada.form !== undefined);
  await ada.sends({ text: 'hello' });
  expect(JSON.stringify(ada.form?.errors)).toContain(sentence);
  expect(ran).toBe(0);
});

test('what one person alone is to see comes to them directly', async () => {
  const { ada, general } = await begin(readOnly, { scripts: { usage: speak } });
  await ada.types('/troupe usage', general);
  await stage.until(() => files(ada.directMessages).length === 1);
  expect(ran).toBe(1);
});

test('words come all the same, through the response address', async () => {
  const { ada, general } = await begin(readOnly);
  await ada.types('/ask hello', general);
  await stage.pass(60_000);
  const said = `${whispers()}${stage.posts(ada.directMessages).map(shown).join()}${stage.texts(general).join()}`;
  expect(said).toContain('You asked: hello');
});

test('where Slack does not tell, what was paid for still arrives directly', async () => {
  const { ada, general, slack } = await begin(readOnly);
  slack.api.faults.plan('conversations.info', { kind: 'error', code: 'internal_error' }, 10);
  void ada.types('/speak hello', general);
  await stage.until(() => files(ada.directMessages).length === 1, 300_000);
  expect(ran).toBe(1);
});
