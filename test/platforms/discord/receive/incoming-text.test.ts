import { ChannelType, Locale, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { readableText } from '../../../../src/platforms/discord/receive/readable-text.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import type { Channel, FakeDiscord } from '../../../fakes/discord/index.ts';
import { echo, gifts, give } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage, withoutPermission } from '../support/stage.ts';

const ask = { ...streamingAsk, textOption: 'prompt' };
const text = (name: string, words: string | Buffer, contentType = 'text/plain') => ({
  name,
  contentType,
  bytes: Buffer.from(words),
});

const open = (options: Partial<StageOptions> = {}) => startStage({ commands: [ask, give], ...options });
const contents = (stage: Stage, place?: Channel) => stage.ofBot(place).map(({ content }) => content);
const botRole = (stage: Stage) =>
  [...stage.guild.roles.values()].find(({ botId }) => botId !== undefined)?.id;
/** Everything before it has been handled when this is answered. */
async function passed(stage: Stage, place = stage.channel): Promise<void> {
  stage.bob.mentions(place, 'say ---');
  await stage.discord.until('the mark', () => stage.ofBot(place).find(({ content }) => content === '---'));
  await remembered(stage);
}
/** Nobody replies in the milliseconds that it takes to remember an answer. */
const remembered = (stage: Stage) =>
  stage.discord.until('the records', () => openAnswers.every(({ progress }) => progress.length > 0));
const until = (stage: Stage, words: string | RegExp, place = stage.channel) =>
  stage.discord.until(String(words), () =>
    stage
      .ofBot(place)
      .find(({ content }) => (typeof words === 'string' ? content.includes(words) : words.test(content))),
  );
/** An answer to a slash command, which a reply never mentions. */
async function slashAnswer(stage: Stage) {
  stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'say an answer' } });
  const answer = await until(stage, 'an answer');
  await remembered(stage);
  return answer;
}
async function mentionAnswer(stage: Stage) {
  stage.ada.mentions(stage.channel, 'say an answer');
  const answer = await until(stage, /^an answer/);
  await remembered(stage);
  return answer;
}
async function image(stage: Stage) {
  gifts.set('image', { bytes: Buffer.from('png'), about: { name: 'x.png', contentType: 'image/png' } });
  stage.ada.types(stage.channel, { name: 'give', options: { kind: 'image' } });
  return stage.discord.until('the image', () => stage.ofBot().find(({ files }) => files.length > 0));
}

