import { ChannelType, Locale } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { secret } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const title = 'How do I center a div?';
const ask = { ...streamingAsk, textOption: 'prompt' };

/** Where people post, and what the model is asked there. */
async function open(type: ChannelType, options: Partial<StageOptions> = {}) {
  const stage = await startStage({
    commands: [ask, secret],
    before: ({ world }) => {
      for (const guild of world.guilds.values()) world.addChannel(guild, 'help', type);
    },
    ...options,
  });
  const forum = [...stage.discord.world.channels.values()].find((one) => one.type === type)!;
  return { ...stage, forum, mention: `<@${stage.discord.world.bot.id}>` };
}

async function question({ discord }: Pick<Stage, 'discord'>, index = 0) {
  const asked = await discord.until(`question ${index}`, () => openAnswers[index]);
  asked.live.append('Like this');
  await asked.end();
  return asked;
}
const titleQuote = (post: string) =>
  `\`\`\`quoted title of the post that this is said in ⟨there discord:#${post}⟩\n${title}\n\`\`\``;

// A post's thread and its first message have the same id (topics/threads).
it.each([ChannelType.GuildForum, ChannelType.GuildMedia])(
  'a post that only mentions the bot asks what its title says (channel type %i)',
  async (type) => {
    const stage = await open(type);
    const post = stage.ada.posts(stage.forum, title, stage.mention);
    const { prompt, context } = await question(stage);
    expect(prompt).toBe('Please respond to what’s quoted.');
    expect(context).toBe(titleQuote(post.id));
    expect(stage.ofBot(post)[0]).toMatchObject({ replyTo: post.id });
  },
);

it('who mentions the bot in somebody’s post, without a word or with some, asks about its title', async () => {
  const stage = await open(ChannelType.GuildForum, { locale: Locale.ChineseCN });
  const post = stage.ada.posts(stage.forum, title, 'I tried everything');
  stage.bob.writes(post, stage.mention);
  expect(await question(stage)).toMatchObject({
    prompt: '请回应引用的内容。',
    context: titleQuote(post.id),
  });
  stage.ada.mentions(post, 'And vertically?');
  expect(await question(stage, 1)).toMatchObject({
    prompt: 'And vertically?',
    context: titleQuote(post.id),
  });
});

it('a thread’s name isn’t what it’s about, as the beginning of its message', async () => {
  const stage = await open(ChannelType.GuildForum);
  const { ada, channel, discord } = stage;
  const thread = discord.threads.open(channel, ada.writes(channel, title).id, { name: title });
  ada.mentions(thread, 'And vertically?');
  expect(await question(stage)).toMatchObject({ prompt: 'And vertically?', context: undefined });
});
