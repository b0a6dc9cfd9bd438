import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import type { IncomingFile } from '../../../../src/port/index.ts';
import type { SlackFile } from '../../../fakes/slack/index.ts';
import { fileJson } from '../../../fakes/slack/messages/files.ts';
import { type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

const png = Buffer.from('iVBORw0KGgo=', 'base64');

/** Starts a bot whose commands note what they are given. */
async function begin(options: StageOptions = {}) {
  const seen: { readonly command: string; readonly values: object }[] = [];
  const note: Script = async ({ job, options: values, reply }: Invocation<never>) => {
    const named = Object.entries(values as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'object' && value && 'name' in value ? (value as IncomingFile).name : value,
    ]);
    seen.push({ command: job.command, values: Object.fromEntries(named) });
    await reply.say({ text: `did ${job.command}` });
  };
  const names = ['ask', 'imagine', 'speak', 'video', 'usage', 'help', 'settings'];
  stage = await startStage({ ...options, scripts: Object.fromEntries(names.map((name) => [name, note])) });
  return { stage, seen };
}

test.each<[string, string, object]>([
  ['imagine a cat --size 3k', 'imagine', { prompt: 'a cat', size: '3k' }],
  ['画图 一只猫', 'imagine', { prompt: '一只猫' }],
  ['/speak Fish &amp; chips --speed 0.9', 'speak', { text: 'Fish & chips', speed: 0.9 }],
  ['/troupe usage --period week', 'usage', { period: 'week' }],
  ['what is a <b> --size 3k', 'ask', { prompt: 'what is a <b> --size 3k' }],
  ['what can you do?', 'help', {}],
])('a mention with “%s” is /%s, answered in its thread', async (text, command, values) => {
  const { seen } = await begin();
  const { ada, general } = stage;
  ada.says(`${ada.bot} ${text.replace('&amp;', '&')}`, general);
  await stage.until(() => seen.length > 0);
  expect(seen).toEqual([{ command, values }]);
  await stage.pass(3_000);
  expect(stage.refusals).toBe(0);
});

test('they work in threads and direct messages, where Slack has no slash commands, with a prefix too', async () => {
  const { seen } = await begin({ prefix: 'acme-' });
  const { ada, ben, general } = stage;
  const root = ada.says('cats!', general).message;
  ben.says(`${ben.bot} /acme-imagine @here <@${ada.user.id}> as a cat`, general, { thread: root.ts });
  await stage.until(() => stage.posts(general, root.ts).length === 1);
  ada.says('speak Hello', ada.directMessages);
  await stage.until(() => seen.length === 2);
  expect(seen.map(({ values }) => values)).toEqual([{ prompt: '@here @ada as a cat' }, { text: 'Hello' }]);
});

test('people named in an option stay people', async () => {
  const { seen } = await begin();
  const { chief, ada, general } = stage;
  chief.says(`${chief.bot} settings --users_video <@${ada.user.id}>`, general);
  await stage.until(() => seen.length > 0);
  expect(seen).toEqual([{ command: 'settings', values: { users_video: `<@${ada.user.id}>` } }]);
});

test('the message’s files are the references', async () => {
  const { seen } = await begin();
  const { ada, general } = stage;
  const files = ['one.png', 'two.png'].map((name) => ada.file(name, png));
  ada.says(`${ada.bot} imagine: both dancing`, general, { files });
  await stage.until(() => seen.length > 0);
  const values = { prompt: 'both dancing', reference_1: 'one.png', reference_2: 'two.png' };
  expect(seen).toEqual([{ command: 'imagine', values }]);
});

// What a file is Slack may tell only once it was scanned (node-slack-sdk#2040).
test('an image of which Slack doesn’t tell yet what it is, is one by its name', async () => {
  const { seen } = await begin();
  const { ada, general } = stage;
  const file = Object.assign(ada.file('Cat.JPG', png), { mimetype: '' });
  ada.says(`${ada.bot} imagine: it at night`, general, { files: [file] });
  await stage.until(() => seen.length > 0);
  expect(seen[0]?.values).toEqual({ prompt: 'it at night', reference_1: 'Cat.JPG' });
});

