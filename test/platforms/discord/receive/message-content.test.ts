import { GatewayIntentBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../fakes/discord/index.ts';
import { secret } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const commands = [streamingAsk, secret];
const allow: StageOptions['before'] = (discord) => {
  discord.world.privilegedIntents = GatewayIntentBits.MessageContent;
};

const open = (options: Partial<StageOptions> = {}) =>
  startStage({ commands, messageContent: true, before: allow, ...options });
const said = (stage: Stage, place: Channel) => stage.ofBot(place).map(({ content }) => content);
const answered = (stage: Stage, place: Channel, text: string) =>
  stage.discord.until(text, () => said(stage, place).includes(text));
/** A thread that was opened for a conversation. */
async function ownThread(stage: Stage): Promise<Channel> {
  stage.ada.mentions(stage.channel, 'say root');
  const root = await stage.discord.until('the answer', () =>
    stage.discord.messagesIn(stage.channel).find(({ content }) => content === 'root'),
  );
  const thread = await stage.platform.adapter.openOwnThread?.({ ...stage.place, message: root.id }, 'root');
  expect(thread).toMatchObject({ thread: root.id });
  return stage.discord.world.channel(root.id);
}
/** When the bot has answered this, it has left alone what was written before. */
async function passed(stage: Stage, thread: Channel): Promise<void> {
  stage.bob.mentions(thread, 'say mentioned');
  await answered(stage, thread, 'mentioned');
}

describe('with the message content intent, the bot’s own threads', () => {
  it('need no mention, after a restart neither', async () => {
    const stage = await open();
    const thread = await ownThread(stage);
    stage.bob.writes(thread, 'say one');
    await answered(stage, thread, 'one');
    await stage.restart();
    stage.ada.writes(thread, 'say two');
    await answered(stage, thread, 'two');
  });

  it('take a forward as a question about what it says, and a sticker or poll as said to people', async () => {
    const stage = await open();
    const { ada, bob, channel, discord } = stage;
    const thread = await ownThread(stage);
    ada.writes(thread, '', { stickers: ['Wave'] });
    ada.writes(thread, '', { poll: { question: 'Tea?', answers: ['yes', 'no'] } });
    ada.writes(thread, '', { forwards: bob.writes(channel, 'it rains') });
    const asked = await discord.until('the question', () =>
      openAnswers.find(({ prompt }) => !prompt.startsWith('say ')),
    );
    await asked.end();
    expect(asked.prompt).toBe('Please respond to what’s quoted.');
    expect(asked.context).toContain('it rains');
  });

  it('leave what is aimed at somebody else, and what follows it, until the bot is mentioned', async () => {
    const stage = await open();
    const thread = await ownThread(stage);
    const bobs = stage.bob.writes(thread, `<@${stage.ada.user.id}> say what?`);
    stage.ada.writes(thread, 'say this');
    stage.ada.writes(thread, 'say that', { replyTo: bobs, silent: true });
    await passed(stage, thread);
    expect(said(stage, thread)).toEqual(['mentioned']);
    stage.ada.writes(thread, 'say yes');
    await answered(stage, thread, 'yes');
    stage.ada.writes(thread, 'say to bob', { replyTo: bobs, silent: true });
    stage.ada.writes(thread, `<@&${stage.guild.id}> say all`);
    await passed(stage, thread);
    expect(said(stage, thread).filter((text) => text === 'to bob' || text.endsWith('all'))).toEqual([]);
  });

  it('bring a reply to the bot’s picture, or to one’s own message, to the bot: it’s aimed at nobody else', async () => {
    const stage = await open();
    const thread = await ownThread(stage);
    const at = { ...stage.place, thread: thread.id };
    const { message } = await stage.platform.adapter.post(at, { text: 'a picture' }, 'picture');
    const picture = stage.discord.messagesIn(thread).find(({ id }) => id === message);
    stage.ada.writes(thread, 'say pinging', { replyTo: picture! });
    await answered(stage, thread, 'pinging');
    stage.ada.writes(thread, 'say silent', { replyTo: picture!, silent: true });
    await answered(stage, thread, 'silent');
    const own = stage.ada.writes(thread, 'say own');
    stage.ada.writes(thread, 'say more', { replyTo: own });
    await answered(stage, thread, 'more');
    stage.ada.writes(thread, 'say still');
    await answered(stage, thread, 'still');
  });

  it('are left alone too where administrators want a mention in threads', async () => {
    const stage = await open({ mentionOnly: true });
    const thread = await ownThread(stage);
    stage.bob.writes(thread, 'say one');
    await passed(stage, thread);
    expect(said(stage, thread)).toEqual(['mentioned']);
  });
});

describe('with the message content intent, elsewhere', () => {
  it('the bot takes no part in channels and threads of people, a reply to its answer aside', async () => {
    const stage = await open();
    const thread = await ownThread(stage);
    const root = stage.ada.writes(stage.channel, 'say nothing');
    await stage.platform.adapter.openThread({ ...stage.place, message: root.id }, 'people');
    const theirs = stage.discord.world.channel(root.id);
    await passed(stage, theirs);
    stage.bob.writes(theirs, 'say nothing here');
    await passed(stage, thread);
    expect(said(stage, theirs)).toEqual(['mentioned']);
    const [answer] = stage.discord.messagesIn(stage.channel).filter(({ content }) => content === 'root');
    stage.bob.writes(stage.channel, 'say again', { replyTo: answer!, silent: true });
    await answered(stage, stage.channel, 'again');
    expect(said(stage, stage.channel)).toEqual(['root', 'again']);
  });

  // Discord notifies nobody whose mention stands in code: `mentions` leaves them out.
  it('who writes the bot’s mention as code doesn’t mention it', async () => {
    const stage = await open();
    stage.ada.writes(stage.channel, `Write \`<@${stage.discord.world.bot.id}> hello\``);
    stage.ada.writes(stage.channel, `\`\`\`\n<@${stage.discord.world.bot.id}> hello\n\`\`\``);
    await passed(stage, stage.channel);
    expect(openAnswers.map(({ prompt }) => prompt)).toEqual(['say mentioned']);
  });
});

describe('without it', () => {
  it('a refused intent is said in one plain sentence; the bot connects without it', async () => {
    const stage = await open({ before: () => {} });
    const thread = await ownThread(stage);
    stage.bob.writes(thread, 'say one');
    await passed(stage, thread);
    expect(said(stage, thread).at(-1)).toBe('mentioned');
    expect(said(stage, thread)).not.toContain('one');
    const errors = stage.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    expect(errors.map(({ msg }) => msg)).toEqual([
      expect.stringContaining('turn on “Message Content Intent” on the Bot page of the developer portal'),
    ]);
    expect(stage.discord.gateway.identifyCount).toBeLessThanOrEqual(2);
  });
});
