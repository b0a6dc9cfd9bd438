import { beforeEach, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import type { IncomingFile } from '../../../../src/port/index.ts';
import { type AnyCommand, commands as realCommands } from '../../../fakes/commands.ts';
import type { Upload } from '../../../fakes/discord/interactions/interaction-factory.ts';
import { type Stage, startStage } from '../support/stage.ts';

/** What reached the commands: name, and the values without files, whose names stand for them. */
const seen: { readonly command: string; readonly values: object }[] = [];

/** The bot's own commands, which note what they are given. */
const commands = realCommands.map(({ check: _, ...command }) => ({
  ...(command as unknown as AnyCommand),
  run: async ({ job, options, reply }: Invocation<never>) => {
    const values = Object.entries(options as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'object' && value ? (value as IncomingFile).name : value,
    ]);
    seen.push({ command: job.command, values: Object.fromEntries(values) });
    await reply.say({ text: `did ${job.command}` });
  },
}));

beforeEach(() => {
  seen.length = 0;
});

const png = (name: string): Upload => ({ name, contentType: 'image/png', bytes: Buffer.from('png') });
const mp4 = (name: string): Upload => ({ name, contentType: 'video/mp4', bytes: Buffer.from('mp4') });
const answered = (stage: Stage, place = stage.channel, count = 1) =>
  stage.discord.until('the answer', () => stage.ofBot(place)[count - 1]);