describe('a mention of the bot’s role', () => {
  it('is answered if its text is included', async () => {
    const stage = await open({ readings: { roleMentionText: 'works' } });
    stage.ada.writes(stage.channel, `<@&${botRole(stage)}> say hello`);
    expect((await until(stage, 'hello')).content).toBe('hello');
  });

  it('is explained to each person once a day if its text is withheld, in reply to them', async () => {
    const stage = await open();
    const first = stage.ada.writes(stage.channel, `<@&${botRole(stage)}> say hello`);
    const hint = await until(stage, 'my role');
    expect(hint.content).toContain(`<@${stage.discord.world.bot.id}>`);
    expect(hint).toMatchObject({ mentions: [], replyTo: first.id });
    stage.ada.writes(stage.channel, `<@&${botRole(stage)}> hello?`);
    const other = stage.bob.writes(stage.channel, `<@&${botRole(stage)}> say hello`);
    await stage.discord.until('his own', () => stage.ofBot().find(({ replyTo }) => replyTo === other.id));
    await passed(stage);
    expect(stage.ofBot()).toHaveLength(3);
    expect(openAnswers).toHaveLength(1);
  });

  it('is explained to few people an hour in a channel', async () => {
    const clock = new FakeClock();
    const stage = await open({ clock });
    const people = Array.from({ length: 6 }, (_, index) =>
      stage.discord.addPerson(stage.guild, `person ${index}`),
    );
    const hints = () => contents(stage).filter((content) => content.includes('my role'));
    for (const person of people) person.writes(stage.channel, `<@&${botRole(stage)}> hello`);
    await stage.discord.until('the explanations', () => hints().length === 4);
    await passed(stage);
    expect(hints()).toHaveLength(4);
    await clock.advance(3_600_001);
    for (const person of people) person.writes(stage.channel, `<@&${botRole(stage)}> hello`);
    await stage.discord.until('the others', () => hints().length === 6);
  });

  it('is explained in the server’s language, again a day later, and after a restart no sooner', async () => {
    const clock = new FakeClock();
    const stage = await open({ locale: Locale.ChineseCN, clock });
    const hints = () => contents(stage).filter((content) => content.includes('这是我的身份组'));
    const mentions = async (count: number, mark: string) => {
      stage.ada.writes(stage.channel, `<@&${botRole(stage)}> 你好`);
      await stage.discord.until('the explanation', () => hints().length === count);
      stage.bob.mentions(stage.channel, `say ${mark}`);
      await until(stage, mark);
      expect(hints()).toHaveLength(count);
    };
    await mentions(1, 'first');
    await stage.restart();
    await mentions(1, 'second');
    await clock.advance(86_400_001);
    await mentions(2, 'third');
    expect(contents(stage)).toContain(
      `-# 这是我的身份组，Discord 不会让我看到提及它的消息。请改为提及我：<@${stage.discord.world.bot.id}>`,
    );
  });

  it('of another role is ignored', async () => {
    const stage = await open({ readings: { roleMentionText: 'works' } });
    const role = stage.discord.world.addRole(stage.guild, 'mods', 0n);
    await stage.restart();
    stage.ada.writes(stage.channel, `<@&${role.id}> say hello`);
    await passed(stage);
    expect(contents(stage)).toEqual(['---']);
  });
});

describe.each(['absent', 'covered', 'whole'] as const)('a reply, its original %s', (referencedMessage) => {
  const setting = { readings: { referencedMessage } };

  // Fact: Only a reply with its ping on, to a plain message, mentions the bot (discord-api-docs#5395)
  it('with the ping off, or to a slash command’s answer, is explained once to each person', async () => {
    const stage = await open(setting);
    const answer = await slashAnswer(stage);
    stage.bob.writes(stage.channel, 'and then?', { replyTo: answer });
    await until(stage, 'only shows me messages that mention me');
    const [hint] = stage.ofBot().filter(({ content }) => content.includes('only shows me'));
    expect(hint?.replyTo).toBeDefined();
    const other = await mentionAnswer(stage);
    stage.bob.writes(stage.channel, 'and then?', { replyTo: other, silent: true });
    stage.bob.writes(stage.channel, 'and then?', { replyTo: answer });
    await passed(stage);
    expect(contents(stage).filter((words) => words.includes('only shows me'))).toHaveLength(1);
  });

  it('to an image without a mention, or to another person, is ignored', async () => {
    const stage = await open(setting);
    const shown = await image(stage);
    stage.bob.writes(stage.channel, 'lol nice', { replyTo: shown });
    const bobs = stage.bob.writes(stage.channel, 'hello');
    stage.ada.writes(stage.channel, 'hello bob', { replyTo: bobs, silent: true });
    await passed(stage);
    expect(contents(stage).filter((words) => words !== '')).toEqual(['Here it is', '---']);
  });

  it('with a ping to a message that isn’t an answer is no prompt: the service isn’t called', async () => {
    const stage = await open(setting);
    stage.ada.writes(stage.channel, `<@&${botRole(stage)}> hello`);
    const notice = await until(stage, 'my role');
    stage.bob.writes(stage.channel, 'say lol nice', { replyTo: notice });
    await passed(stage);
    expect(openAnswers).toHaveLength(1);
    stage.bob.mentions(stage.channel, 'say named', { replyTo: notice });
    await until(stage, 'named');
  });

  it('with a ping to an answer continues, even after a restart or if the answer isn’t remembered', async () => {
    const stage = await open(setting);
    const answer = await mentionAnswer(stage);
    await stage.restart();
    stage.bob.writes(stage.channel, 'say more', { replyTo: answer });
    await until(stage, 'more');
    await stage.database.deleteFrom('keyv').where('key', 'like', '%message%').execute();
    stage.bob.writes(stage.channel, 'say even so', { replyTo: answer });
    await until(stage, 'even so');
  });
});

