import { ChannelType, PermissionFlagsBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { discordSteps } from '../../src/live-check/discord/check.ts';
import { discordFeatures } from '../../src/platforms/discord/api/features.ts';
import { type Readings, Refusal, refusals } from '../fakes/discord/index.ts';
import { adaHelps, type DiscordStage, discordStage, helpful } from './discord-stage.ts';

/** What stays in the channel, in its threads, and among the commands. */
function leftIn({ discord, channel, guild }: DiscordStage) {
  const messages = [...discord.world.channels.values()]
    .filter(({ id, thread }) => id === channel.id || (thread && !thread.archived))
    .flatMap((one) => discord.messagesIn(one, { ephemeral: true }));
  return { messages: messages.map(({ content }) => content), commands: discord.commands.list(guild.id) };
}

/** Every feature that the bot goes by, and the step that is about it. */
const remembered = (Object.keys(discordFeatures) as (keyof typeof discordFeatures)[]).map(
  (feature) => [feature, discordSteps.find((step) => step.feature === discordFeatures[feature])] as const,
);
const posts = 'POST /channels/{channel_id}/messages';

/** What Ada wrote herself. */
const theirs = ['a note', '<@', 'help'];

describe('the live check on Discord', () => {
  it('tries everything, leaves nothing behind and ends well where all is as documented', async () => {
    const stage = await discordStage();
    const { report, seen, rows } = await stage.run();
    expect(report.needsOperator).toBe(false);
    expect(rows.filter(({ seen: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(seen['post, edit, delete']).toBe('works: works');
    expect(seen['second thread under a message']).toMatch(/^refused: refused: 160004/);
    expect(seen['rate-limit headers']).toMatch(/^works: 500 messages in [\d.]+ s$/);
    expect(leftIn(stage)).toEqual({ messages: [], commands: [] });
    // Without Manage Threads they can be closed, not deleted.
    expect(
      report.text.match(/! could not be taken away: the closed thread “troupe live check”/g),
    ).toHaveLength(2);
    expect(stage.discord.journal.violations).toEqual([]);
    expect(stage.discord.gateway.identifyCount).toBe(0);
  });

  it.each([
    ['where the application can be installed', 'bothInstalls'],
    ['the same nonce twice (enforce_nonce)', 'nonceReplay'],
    ['edit a message older than an hour', 'lateEdit'],
  ] as const)('finds both ways of: %s', async (step, feature) => {
    for (const reading of ['works', 'refused'] as const) {
      const stage = await discordStage({ [feature]: reading } satisfies Partial<Readings>);
      oldMessageOfTheBot(stage);
      const { seen } = await stage.run();
      expect(seen[step]).toMatch(new RegExp(`^${reading}: `));
    }
  });

  it.each(remembered)('finds and remembers both ways of what the bot goes by: %s', async (feature, step) => {
    expect(step).toBeDefined();
    for (const reading of ['works', 'refused'] as const) {
      const stage = await discordStage({ [feature]: reading } satisfies Partial<Readings>);
      const { seen, found, report } = await stage.run({ helper: adaHelps(stage) });
      expect(seen[step?.name ?? '']).toMatch(new RegExp(`^${reading}: `));
      expect(await found(discordFeatures[feature], stage.guild.id)).toBe(reading);
      expect(await found(discordFeatures[feature], '1')).toBe(step?.everywhere ? reading : undefined);
      expect(report.needsOperator).toBe(false);
    }
  });

  it('tells a refusal of voice messages from a permission that is missing', async () => {
    const stage = await discordStage({ voiceMessage: 'refused' });
    expect((await stage.run()).seen['voice message']).toMatch(/^refused: refused: 50173 /);
    stage.forbid(PermissionFlagsBits.SendVoiceMessages);
    expect((await stage.run()).seen['voice message']).toMatch(/^needs: .*Send Voice Messages/);
    expect(stage.discord.journal.violations).toEqual([]);
  });

  it('names the permission that is really missing', async () => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits.SendMessages);
    const { seen, found } = await stage.run();
    expect(seen['voice message']).toBe(
      'needs: Give the bot’s role the permission Send Messages in this channel (50013)',
    );
    expect(await found(discordFeatures.voiceMessage, stage.guild.id)).toBeUndefined();
    const me = stage.guild.members.get(stage.discord.world.bot.id);
    if (me) me.timedOutUntil = stage.discord.world.clock.now() + 3_600_000;
    expect((await stage.run()).seen['voice message']).toBe(
      'needs: The bot is timed out in this server: end that first (50013)',
    );
  });

  it('takes a 413 of what stands before Discord for too large, as the bot does', async () => {
    const stage = await discordStage({ uploadOver10MiB: 'works' });
    const { seen, found } = await stage.run({
      tell: ({ name }) =>
        name === 'file of just under 10 MiB' &&
        stage.discord.faults.next(posts, { kind: 'page', status: 413 }),
    });
    expect(seen['file of just under 20 MiB']).toBe('refused: refused: 413');
    expect(await found(discordFeatures.uploadOver10MiB, stage.guild.id)).toBe('refused');
  });

  it.each([
    ['voice message', 'voiceMessage', refusals.cloudflare(), 'unclear'],
    ['voice message', 'voiceMessage', refusals.overloaded(), 'unclear'],
    ['voice message', 'voiceMessage', refusals.unheardOf(), 'unclear'],
    ['voice message', 'voiceMessage', refusals.lockedThread(), 'unclear'],
    ['voice message', 'voiceMessage', new Refusal(400, 20009, 'Explicit content cannot be sent'), 'unclear'],
    ['voice message', 'voiceMessage', refusals.blockedMessage(), 'needs'],
    ['file of just under 20 MiB', 'uploadOver10MiB', refusals.unheardOf(), 'unclear'],
    ['file of just under 20 MiB', 'uploadOver10MiB', refusals.missingPermissions(), 'unclear'],
  ] as const)(
    '%s: remembers nothing of %s where Discord answers %s',
    async (step, feature, refusal, kind) => {
      const stage = await discordStage();
      const before = discordSteps[discordSteps.findIndex(({ name }) => name === step) - 1]?.name;
      const { seen, found } = await stage.run({
        tell: ({ name }) => name === before && stage.discord.faults.next(posts, { kind: 'refuse', refusal }),
      });
      expect(seen[step]).toMatch(new RegExp(`^${kind}: .*${refusal.code}`));
      expect(await found(discordFeatures[feature], stage.guild.id)).toBeUndefined();
    },
  );

  it.each([
    ['reply with a reference', 'ReadMessageHistory', 'Read Message History'],
    ['file in a message', 'AttachFiles', 'Attach Files'],
    ['voice message', 'SendVoiceMessages', 'Send Voice Messages'],
    ['thread under a message', 'CreatePublicThreads', 'Create Public Threads'],
  ] as const)('names the permission that is missing for: %s', async (step, bit, name) => {
    const stage = await discordStage();
    expect((await stage.run()).seen[step]).toBe('works: works');
    stage.forbid(PermissionFlagsBits[bit]);
    const { report, seen, found } = await stage.run();
    expect(seen[step]).toMatch(
      new RegExp(`^needs: Give the bot’s role the permission ${name} in this channel`),
    );
    expect(report).toMatchObject({ needsOperator: true, text: expect.stringContaining(`✗ ${step}: Give`) });
    expect(leftIn(stage).messages).toEqual([]);
    // A permission may be given any minute, and is seen from the permissions themselves: nothing is remembered.
    if (bit === 'SendVoiceMessages')
      expect(await found(discordFeatures.voiceMessage, stage.guild.id)).toBeUndefined();
  });

  it.each(['works', 'refused'] as const)(
    'finds AutoMod’s reach where words are blocked: %s',
    async (reading) => {
      const stage = await discordStage({ wordsPastAutoMod: reading });
      stage.guild.moderation.words = ['turnip'];
      const everyone = stage.guild.roles.get(stage.guild.id);
      if (everyone) everyone.permissions |= PermissionFlagsBits.ManageGuild;
      const { seen } = await stage.run();
      expect(seen['AutoMod on the bot’s messages']).toMatch(new RegExp(`^${reading}: `));
      expect(leftIn(stage).messages).toEqual([]);
    },
  );
});

describe('the live check on Discord, with a person', () => {
  it('learns from presses, forms, commands and messages, and leaves nothing of its own', async () => {
    const stage = await discordStage();
    const { seen, report } = await stage.run({ helper: adaHelps(stage) });
    expect(report.needsOperator).toBe(false);
    expect(seen).toMatchObject({
      'what a press says about this place': 'works: up to 10 MiB a file; has every permission',
      'form with selects and a file': 'works: opened and sent, 4 parts',
      'message command': 'works: with its text',
      'mention in an option': 'works: <@id>, without its name',
      'reply with the ping off': 'works: no mention; its text is withheld',
      'follow-up with the same nonce twice': 'refused: a second follow-up',
      'message that a mention replies to': 'refused: by event: left out; by GET: left out',
      'text of a forward': 'refused: no snapshot comes along',
      'answer to a press in a locked thread': 'works: works',
      'sixth follow-up where the app is no member': 'refused: refused: 40094 after 5',
    });
    expect(leftIn(stage)).toEqual({
      messages: ['a note', '<@&', 'help', 'a note of mine', '<@', 'a note to forward', ''].map((text) =>
        expect.stringMatching(`^${text}`),
      ),
      commands: [],
    });
    expect(stage.discord.commands.list('global')).toEqual([]);
    // That is what is tried.
    const tried = 'request POST /webhooks/{webhook_id}/{webhook_token}: field nonce is not described';
    expect(stage.discord.journal.violations).toEqual([tried, tried]);
  });

  it.each([
    ['files in an answer to a press, without Attach Files', 'interactionFiles'],
    ['a press’s token and the message of the button', 'tokenReachesOlderMessage'],
    ['form with selects and a file', 'formFiles'],
    ['mention of the bot’s role', 'roleMentionText'],
    ['follow-up after the loading message was deleted', 'followUpAfterRemoval'],
    ['text of a forward', 'snapshotText'],
    ['chat of a voice channel without Connect', 'voiceChatWithoutConnect'],
    ['answer to a press in a locked thread', 'tokenInLockedThread'],
    ['sixth follow-up where the app is no member', 'followUpsElsewhere'],
  ] as const)('finds both ways of: %s', async (step, feature) => {
    for (const reading of ['works', 'refused'] as const) {
      const stage = await discordStage({ [feature]: reading } satisfies Partial<Readings>);
      if (feature === 'voiceChatWithoutConnect') {
        stage.discord.world.addChannel(stage.guild, 'Lounge', ChannelType.GuildVoice);
        stage.forbid(PermissionFlagsBits.Connect);
      }
      if (feature === 'interactionFiles') stage.forbid(PermissionFlagsBits.AttachFiles);
      const { seen } = await stage.run({ helper: adaHelps(stage) });
      expect(seen[step]).toMatch(new RegExp(`^${reading}: `));
      const left = leftIn(stage).messages;
      expect(left.filter((text) => text !== '' && !theirs.some((one) => text.startsWith(one)))).toEqual([]);
    }
  });

  it.each([
    ['absent', 'refused: by event: left out; by GET: left out'],
    ['covered', 'refused: by event: without its text; by GET: without its text'],
    ['uncovered', 'works: by event: with its text; by GET: with its text'],
  ] as const)('finds what comes of a message that is replied to: %s', async (reading, expected) => {
    const stage = await discordStage({ referencedMessage: reading });
    const { seen } = await stage.run({ helper: adaHelps(stage) });
    expect(seen['message that a mention replies to']).toBe(expected);
  });

  it('finds that a message replied to cannot be asked for without Read Message History', async () => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    const { seen } = await stage.run({ helper: adaHelps(stage) });
    expect(seen['message that a mention replies to']).toMatch(/by GET: refused \(\d+\)$/);
  });

  it('finds the names of people mentioned in an option', async () => {
    const stage = await discordStage({ namesInResolved: 'works' });
    const { seen } = await stage.run({ helper: adaHelps(stage) });
    expect(seen['mention in an option']).toBe('works: <@id>, with its name');
  });

  it('goes on where nobody comes', async () => {
    const stage = await discordStage();
    const { seen, report } = await stage.run({ helper: helpful(() => 'nobody') });
    expect(seen['message command']).toBe('skipped: nobody did it in time');
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual({ messages: [], commands: [] });
  });
});

describe('the live check on Discord cleans up', () => {
  it('after a step that fails', async () => {
    const stage = await discordStage();
    stage.discord.faults.next('PATCH /channels/{channel_id}/messages/{message_id}', {
      kind: 'error',
      status: 400,
    });
    const { seen } = await stage.run();
    expect(seen['post, edit, delete']).toMatch(/^refused: /);
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('where the answer to a post was lost', async () => {
    const stage = await discordStage();
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'close-after' });
    const { seen } = await stage.run();
    expect(seen['post, edit, delete']).toBe('unclear: no answer from Discord');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('where the answer to a new thread was lost', async () => {
    const stage = await discordStage();
    const threads = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    stage.discord.faults.next(threads, { kind: 'close-after' });
    const { seen, report } = await stage.run();
    expect(seen['thread under a message']).toBe('unclear: no answer from Discord');
    const open = [...stage.discord.world.channels.values()].filter(
      ({ thread }) => thread?.archived === false,
    );
    expect(open).toEqual([]);
    // Both are closed, and named: the bot lacks Manage Threads.
    expect(report.text.match(/! could not be taken away: the closed thread/g)).toHaveLength(2);
  });

  it('and names no thread that was never opened', async () => {
    const stage = await discordStage();
    const threads = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    stage.discord.faults.next(threads, { kind: 'error', status: 400 }, 100);
    const { report } = await stage.run();
    expect(report.text).not.toContain('could not be taken away');
  });

  it('where the answer to a voice message was lost', async () => {
    const stage = await discordStage();
    const { seen } = await stage.run({
      tell: ({ name }) =>
        name === 'file in a message' && stage.discord.faults.next(posts, { kind: 'close-after' }),
    });
    expect(seen['voice message']).toBe('unclear: no answer from Discord');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('when it is broken off, and says so', async () => {
    const stage = await discordStage();
    const controller = new AbortController();
    const { report, rows } = await stage.run({
      signal: controller.signal,
      tell: ({ name }) => name === 'thread under a message' && controller.abort(),
    });
    expect(rows.at(-1)?.name).toBe('thread under a message');
    expect(report.text).toContain('Broken off');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('and names what it could not take away', async () => {
    const stage = await discordStage();
    const route = 'DELETE /channels/{channel_id}/messages/{message_id}';
    stage.discord.faults.next(route, { kind: 'error', status: 403 }, 100);
    const { report } = await stage.run();
    expect(report.text).toMatch(/! could not be taken away: a message in the channel \(\d+\)/);
  });
});

describe('the live check on Discord needs', () => {
  it('a token', async () => {
    const stage = await discordStage();
    const environment = { ...stage.environment, DISCORD_TOKEN: 'not-a-token-at-all.secret' };
    const { report } = await stage.run({ environment });
    expect(report).toEqual({
      needsOperator: true,
      text: '✗ Discord: Discord refuses DISCORD_TOKEN: set it to the bot’s token',
    });
  });

  it('a channel that is there and can be seen', async () => {
    const stage = await discordStage();
    const { report } = await stage.run({ channel: '1'.repeat(18) });
    expect(report.needsOperator).toBe(true);
    expect(report.text).toContain('is not there, or the bot cannot see it (10003)');
    stage.forbid(PermissionFlagsBits.ViewChannel);
    expect((await stage.run()).report.text).toContain('cannot see it (50001)');
  });

  it('a text channel of a server', async () => {
    const stage = await discordStage();
    const { report } = await stage.run({ channel: stage.ada.direct().id });
    expect(report.text).toContain('is not a text channel of a server');
  });
});

function oldMessageOfTheBot({ discord, channel }: DiscordStage): void {
  const { world } = discord;
  discord.messages.keepUnchecked(
    { channelId: channel.id, authorId: world.bot.id, createdAt: world.clock.now() - 2 * 3_600_000 },
    { content: 'an old answer' },
  );
}