describe('commands by words on Discord', () => {
  it.each<[string, string, object]>([
    ['imagine a cat --size 3k', 'imagine', { prompt: 'a cat', size: '3k' }],
    ['画图 一只猫', 'imagine', { prompt: '一只猫' }],
    ['/speak Hello there --speed 0.9', 'speak', { text: 'Hello there', speed: 0.9 }],
    ['video a cat surfing --duration 8', 'video', { prompt: 'a cat surfing', duration: 8 }],
    ['what is a cat --size 3k', 'ask', { prompt: 'what is a cat --size 3k' }],
    ['ask why? --model svc-llm-1.5-pro', 'ask', { prompt: 'why?', model: 'svc-llm-1.5-pro' }],
    ['what can you do?', 'help', {}],
    [': help imagine', 'help', { command: 'imagine' }],
    ['，/speak 你好', 'speak', { text: '你好' }],
    [':smile: usage', 'ask', { prompt: ':smile: usage' }],
  ])('a mention with “%s” is /%s', async (text, command, values) => {
    const stage = await startStage({ commands });
    const asked = stage.ada.mentions(stage.channel, text);
    const answer = await answered(stage);
    expect(seen).toEqual([{ command, values }]);
    expect(answer).toMatchObject({ replyTo: asked.id, content: expect.stringContaining(`did ${command}`) });
  });

  it('work in direct messages and in threads, with people’s names in a prompt', async () => {
    const stage = await startStage({ commands });
    stage.ada.writes(stage.ada.direct(), 'imagine a dog');
    await answered(stage, stage.ada.direct());
    const root = stage.ada.writes(stage.channel, 'dogs');
    await stage.platform.adapter.openThread({ ...stage.place, message: root.id }, 'dogs');
    const thread = stage.discord.world.channel(root.id);
    stage.bob.mentions(thread, 'draw');
    await answered(stage, thread);
    stage.bob.mentions(thread, `imagine: <@${stage.ada.user.id}> as a dog`);
    await answered(stage, thread, 2);
    expect(seen.map(({ values }) => values)).toEqual([
      { prompt: 'a dog' },
      { prompt: 'draw' },
      { prompt: '@ada as a dog' },
    ]);
  });

  it('are refused in one message, whatever is wrong with them', async () => {
    const stage = await startStage({ commands });
    const root = stage.ada.writes(stage.channel, 'dogs');
    await stage.platform.adapter.openThread({ ...stage.place, message: root.id }, 'dogs');
    const thread = stage.discord.world.channel(root.id);
    const wrong = Array.from({ length: 150 }, (_, index) => `--wrong${index} 1`).join(' ');
    stage.ada.mentions(thread, `imagine a dog ${wrong}`);
    expect((await answered(stage, thread)).content).toContain('… and 145 more.');
    stage.ada.mentions(thread, 'imagine a cat');
    await stage.discord.until('the next answer', () =>
      stage.ofBot(thread).find(({ content }) => content.includes('did imagine')),
    );
    expect(stage.ofBot(thread)).toHaveLength(2);
  });

  it('take the message’s files as references, each for its kind', async () => {
    const stage = await startStage({ commands });
    const files = [png('one.png'), mp4('move.mp4'), png('two.png')];
    stage.ada.mentions(stage.channel, 'video: both of them dancing', { files });
    await answered(stage);
    const values = {
      prompt: 'both of them dancing',
      image_1: 'one.png',
      image_2: 'two.png',
      video_1: 'move.mp4',
    };
    expect(seen).toEqual([{ command: 'video', values }]);
  });

  it('take files whose type Discord doesn’t tell by the ends of their names, as a command does', async () => {
    const stage = await startStage({ commands });
    const untold = (name: string): Upload => ({ name, contentType: '', bytes: Buffer.from('x') });
    const files = [untold('One.PNG'), untold('move.webm')];
    stage.ada.mentions(stage.channel, 'video: dancing', { files });
    await answered(stage);
    const options = { prompt: 'a cat', reference_1: untold('two.jpeg') };
    stage.ada.types(stage.channel, { name: 'imagine', options });
    await stage.discord.until('the command', () => seen[1]);
    expect(seen).toEqual([
      { command: 'video', values: { prompt: 'dancing', image_1: 'One.PNG', video_1: 'move.webm' } },
      { command: 'imagine', values: { prompt: 'a cat', reference_1: 'two.jpeg' } },
    ]);
  });

  it('say which files they can’t take where nobody tells their types, whatever their names end in', async () => {
    const stage = await startStage({ commands });
    const names = ['a.constructor', 'b.__proto__'];
    const files = names.map((name): Upload => ({ name, contentType: '', bytes: Buffer.from('x') }));
    stage.ada.mentions(stage.channel, 'video: dancing', { files });
    const { content } = await answered(stage);
    for (const name of names) expect(content).toContain(name);
    expect(seen).toEqual([]);
  });

  it('take what a picture that they reply to shows, where they bring none of their own', async () => {
    const stage = await startStage({ commands });
    const shown = stage.bob.mentions(stage.channel, 'what is this?', {
      files: [png('boat.png'), mp4('boat.mp4')],
    });
    await answered(stage);
    stage.ada.mentions(stage.channel, 'imagine: the same at night', { replyTo: shown });
    await answered(stage, stage.channel, 2);
    const files = [png('own.png')];
    stage.ada.mentions(stage.channel, 'imagine a castle instead', { replyTo: shown, files });
    await answered(stage, stage.channel, 3);
    stage.ada.mentions(stage.channel, 'speak well done', { replyTo: shown });
    await answered(stage, stage.channel, 4);
    expect(seen.slice(1)).toEqual([
      { command: 'imagine', values: { prompt: 'the same at night', reference_1: 'boat.png' } },
      { command: 'imagine', values: { prompt: 'a castle instead', reference_1: 'own.png' } },
      { command: 'speak', values: { text: 'well done' } },
    ]);
  });

  it('take the picture that’s forwarded in the message that they reply to', async () => {
    const stage = await startStage({ commands });
    const direct = stage.ada.direct();
    const shown = stage.bob.writes(stage.channel, 'my boat', { files: [png('boat.png')] });
    const forward = stage.ada.writes(direct, '', { forwards: shown });
    stage.ada.writes(direct, 'imagine: the same at night', { replyTo: forward });
    await stage.discord.until('the command', () => seen.find(({ command }) => command === 'imagine'));
    expect(seen.filter(({ command }) => command === 'imagine')).toEqual([
      { command: 'imagine', values: { prompt: 'the same at night', reference_1: 'boat.png' } },
    ]);
  });

  it('say so where Discord withholds what they reply to', async () => {
    const stage = await startStage({ commands });
    const shown = stage.bob.writes(stage.channel, 'my boat', { files: [png('boat.png')] });
    stage.ada.mentions(stage.channel, 'imagine: the same at night', { replyTo: shown });
    const answer = await answered(stage);
    expect(answer.content).toContain('I can’t see the message you replied to. Attach its pictures');
    expect(seen).toEqual([{ command: 'imagine', values: { prompt: 'the same at night' } }]);
  });

  it.each<[string, Upload[], RegExp]>([
    [
      'imagine a cat',
      Array.from({ length: 5 }, (_, at) => png(`${at}.png`)),
      /You attached 5 images; at most 4/,
    ],
    [
      'imagine a cat',
      [mp4('move.mp4')],
      /`move\.mp4` can’t be a file of type video\/mp4. Allowed: image\/\*/,
    ],
    ['speak hello', [png('cat.png')], /I can’t use `cat\.png`: this command doesn’t take files/],
    ['imagine a cat --size huge', [], /`size` can’t be “huge”. Allowed: 2k, 3k, 4k/],
    ['imagine a cat --siez 3k', [], /no option `siez`/],
    ['imagine a cat --reference_1', [], /`reference_1` takes a file/],
    ['画图 一只猫 --size 巨大', [], /`size` 不能是/],
  ])('“%s” with what’s not allowed says what is, and runs nothing', async (text, files, sentence) => {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, text, { files });
    expect((await answered(stage)).content).toMatch(sentence);
    expect(seen).toEqual([]);
  });

  it('ask before they spend much, with the same buttons', async () => {
    const stage = await startStage({ commands, question: 'This will cost 900 credits. Continue?' });
    stage.ada.mentions(stage.channel, 'video: a cat');
    const question = await answered(stage);
    expect(seen).toEqual([]);
    stage.ada.presses(question, 'Yes, go ahead');
    await stage.discord.until('the answer', () => seen[0]);
    expect(seen).toMatchObject([{ command: 'video', values: { prompt: 'a cat' } }]);
  });

  it.each(['usage --period week', 'renders', 'me'])(
    'answer alone what’s nobody else’s business: %s',
    async (words) => {
      const stage = await startStage({ commands });
      const [command] = words.split(' ');
      stage.ada.mentions(stage.channel, words);
      await stage.discord.until('the answer', () => seen[0]);
      await answered(stage, stage.ada.direct(), 2);
      expect(seen[0]?.command).toBe(command);
      expect(stage.ofBot(stage.ada.direct()).map(({ content }) => content)).toContain(`did ${command}`);
      expect(stage.ofBot()).toEqual([]);
    },
  );

  it.each(['help', 'voices'])('answer for everybody what tells of nobody: %s', async (command) => {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, command);
    expect((await answered(stage)).content).toContain(`did ${command}`);
  });

  it('ask alone whether to spend on what’s private, and then answer alone', async () => {
    const stage = await startStage({ commands, question: 'This will cost 900 credits. Continue?' });
    stage.ada.mentions(stage.channel, 'imagine a cat --private');
    const direct = stage.ada.direct();
    const question = await stage.discord.until('the question', () =>
      stage.ofBot(direct).find(({ content }) => content.includes('900 credits')),
    );
    expect(stage.ofBot()).toEqual([]);
    stage.ada.presses(question, 'Yes, go ahead');
    await stage.discord.until('the answer', () => seen[0]);
    await stage.discord.until('its words', () =>
      stage.discord
        .messagesIn(direct, { ephemeral: true })
        .some(({ content }) => content.includes('did imagine')),
    );
    expect(seen).toMatchObject([{ command: 'imagine', values: { prompt: 'a cat', private: true } }]);
    expect(
      stage.discord
        .messagesIn(stage.channel)
        .filter(({ authorId }) => authorId === stage.discord.world.bot.id),
    ).toEqual([]);
  });
});