describe('in threads', () => {
  const threadUnder = async (stage: Stage, message: { readonly id: string }) => {
    await stage.platform.adapter.openThread({ ...stage.place, message: message.id }, 'A thread');
    return stage.discord.world.channel(message.id);
  };

  it('the bot ignores people’s messages in the thread of a render', async () => {
    const stage = await open();
    const thread = await threadUnder(stage, await image(stage));
    for (const words of ['nice', 'very', 'indeed']) stage.ada.writes(thread, words);
    await passed(stage);
    expect(stage.ofBot(thread)).toEqual([]);
  });

  it('after a question there, it explains once how to mention it, in the person’s language', async () => {
    const stage = await open({ locale: Locale.ChineseCN });
    const thread = await threadUnder(stage, await image(stage));
    await passed(stage, thread);
    for (const words of ['and', 'then', 'what']) stage.ada.writes(thread, words);
    await until(stage, 'only shows me messages that mention me', thread);
    await passed(stage);
    expect(stage.ofBot(thread)).toHaveLength(2);
  });
});

it('in a thread where the bot takes part, what’s aimed at others brings no hint', async () => {
  const stage = await open();
  const { ada, bob, channel, discord, guild } = stage;
  const { id: mods } = discord.world.addRole(guild, 'mods', PermissionFlagsBits.MentionEveryone);
  guild.members.get(bob.user.id)?.roles.push(mods);
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  ada.mentions(thread, 'say here');
  await until(stage, 'here', thread);
  await remembered(stage);
  const adas = ada.mentions(thread, 'say there');
  await until(stage, 'there', thread);
  bob.writes(thread, '@everyone the call begins');
  bob.writes(thread, `<@&${mods}> the call begins`);
  bob.writes(thread, 'I agree', { replyTo: adas, silent: true });
  const plain = bob.writes(thread, 'what now?');
  expect(await until(stage, 'only shows me messages that mention me', thread)).toMatchObject({
    replyTo: plain.id,
  });
});

describe('a mention in the middle of a message', () => {
  it.each([
    ['say hey {me} what is it', 'say hey what is it'],
    ['say this:\n```py\nx = 1\n```\n{me} fix it', 'say this:\n```py\nx = 1\n```\nfix it'],
    ['say\n{me}\n\n    indented', 'say\n\n\n    indented'],
    ['say {me} {me}\n| a | b |', 'say\n| a | b |'],
    ['{me}\n\nsay hello\n{me}', 'say hello'],
    ['{me} say `{me}`, {me}', 'say `{me}`,'],
    ['{me} say ```\n{me} `x`\n``` and ``a ` {me}``', 'say ```\n{me} `x`\n``` and ``a ` {me}``'],
    ['{me} say ` {me} hi', 'say ` hi'],
  ])('is taken out of %j, and lines stay lines', async (written, read) => {
    const stage = await open();
    const me = `<@${stage.discord.world.bot.id}>`;
    stage.ada.writes(stage.channel, written.replaceAll('{me}', me));
    await stage.discord.until('the question', () => openAnswers.length === 1);
    expect(openAnswers[0]?.prompt).toBe(read.replaceAll('{me}', me));
    await openAnswers[0]?.end();
  });
});