test('the images of a message that’s forwarded are the references, where there are none besides', async () => {
  const { seen } = await begin();
  const { ada, ben, general, outside, slack, workspace } = stage;
  const [own, ...theirs] = ['own.png', 'one.png', 'plan.txt'].map((name) => ada.file(name, png));
  const { message } = ben.says('Look', outside, { files: theirs });
  const files = theirs.map((file) => fileJson(workspace, file, slack.origin));
  const share = { is_share: true, text: 'Look', channel_id: outside.id, ts: message.ts, files };
  const says = async (text: string, more: readonly SlackFile[] = []) => {
    const before = seen.length;
    ada.says(`${ada.bot} ${text}`, general, { files: more, attachments: [share] });
    await stage.until(() => seen.length > before);
    return seen[before];
  };
  const made_of = [`slack:${outside.id}:${message.ts}`, `slack:#${outside.id}`];
  expect(await says('imagine: it at night')).toEqual({
    command: 'imagine',
    values: { prompt: 'it at night', reference_1: 'one.png', made_of },
  });
  expect(await says('imagine: it at night', [own!])).toEqual({
    command: 'imagine',
    values: { prompt: 'it at night', reference_1: 'own.png' },
  });
  expect(await says('speak: hello')).toEqual({ command: 'speak', values: { text: 'hello' } });
});

test.each<[string, number, RegExp]>([
  ['imagine a cat', 5, /You attached 5 images; at most 4 can be used/],
  ['speak hello', 1, /this command doesn’t take files/],
  ['imagine a cat --size huge', 0, /Allowed: 2k[\s\S]*`imagine a cat --size 2k`/],
  ['/imagine a cat --siez 3k', 0, /no option `siez`[\s\S]*`\/imagine a cat --size 3k`/],
  ['imagine a cat --reference_1', 0, /`reference_1` takes a file/],
])('“%s” with %d files says what is allowed, and runs nothing', async (text, count, sentence) => {
  const { seen } = await begin();
  const { ada, general } = stage;
  const files = Array.from({ length: count }, (_, at) => ada.file(`${at}.png`, png));
  ada.says(`${ada.bot} ${text}`, general, { files });
  await stage.until(() => ada.whispers.length > 0);
  expect(JSON.stringify(ada.whispers[0]?.blocks ?? ada.whispers[0])).toMatch(
    new RegExp(sentence.source.replaceAll('[\\s\\S]', '.')),
  );
  expect(seen).toEqual([]);
});

test('the example of a refusal can be copied: Slack keeps its format', async () => {
  const { seen } = await begin();
  const { ada, general } = stage;
  ada.says(`${ada.bot} imagine a cat --size huge`, general);
  await stage.until(() => ada.whispers.length > 0);
  const [example] = /`imagine [^`]*`/.exec(JSON.stringify(ada.whispers[0]?.blocks)) ?? [];
  ada.says(`${ada.bot} ${example}`, general);
  await stage.until(() => seen.length > 0);
  expect(seen).toEqual([{ command: 'imagine', values: { prompt: 'a cat', size: '2k' } }]);
});

test.each([
  ['bold', '*'],
  ['italics', '_'],
  ['strikethrough', '~'],
  ['code', '`'],
  ['bold italics', '*_', '_*'],
  ['all three', '_*~', '~*_'],
])('a mention that stands in %s by itself leaves no marks of that', async (_, before, after = before) => {
  const { seen } = await begin();
  const { ada, general } = stage;
  ada.says(`${before}${ada.bot}${after} imagine a cat`, general);
  await stage.until(() => seen.length === 1);
  ada.says(`a *big* ${before}${ada.bot}${after} _or_ ${ada.bot} *small* cat?`, general);
  await stage.until(() => seen.length === 2);
  ada.says(`${before}${ada.bot}${after}`, general);
  await stage.until(() => seen.length === 3);
  expect(seen).toEqual([
    { command: 'imagine', values: { prompt: 'a cat' } },
    { command: 'ask', values: { prompt: 'a *big*   _or_   *small* cat?' } },
    { command: 'help', values: {} },
  ]);
});

test('a file that the command can’t use is named, and not as an option: nothing is wrong with the line', async () => {
  const { seen } = await begin();
  const { ada, general } = stage;
  const files = [ada.file('plan.txt', png)];
  ada.says(`${ada.bot} imagine a cat`, general, { files });
  await stage.until(() => ada.whispers.length === 1);
  const said = JSON.stringify(ada.whispers[0]?.blocks);
  expect(said).toContain('`plan.txt`');
  expect(said).not.toContain('--plan.txt');
  expect(said).not.toContain('For example');
  expect(seen).toEqual([]);
});

test('a talent alone, without its prompt, is explained: no form can be opened by a message', async () => {
  const { seen } = await begin();
  const { ada, general } = stage;
  ada.says(`${ada.bot} imagine`, general);
  await stage.until(() => seen.length > 0);
  expect(seen).toEqual([{ command: 'help', values: { command: 'imagine' } }]);
});
