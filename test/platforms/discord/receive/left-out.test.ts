import { describe, expect, it } from 'vitest';
import { isFields } from '../../../fakes/discord/http/fields.ts';
import { echo } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const open = (options: Partial<StageOptions> = {}) =>
  startStage({ commands: [echo, streamingAsk], ...options });
/** Interactions, messages or servers come without these fields. */
const without = (event: string, ...fields: readonly string[]) =>
  open({ before: ({ gateway }) => gateway.leaveOut(event, ...fields) });
const type = ({ ada, channel }: Stage, place: Parameters<Stage['ada']['types']>[0] = channel) =>
  ada.types(place, { name: 'echo', options: { text: 'x' } });
const answered = (stage: Stage, words: string, place: Parameters<Stage['ofBot']>[0] = stage.channel) =>
  stage.discord.until(words, () => stage.ofBot(place).find(({ content }) => content.includes(words)));
const asked = async (stage: Stage) => {
  stage.ada.mentions(stage.channel, 'say well');
  await answered(stage, 'well');
};

describe('an interaction that leaves out what is optional', () => {
  it('is answered in its thread, which the gateway has told of', async () => {
    const stage = await without('INTERACTION_CREATE', 'channel');
    const { discord, channel, ada } = stage;
    const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
    type(stage, thread);
    await answered(stage, 'ada: x', thread);
    expect(await stage.jobAddress()).toEqual({ ...stage.place, thread: thread.id, threadIsPublic: true });
  });

  it('is one of the bot’s direct messages, also by who installed it alone', async () => {
    const stage = await without('INTERACTION_CREATE', 'context', 'channel');
    const place = stage.ada.direct();
    type(stage, place);
    await answered(stage, 'ada: x', place);
    const { id } = place;
    expect(await stage.jobAddress()).toEqual({ platform: 'discord', workspace: id, channel: id });
  });
});

/** As on a Discord that leaves out `bot` of authors, which is optional (resources/user). */
const withoutBots = (event: string) =>
  open({
    before: ({ gateway }) => {
      gateway.spoil = (name, data) => {
        if (name !== event || !isFields(data.author)) return data;
        const { bot: _, ...author } = data.author;
        return { ...data, author };
      };
    },
  });

describe('the bot’s own messages, which don’t say that their author is a bot', () => {
  const prompts = () => openAnswers.map(({ prompt }) => prompt);

  it('are never questions, in direct messages or where they mention it', async () => {
    const stage = await withoutBots('MESSAGE_CREATE');
    const { ada, channel } = stage;
    const direct = ada.direct();
    ada.writes(direct, 'say well');
    await answered(stage, 'well', direct);
    const { bot } = stage.discord.world;
    const own = { channelId: channel.id, authorId: bot.id, mentions: [bot.id] };
    stage.discord.messages.keepUnchecked(own, { content: `<@${bot.id}> say nothing` });
    ada.writes(direct, 'say again');
    await answered(stage, 'again', direct);
    ada.mentions(channel, 'say over');
    await answered(stage, 'over');
    expect(prompts()).toEqual(['say well', 'say again', 'say over']);
  });

  it('are none when they’re edited', async () => {
    const stage = await withoutBots('MESSAGE_UPDATE');
    const direct = stage.ada.direct();
    const own = { channelId: direct.id, authorId: stage.discord.world.bot.id };
    const notice = stage.discord.messages.keepUnchecked(own, { content: 'one moment' });
    stage.discord.messages.change(notice, { content: 'say nothing' });
    stage.ada.writes(direct, 'say again');
    await answered(stage, 'again', direct);
    expect(prompts()).toEqual(['say again']);
  });
});

describe('what comes without something that Discord always sends', () => {
  it.each([
    ['app_permissions'],
    ['authorizing_integration_owners'],
    ['app_permissions', 'authorizing_integration_owners', 'attachment_size_limit', 'channel', 'context'],
  ])('is answered: a command without %s', async (...fields) => {
    const stage = await without('INTERACTION_CREATE', ...fields);
    type(stage);
    await answered(stage, 'ada: x');
    expect(await stage.jobAddress()).toEqual(stage.place);
  });

  it('is answered: a button of a message that has no lists', async () => {
    const stage = await open();
    type(stage);
    const shown = await answered(stage, 'ada: x');
    stage.discord.gateway.spoil = (name, data) => {
      if (name !== 'INTERACTION_CREATE') return data;
      const { attachments, mentions, embeds, ...message } = data.message as Record<string, unknown>;
      return { ...data, message };
    };
    stage.ada.presses(shown, 'Tell me');
    await stage.discord.until('the response', () =>
      [...stage.discord.world.interactions.values()].some(
        ({ kind, acknowledgement }) => kind === 'component' && acknowledgement !== undefined,
      ),
    );
  });

  it.each([['mention_roles'], ['attachments', 'embeds', 'components'], ['type']])(
    'is answered: a mention without %s',
    async (...fields) => {
      await asked(await without('MESSAGE_CREATE', ...fields));
    },
  );

  it('is answered: a direct message without any list', async () => {
    const lists = ['mentions', 'mention_roles', 'attachments', 'embeds', 'components'];
    const stage = await without('MESSAGE_CREATE', ...lists);
    stage.ada.writes(stage.ada.direct(), 'say well');
    await answered(stage, 'well', stage.ada.direct());
  });

  it.each([
    ['threads'],
    ['members'],
    ['roles'],
    ['roles', 'members', 'threads', 'joined_at', 'member_count', 'preferred_locale', 'premium_tier'],
  ])('is answered: a mention in a server without %s', async (...fields) => {
    const stage = await without('GUILD_CREATE', ...fields);
    await asked(stage);
    expect(stage.logged.join('')).not.toContain('cannot be read');
  });
});