describe('attachments of a message', () => {
  it('text files are quoted whole; a long text is the prompt', async () => {
    const stage = await open();
    const files = [text('notes.md', '# Tides'), text('main.ts', 'let a = 1;', 'application/octet-stream')];
    stage.ada.mentions(stage.channel, 'say look', { files });
    expect((await until(stage, 'look')).content).toBe('look');
    expect(openAnswers[0]?.context).toBe(
      '```quoted file notes.md\n# Tides\n```\n\n```quoted file main.ts\nlet a = 1;\n```',
    );
    stage.ada.writes(stage.ada.direct(), `say ${'long '.repeat(500)}`);
    await stage.discord.until('the long one', () => openAnswers.length === 2);
    expect(openAnswers[1]).toMatchObject({ prompt: `say ${'long '.repeat(500)}`, context: undefined });
    await openAnswers[1]?.end();
  });

  it('text in GB 18030 is read; files that are too large, too many or not text are named', async () => {
    const stage = await open();
    const files = [
      text('gb.txt', Buffer.from([0xc4, 0xe3, 0xba, 0xc3])),
      text('big.txt', 'x'.repeat(100 * 1024 + 1)),
      text('binary.txt', Buffer.from([1, 0, 2])),
      text('four.txt', 'four'),
      text('five.txt', 'five'),
    ];
    stage.ada.mentions(stage.channel, 'say look', { files });
    const { content } = await until(stage, 'look');
    expect(content.split('\n')[0]).toBe(
      '-# I couldn’t read `big.txt`, `binary.txt`, `five.txt`. I read up to 4 text files of at most 100 KiB each.',
    );
    expect(openAnswers[0]?.context).toContain('```quoted file gb.txt\n你好\n```');
    expect(openAnswers[0]?.context).toContain('can’t see or hear\nbig.txt, binary.txt, five.txt\n');
  });

  it('pictures are named above the answer, and the model learns that it can’t see them', async () => {
    const stage = await open();
    const files = [text('cat.png', 'png', 'image/png')];
    stage.ada.mentions(stage.channel, 'say what is it?', { files });
    const { content } = await until(stage, 'what is it?');
    expect(content.split('\n')[0]).toBe('-# I only read text files, so I can’t open `cat.png`.');
    expect(openAnswers[0]?.context).toContain('can’t see or hear\ncat.png\n');
  });

  it('a voice note or a picture alone is explained, and costs nothing', async () => {
    const stage = await open();
    const direct = stage.ada.direct();
    stage.ada.writes(direct, '', { voice: text('voice-message.ogg', 'OggS', 'audio/ogg') });
    await until(stage, '`voice-message.ogg`', direct);
    expect(openAnswers).toEqual([]);
    expect(stage.ofBot(direct)).toHaveLength(1);
  });

  it('a poll, or a sticker with its name, is what’s said in a direct message; a forwarded one is quoted', async () => {
    const stage = await open();
    const { ada, bob, discord } = stage;
    const direct = ada.direct();
    const asked = async (index: number) => {
      const question = await discord.until('the question', () => openAnswers[index]);
      await question.end();
      return question;
    };
    ada.writes(direct, '', { poll: { question: 'Tea or coffee?', answers: ['tea', 'coffee'] } });
    expect((await asked(0)).prompt).toBe('Tea or coffee?\n- tea\n- coffee');
    ada.writes(direct, 'say hello', { stickers: ['Wave'] });
    expect((await asked(1)).prompt).toBe('say hello\n[sticker: Wave]');
    ada.writes(direct, '', { stickers: ['Wave'] });
    expect((await asked(2)).prompt).toBe('[sticker: Wave]');
    ada.writes(direct, '', { forwards: bob.writes(stage.channel, '', { stickers: ['Dance'] }) });
    const { prompt, context } = await asked(3);
    expect(prompt).toBe('Please respond to what’s quoted.');
    expect(context).toContain('[sticker: Dance]');
    expect(contents(stage, direct).join()).not.toContain('-#');
  });

  it('a poll’s answer that’s only an emoji is said by that', async () => {
    const stage = await open();
    const { ada, discord } = stage;
    const id = '41771983423143937';
    const [tea, party, deleted] = [
      { id: null, name: '☕' },
      { id, name: 'party' },
      { id, name: null },
    ];
    const both = [tea, deleted].map((emoji) => ({ text: 'both', emoji }));
    const answers = [{ emoji: tea }, ...both, { emoji: party }, 'none'];
    ada.writes(ada.direct(), '', { poll: { question: 'What now?', answers } });
    const { prompt } = await discord.until('the question', () => openAnswers[0]);
    expect(prompt).toBe('What now?\n- ☕\n- ☕ both\n- both\n- :party:\n- none');
  });

  it("a person's messages are answered in their order, however long a file takes; others don't wait", async () => {
    const held = Promise.withResolvers<Uint8Array>();
    const stage = await open({ download: () => held.promise });
    stage.ada.mentions(stage.channel, 'say one', { files: [text('a.txt', 'a')] });
    stage.ada.mentions(stage.channel, 'say two');
    stage.bob.mentions(stage.channel, 'say else');
    await until(stage, 'else');
    held.resolve(Buffer.from('a'));
    await until(stage, 'two');
    expect(openAnswers.map(({ prompt }) => prompt.slice(4, 8).trim())).toEqual(['else', 'one', 'two']);
  });

  it('a file that doesn’t come isn’t waited for', async () => {
    const jumping = new FakeClock(Date.now());
    const stage = await open({ jumping, download: () => Promise.withResolvers<Uint8Array>().promise });
    const since = jumping.now();
    stage.ada.mentions(stage.channel, 'say one', { files: [text('a.txt', 'a')] });
    expect((await until(stage, 'one')).content).toContain('I couldn’t read `a.txt`');
    expect(jumping.now() - since).toBeLessThan(15_000);
  });

  it('a forward is read as a quotation', async () => {
    const stage = await open();
    const original = stage.bob.writes(stage.channel, `say it rains, says <@${stage.bob.user.id}>`);
    stage.ada.writes(stage.ada.direct(), '', { forwards: original });
    const openAnswer = await stage.discord.until('the question', () => openAnswers[0]);
    expect(openAnswer.prompt).toBe('Please respond to what’s quoted.');
    expect(openAnswer.context).toBe(
      `\`\`\`quoted forwarded message ⟨discord:${original.id} discord:#${stage.channel.id}⟩\nsay it rains, says @bob\n\`\`\``,
    );
    await openAnswer.end();
  });
});

