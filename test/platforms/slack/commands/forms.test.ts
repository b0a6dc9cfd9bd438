import { describe, expect, test } from 'vitest';
import type { IncomingFile } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import type { Json } from '../../../fakes/slack/index.ts';
import { type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

/** What reached a command. */
let seen: Json[];
const noting: Script = async ({ options, reply }) => {
  seen.push(options as Json);
  await reply.say({ text: 'noted' });
};
function beginNoting(options: StageOptions = {}) {
  seen = [];
  return begin({ scripts: { ask: noting, imagine: noting }, ...options });
}

const blocksIn = () => (stage.ada.form?.content.blocks ?? []) as Json[];
const inputs = () => blocksIn().map((block) => String(block.block_id));

describe.each(['socket', 'http'] as const)('forms in %s mode', (mode) => {
  test('a command sent empty opens its form with every option', async () => {
    const { ada, general } = await beginNoting({ mode });
    await stage.openForm(ada, '/imagine');
    expect(inputs()).toEqual([
      ...['prompt', 'size', 'files:reference', 'reference_urls'],
      ...['count', 'private', 'spoiler'],
    ]);
    await ada.sends({ prompt: 'a cat', size: '3k' });
    expect(ada.form).toBeUndefined();
    await stage.until(() => seen.length === 1);
    expect(seen[0]).toEqual({ prompt: 'a cat', size: '3k' });
    await stage.until(() => stage.texts(general).some((text) => text.includes('noted')));
    expect(stage.texts(general)[0]).toContain('*ada* · `/imagine`');
  });
});

test.each([
  ['/ask', ['prompt', 'model', 'as', 'private', 'thread']],
  ['/speak', ['text', 'voice', 'language', 'format', 'speed', 'private']],
  [
    '/video',
    [
      'prompt',
      'duration',
      'resolution',
      'quality',
      'ratio',
      'generate_audio',
      'operation',
      'seed',
      'image_urls',
      'video_urls',
      'private',
      'spoiler',
    ],
  ],
])('%s has a form of its own that Slack takes', async (command, names) => {
  const { ada } = await begin();
  await stage.openForm(ada, command);
  expect(inputs()).toEqual(names);
});

test.each(['absent', 'null'] as const)(
  'a form is asked for what it lacks where all that was entered is %s',
  async (optionalFields) => {
    const { ada, general, slack } = await begin();
    await stage.openForm(ada, '/imagine');
    slack.world.optionalFields = optionalFields;
    await ada.sends({ prompt: 'a cat' });
    expect(ada.form?.errors).toEqual({ prompt: expect.stringContaining('prompt') });
    expect(stage.posts(general)).toEqual([]);
  },
);

test('what was typed already is in the form that a file option opens', async () => {
  const { ada } = await beginNoting();
  await stage.openForm(ada, '/imagine a cat --size 4k --reference_1');
  await ada.sends({});
  await stage.until(() => seen.length === 1);
  expect(seen[0]).toEqual({ prompt: 'a cat', size: '4k' });
});

test.each([
  ['/imagine a cat --count 9 --reference_1', ['a cat']],
  ['/imagine a cat --count some --reference_1', ['a cat']],
  ['/speak --speed fast', []],
  ['/speak --speed 1.5', ['1.5']],
])('a number that was typed is in its form where it’s one that can be sent: %s', async (line, values) => {
  const { ada } = await begin();
  await stage.openForm(ada, line);
  const initial = blocksIn().map(({ element }) => (element as Json).initial_value);
  expect(initial.filter((value) => value !== undefined)).toEqual(values);
});

test('of what was typed and is too long for an input all is used where that’s left unchanged', async () => {
  const { ada } = await beginNoting();
  const prompt = `${'潮汐🌊'.repeat(1_000)}, and a boat`;
  for (const entries of [{}, { prompt: 'a cat' }]) {
    await stage.openForm(ada, `/imagine ${prompt} --reference_1`);
    const [input] = blocksIn();
    expect(input?.hint).toMatchObject({ text: expect.stringContaining('Leave it unchanged') });
    await ada.sends(entries);
  }
  await stage.until(() => seen.length === 2);
  expect(seen).toEqual([{ prompt }, { prompt: 'a cat' }]);
});

test('images given in a form are private and reach the command with their bytes', async () => {
  const seen: { bytes: Uint8Array; file: IncomingFile }[] = [];
  const { ada } = await begin({
    scripts: {
      imagine: async ({ options, reply }) => {
        for (const file of Object.values(options as Json)) {
          if (typeof file !== 'object') continue;
          const incoming = file as IncomingFile;
          seen.push({ file: incoming, bytes: await stage.platform.adapter.readFile(incoming, 1_000) });
        }
        await reply.say({ text: 'noted' });
      },
    },
  });
  await stage.openForm(ada, '/imagine');
  const files = [ada.file('a.png', png), ada.file('b.jpg', png.slice(1))];
  await ada.sends({ prompt: 'a cat', 'files:reference': files });
  await stage.until(() => seen.length === 2);
  expect(seen.map(({ file }) => [file.name, file.contentType, file.url])).toEqual([
    ['a.png', 'image/png', undefined],
    ['b.jpg', 'image/jpeg', undefined],
  ]);
  expect(Buffer.from(seen[0]?.bytes ?? [])).toEqual(Buffer.from(png));
});

test("a private file's address that leads elsewhere is not followed, and the token stays here", async () => {
  const { ada, slack, workspace } = await begin();
  const file = ada.file('a.png', png);
  slack.redirectsDownloads = true;
  const source = `${workspace.id}/${file.id}`;
  const reading = stage.platform.adapter.readFile(
    { name: 'a.png', contentType: 'image/png', size: 7, source },
    1_000,
  );
  await expect(reading).rejects.toMatchObject({ kind: 'no-permission' });
  expect(slack.elsewhere.requests).toEqual([]);
});

test('a file larger than asked for is not read to its end', async () => {
  const { ada, workspace } = await begin();
  const file = ada.file('a.png', new Uint8Array(2_000));
  const source = `${workspace.id}/${file.id}`;
  const reading = stage.platform.adapter.readFile(
    { name: 'a.png', contentType: 'image/png', size: 2_000, source },
    1_000,
  );
  await expect(reading).rejects.toMatchObject({ kind: 'too-large' });
});

test('what is wrong shows in the form, at the input it belongs to, in the language of who sends it', async () => {
  const { ada, ben } = await beginNoting();
  await stage.openForm(ada, '/imagine');
  await ada.sends({ prompt: 'a cat', size: 'huge', reference_urls: 'http://a.example/x.png' });
  expect(ada.form?.errors.size).toContain('Allowed: 2k, 3k, 4k');
  expect(ada.form?.errors.reference_urls).toContain('https://');
  await stage.openForm(ben, '/imagine');
  await ben.sends({ prompt: '猫', size: 'huge' });
  expect(ben.form?.errors.size).toMatch(/[\u4e00-\u9fff]/);
  await ada.sends({ prompt: 'a cat', size: '2k' });
  await stage.until(() => seen.length === 1);
});

const labelsOf = (form: { readonly content: Json } | undefined) =>
  ((form?.content.blocks ?? []) as { label: { text: string } }[]).map(({ label }) => label.text);

test('inputs are called by words, in the language of who opened the form', async () => {
  const { ada, ben } = await begin();
  await stage.openForm(ada, '/imagine');
  expect(labelsOf(ada.form)).toEqual([
    ...['Prompt', 'Size', 'Reference images', 'Links to reference images'],
    ...['How many', 'Only visible to you', 'Spoiler'],
  ]);
  await stage.openForm(ben, '/imagine');
  expect(labelsOf(ben.form)).toEqual([
    ...['提示词', '尺寸', '参考图片', '参考图片的链接'],
    ...['数量', '仅自己可见', '剧透遮罩'],
  ]);
});

test('videos say that only public addresses will do', async () => {
  const { ada } = await begin();
  await stage.openForm(ada, '/video');
  const input = blocksIn().find(({ block_id }) => block_id === 'video_urls');
  expect((input?.hint as Json | undefined)?.text).toContain('public https links');
});

test('a form sent where the bot is a member no more says how to invite it, and nothing runs', async () => {
  const { ada, general, workspace } = await beginNoting();
  await stage.openForm(ada, '/imagine');
  general.members.delete(workspace.botUser);
  await ada.sends({ prompt: 'a cat' });
  expect(ada.form?.errors.prompt).toContain('/invite');
  expect(seen).toEqual([]);
});

test('a form sent by somebody who was taken out of the channel is refused in the form, and nothing runs', async () => {
  const { ada, ben, general } = await beginNoting();
  for (const person of [ada, ben]) await person.types('/ask', general);
  await stage.until(() => ada.form !== undefined && ben.form !== undefined);
  for (const person of [ada, ben]) general.members.delete(person.user.id);
  await ada.sends({ prompt: 'repeat: buy now' });
  expect(ada.form?.errors.prompt).toContain('You can’t send messages here');
  general.members.add(ben.user.id);
  await ben.sends({ prompt: 'hello' });
  await stage.until(() => stage.texts(general).some((text) => text.includes('noted')));
  expect(seen).toEqual([{ prompt: 'hello' }]);
  stage.slack.api.faults.plan('conversations.members', { kind: 'error', code: 'fetch_members_failed' });
  await stage.openForm(ben, '/ask');
  await ben.sends({ prompt: 'again' });
  await stage.until(() => seen.length === 2);
});

test('a form works after a restart', async () => {
  const { ada } = await beginNoting();
  await stage.openForm(ada, '/imagine');
  await stage.restart();
  await ada.sends({ prompt: 'a cat' });
  await stage.until(() => seen.length === 1);
});

test.each([60, undefined])(
  'where Slack takes no form for a minute, each who asks for one is told so at once (Retry-After: %s)',
  async (seconds) => {
    const { ada, ben, general, slack } = await begin();
    slack.api.faults.plan('views.open', { kind: 'too-many', seconds }, 10);
    for (const person of [ada, ben]) {
      void person.types('/imagine', general);
      await stage.pass(3_000);
      expect(person.whispers).toHaveLength(1);
    }
    expect(JSON.stringify(ada.whispers[0]?.blocks)).toContain('run the command again');
  },
);

test('where Slack fails to open a form, the person is told that it can’t be reached', async () => {
  const { ada, general, slack } = await begin();
  slack.api.faults.plan('views.open', { kind: 'error', code: 'service_unavailable' });
  await ada.types('/imagine', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(stage.whispers()).toEqual([words('en').errors.unreachable]);
});

test('where Slack refuses a form for its shape, the person is told that it’s the bot’s fault', async () => {
  const { ada, general, slack } = await begin();
  slack.api.faults.plan('views.open', { kind: 'error', code: 'invalid_arguments' });
  await ada.types('/imagine', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(stage.whispers()).toEqual([words('en').errors.unexpected]);
});

test('where Slack brought the command too late for a form, the person is told', async () => {
  const { ada, general, slack } = await begin();
  slack.api.faults.plan('views.open', { kind: 'error', code: 'expired_trigger_id' });
  await ada.types('/imagine', general);
  await stage.until(() => ada.whispers.length > 0);
  expect(JSON.stringify(ada.whispers[0]?.blocks)).toContain('run the command again');
});