describe.each(['refused', 'works'] as const)(
  'ids in texts, where Discord’s own names are %s',
  (namesInResolved) => {
    it('are replaced by names, or a neutral word, before they reach the service', async () => {
      const stage = await open({ readings: { namesInResolved } });
      const role = stage.discord.world.addRole(stage.guild, 'mods', 0n);
      await stage.restart();
      const prompt = [
        `say <@${stage.bob.user.id}>`,
        `<@&${role.id}>`,
        `<#${stage.channel.id}>`,
        '<#1> <:smile:12345678901234567> <a:wave:12345678901234567>',
        '</ask:12345678901234567> <t:1700000000:R>',
      ].join(' ');
      stage.ada.types(stage.channel, { name: 'ask', options: { prompt } });
      const known = namesInResolved === 'works' ? 'bob' : 'someone';
      const written = `@${known} @mods #general #a channel :smile: :wave: /ask 2023-11-14 22:13 UTC`;
      expect((await until(stage, 'UTC')).content).toContain(written);
      stage.ada.mentions(stage.channel, prompt);
      await until(stage, `@bob @mods #general`);
      expect(contents(stage).join()).not.toContain(stage.bob.user.id);
    });
  },
);

it('a mention under a spoiler, or in bold, leaves no marks of that', async () => {
  const stage = await open();
  stage.ada.writes(stage.channel, `||<@${stage.discord.world.bot.id}>|| say hello ||and more||`);
  expect((await until(stage, 'hello')).content).toBe('hello ||and more||');
  stage.ada.writes(stage.channel, `**<@${stage.discord.world.bot.id}>** say bold **things**`);
  expect((await until(stage, 'bold')).content).toBe('bold **things**');
});

it('a server’s own pages have names, too', async () => {
  const stage = await open();
  stage.ada.mentions(stage.channel, 'say <id:customize>, <id:linked-roles> or <id:linked-roles:123456789>');
  await until(stage, '#customize, #linked-roles or #linked-roles');
});

it('ids in code stay as they’re written, since that’s what it shows', async () => {
  const stage = await open();
  const code = '`<t:1700000000:R>` and\n```\n<:smile:12345678901234567> `<#1>\n```';
  stage.ada.mentions(stage.channel, `say ${code}\nare <t:1700000000:R> and \\<t:1700000000:R>`);
  const answer = await until(stage, 'UTC');
  expect(answer.content).toBe(`${code}\nare 2023-11-14 22:13 UTC and \\<t:1700000000:R>`);
});

// Fact: Unseen channels are only named, `___hidden___` (resources/channel, obfuscated channels)
it('a channel that the bot can’t view has no name', async () => {
  const layoffs = (discord: FakeDiscord) =>
    [...discord.world.channels.values()].find(({ name }) => name === 'layoffs');
  const stage = await open({
    before: ({ world }) => {
      for (const guild of world.guilds.values())
        world
          .addChannel(guild, 'layoffs')
          .overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny: PermissionFlagsBits.ViewChannel });
    },
  });
  stage.ada.mentions(stage.channel, `say it about <#${layoffs(stage.discord)?.id}>`);
  await until(stage, 'it about #a channel');
});

it('a channel or private thread has a name only where all who read it see it', async () => {
  const stage = await open();
  const { ada, bob, channel, discord, guild } = stage;
  const { ViewChannel } = PermissionFlagsBits;
  const layoffs = discord.world.addChannel(guild, 'layoffs');
  const secret = discord.threads.openPrivate(channel, bob.user.id, 'the merger');
  const sees = (id: string) => layoffs.overwrites.push({ id, type: 'member', allow: ViewChannel, deny: 0n });
  layoffs.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny: ViewChannel });
  for (const id of [discord.world.bot.id, bob.user.id]) sees(id);
  await stage.restart();
  const about = `about <#${layoffs.id}> and <#${secret.id}> in <#${channel.id}>`;
  ada.mentions(channel, `say it is ${about}`);
  await until(stage, 'it is about #a channel and #a channel in #general');
  ada.types(channel, { name: 'ask', options: { prompt: `say all ${about}` } });
  await until(stage, 'ada**: say all about #a channel and #a channel in #general');
  bob.mentions(channel, `say this ${about}`);
  await until(stage, 'this about #a channel and #a channel in #general');
  bob.types(channel, { name: 'ask', options: { prompt: `say that ${about}` } });
  await until(stage, 'bob**: say that about #a channel and #a channel in #general');
  bob.mentions(layoffs, `say there ${about}`);
  await until(stage, 'there about #layoffs and #a channel in #general', layoffs);
});

it('a channel that says of hundreds who sees it has a name only there', async () => {
  const stage = await open();
  const { ada, channel, discord, guild } = stage;
  const many = discord.world.addChannel(guild, 'many');
  for (let index = 0; index < 101; index++)
    many.overwrites.push({
      id: discord.addPerson(guild, `p${index}`).user.id,
      type: 'member',
      allow: 0n,
      deny: 0n,
    });
  await stage.restart();
  ada.mentions(channel, `say here <#${many.id}>`);
  await until(stage, 'here #a channel');
  ada.mentions(many, `say there <#${many.id}> and <#${channel.id}>`);
  await until(stage, 'there #many and #general', many);
});

it('a channel that a role doesn’t see has no name where that role reads, and one with more readers has', async () => {
  const stage = await open();
  const { ada, channel, discord, guild } = stage;
  const { ViewChannel } = PermissionFlagsBits;
  const [muted, members] = ['muted', 'members'].map((name) => discord.world.addRole(guild, name, 0n));
  const [quiet, club, staff] = ['quiet', 'club', 'staff'].map((name) =>
    discord.world.addChannel(guild, name),
  );
  const role = (id: string, allow: bigint, deny: bigint) => ({ id, type: 'role' as const, allow, deny });
  const only = [role(guild.id, 0n, ViewChannel), role(members!.id, ViewChannel, 0n)];
  const bot = { id: discord.world.bot.id, type: 'member' as const, allow: ViewChannel, deny: 0n };
  const own = { ...bot, id: ada.user.id };
  quiet!.overwrites.push(role(muted!.id, 0n, ViewChannel));
  club!.overwrites.push(...only, bot, own);
  staff!.overwrites.push(only[0]!, bot, own);
  await stage.restart();
  const about = `<#${quiet!.id}>, <#${club!.id}>, <#${staff!.id}>, <#${channel.id}>`;
  ada.mentions(channel, `say here ${about}`);
  await until(stage, 'here #a channel, #a channel, #a channel, #general');
  ada.mentions(club!, `say club ${about}`);
  await until(stage, 'club #a channel, #club, #a channel, #general', club!);
  ada.mentions(staff!, `say staff ${about}`);
  await until(stage, 'staff #a channel, #club, #staff, #general', staff!);
});

it('ids in the text of a form become names, too', async () => {
  const stage = await startStage({ commands: [{ ...echo, textOption: 'text' }] });
  stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
  stage.ada.submits(await stage.discord.opened(stage.ada.presses(await until(stage, 'hello'), 'Change')), {
    text: `<#${stage.channel.id}> <@${stage.bob.user.id}>`,
  });
  await until(stage, 'ada: #general @someone');
});

it('hostile text is read in linear time: a million unfinished mentions', () => {
  const hostile = '<@!1<a:x:<t:-</x'.repeat(1_000_000);
  const names = { user: () => undefined, role: () => undefined, channel: () => undefined };
  expect(readableText(hostile, names, 'en')).toBe(hostile);
  for (const ticks of ['`', '```', '` `` ', '`a``'])
    expect(readableText(ticks.repeat(300_000), names, 'en')).toHaveLength(300_000 * ticks.length);
});

describe('a notice that can’t be posted in the channel', () => {
  it('comes directly once in six hours, however often they mention the bot', async () => {
    const clock = new FakeClock();
    const before = withoutPermission(PermissionFlagsBits.SendMessages);
    const stage = await open({ before, clock });
    const direct = stage.ada.direct();
    for (let times = 0; times < 3; times++) stage.ada.mentions(stage.channel, 'say hello');
    await until(stage, 'Send Messages', direct);
    stage.ada.writes(direct, 'say ---');
    await until(stage, '---', direct);
    expect(stage.ofBot(direct)).toHaveLength(2);
    await clock.advance(6 * 3_600_000 + 1);
    stage.ada.mentions(stage.channel, 'say hello');
    await stage.discord.until('the second word', () => stage.ofBot(direct).length === 3);
    expect(openAnswers).toHaveLength(1);
  });
});

describe.each(['refused', 'works'] as const)(
  'the chat of a voice channel without Connect, writing is %s',
  (reading) => {
    it('the service isn’t called if nobody could read the answer', async () => {
      const stage = await open({
        readings: { voiceChatWithoutConnect: reading },
        before: (discord) => {
          const [guild] = discord.world.guilds.values();
          discord.world.addChannel(guild!, 'Lounge', ChannelType.GuildVoice);
          withoutPermission(PermissionFlagsBits.Connect)(discord);
        },
      });
      const lounge = [...stage.discord.world.channels.values()].find(({ name }) => name === 'Lounge')!;
      stage.ada.mentions(lounge, 'say hello');
      if (reading === 'works') return void (await until(stage, 'hello', lounge));
      await until(stage, 'Connect', stage.ada.direct());
      expect(openAnswers).toEqual([]);
    });
  },
);

describe('where the bot is timed out', () => {
  const silenced = async (options: Partial<StageOptions> = {}) => {
    const stage = await open(options);
    stage.discord.events.timedOut(stage.guild, Date.now() + 3_600_000);
    return stage;
  };

  it('a mention is explained directly before anything is paid for, and answered after the time-out', async () => {
    const stage = await silenced();
    stage.ada.mentions(stage.channel, 'say hello');
    await until(stage, 'timed out', stage.ada.direct());
    expect(openAnswers).toEqual([]);
    stage.discord.events.timedOut(stage.guild, Date.now() - 1);
    stage.ada.mentions(stage.channel, 'say hello again');
    await until(stage, 'hello again', stage.channel);
  });

  it('an administrator can’t be timed out: a mention is answered', async () => {
    const stage = await silenced({
      before: ({ world }) => {
        for (const { id, roles } of world.guilds.values())
          roles.get(id)!.permissions |= PermissionFlagsBits.Administrator;
      },
    });
    stage.ada.mentions(stage.channel, 'say hello');
    await until(stage, 'hello', stage.channel);
  });

  it.each(['works', 'refused'] as const)(
    'a command is answered by its token alone, its permissions telling of it: %s',
    async (timeOutInAppPermissions) => {
      const stage = await silenced({ readings: { timeOutInAppPermissions } });
      stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'say hello' } });
      await until(stage, 'hello', stage.channel);
      expect(stage.discord.journal.requests.filter(({ status }) => status >= 400)).toEqual([]);
    },
  );

  it.each([
    [Locale.EnglishUS, 'timed out in this server'],
    [Locale.ChineseCN, '禁言'],
  ] as const)(
    'a command that makes files is told so before anything is paid for: %s',
    async (locale, told) => {
      const stage = await silenced({ commands: [{ ...streamingAsk, postsFiles: 'image' }] });
      stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'say hello' }, locale });
      const answer = await stage.discord.until('the refusal', () =>
        stage.discord.messagesIn(stage.channel, { ephemeral: true }).find(({ content }) => content !== ''),
      );
      expect(answer.content).toContain(told);
      expect(answer.content).not.toContain('Attach Files');
      expect(openAnswers).toEqual([]);
    },
  );
});

describe('a mention in a locked thread', () => {
  const shutThread = async (options: Partial<StageOptions> = {}) => {
    const stage = await open(options);
    const { adapter } = stage.platform;
    const root = await adapter.post(stage.place, { text: 'root' }, 'root');
    await adapter.openThread(root, 'Tides');
    const thread = stage.discord.world.channel(root.message);
    stage.ada.closes(thread, true);
    stage.ada.mentions(thread, 'say hello');
    return { stage, thread };
  };

  it('is explained directly before anything is paid for', async () => {
    const { stage, thread } = await shutThread();
    await until(stage, 'locked', stage.ada.direct());
    expect(openAnswers).toEqual([]);
    expect(stage.ofBot(thread)).toEqual([]);
  });

  it('is answered where the bot manages threads', async () => {
    const { stage, thread } = await shutThread({
      before: ({ world }) => {
        for (const { id, roles } of world.guilds.values())
          roles.get(id)!.permissions |= PermissionFlagsBits.ManageThreads;
      },
    });
    await until(stage, 'hello', thread);
  });
});

describe.each(['works', 'refused'] as const)(
  'a command in a locked thread, where its token %s',
  (tokenInLockedThread) => {
    // As people have reported (discord-api-docs#5517, #7707).
    it('is answered by the token; or that’s explained directly, once, and the service isn’t called', async () => {
      const stage = await open({ readings: { tokenInLockedThread } });
      const { adapter } = stage.platform;
      const root = await adapter.post(stage.place, { text: 'root' }, 'root');
      await adapter.openThread(root, 'Tides');
      const thread = stage.discord.world.channel(root.message);
      stage.ada.closes(thread, true);
      stage.ada.types(thread, { name: 'ask', options: { prompt: 'say hello' } });
      if (tokenInLockedThread === 'works') return void (await until(stage, 'hello', thread));
      await until(stage, 'locked', stage.ada.direct());
      stage.ada.types(thread, { name: 'ask', options: { prompt: 'say hello' } });
      const refused = ({ answer }: { readonly answer: unknown }) => JSON.stringify(answer)?.includes('50083');
      await stage.discord.until(
        'both refusals',
        () => stage.discord.journal.requests.filter(refused).length === 2,
      );
      await passed(stage);
      expect(stage.ofBot(stage.ada.direct())).toHaveLength(1);
      expect(stage.logged.filter((line) => line.includes('an event from Discord failed'))).toEqual([]);
      expect(openAnswers.map(({ prompt }) => prompt)).not.toContain('say hello');
    });
  },
);
