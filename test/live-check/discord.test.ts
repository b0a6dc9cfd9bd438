import { ChannelType, PermissionFlagsBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { discordSteps } from '../../src/live-check/discord/check.ts';
import { discordFeatures } from '../../src/platforms/discord/api/features.ts';
import { type Readings, Refusal, refusals } from '../fakes/discord/index.ts';
import { usualReadings } from '../fakes/discord/readings.ts';
import { adaHelps, type DiscordStage, discordStage, helpful, largeFiles } from './discord-stage.ts';

/** What is left in the channel, in its threads, and among the commands. */
function leftIn({ discord, channel, guild }: DiscordStage) {
  const messages = [...discord.world.channels.values()]
    .filter(({ id, thread }) => id === channel.id || (thread && !thread.archived))
    .flatMap((one) => discord.messagesIn(one, { ephemeral: true }));
  return { messages: messages.map(({ content }) => content), commands: discord.commands.list(guild.id) };
}

/** Every feature that is remembered, and its step. */
const featureSteps = (Object.keys(discordFeatures) as (keyof typeof discordFeatures)[]).map(
  (feature) => [feature, discordSteps.find((step) => step.feature === discordFeatures[feature])] as const,
);
/** Steps whose result is only shown, and what decides it. */
const otherSteps = [
  ['where the application can be installed', 'bothInstalls'],
  ['the same nonce twice (enforce_nonce)', 'nonceReplay'],
  ['edit a message older than an hour', 'lateEdit'],
] as const;
const otherThanUsual = (reading: keyof typeof discordFeatures | (typeof otherSteps)[number][1]) =>
  usualReadings[reading] === 'works' ? 'refused' : 'works';
/** Others go on from this press, or from its message. */
const press = 'what a button press says about the channel';
/** Steps that take a person, whose result is only shown, and what decides it. */
const personSteps = [
  ['file in the answer to a button press, without Attach Files', 'interactionFiles'],
  ['message of the button, by the press’s token', 'tokenReachesOlderMessage'],
  ['form with selects and a file', 'formFiles'],
  ['form with selects and a file', 'formBoxes'],
  ['mention of the bot’s role', 'roleMentionText'],
  ['follow-up after the loading message was deleted', 'followUpAfterRemoval'],
  ['text of a forward', 'snapshotText'],
  ['chat of a voice channel without Connect', 'voiceChatWithoutConnect'],
  ['answer to a button press in a locked thread', 'tokenInLockedThread'],
  ['sixth follow-up where the bot isn’t a member', 'followUpsElsewhere'],
] as const;
const posts = 'POST /channels/{channel_id}/messages';

/** The start of messages that Ada wrote herself. */
const isTheirs = (text: string) => ['a note', '<@', 'help'].some((one) => text.startsWith(one));

describe('the live check on Discord', () => {
  it('tries everything and leaves nothing behind', async () => {
    const stage = await discordStage();
    const { report, results, rows } = await stage.runAll();
    expect(report.needsOperator).toBe(false);
    expect(rows.filter(({ result: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(results['post, edit, delete']).toBe('works: works');
    expect(results['second thread under a message']).toMatch(/^refused: refused: 160004/);
    expect(results['rate-limit headers']).toMatch(/^works: 500 messages in [\d.]+ s$/);
    expect(leftIn(stage)).toEqual({ messages: [], commands: [] });
    // Without Manage Threads they can be closed, not deleted.
    expect(report.text.match(/! could not be deleted: the closed thread “troupe live check”/g)).toHaveLength(
      2,
    );
    expect(stage.discord.journal.violations).toEqual([]);
    expect(stage.discord.gateway.identifyCount).toBe(0);
  });

  it('finds the usual outcome of every step, and remembers that of a feature', async () => {
    const stage = await discordStage();
    oldMessageOfTheBot(stage);
    const { results, remembered, report } = await stage.runAll({ helper: adaHelps(stage) });
    for (const [step, reading] of otherSteps)
      expect(results[step], step).toMatch(new RegExp(`^${usualReadings[reading]}: `));
    for (const [feature, step] of featureSteps) {
      const usual = usualReadings[feature];
      expect(results[step?.name ?? ''], feature).toMatch(new RegExp(`^${usual}: `));
      expect(await remembered(discordFeatures[feature], stage.guild.id), feature).toBe(usual);
      expect(await remembered(discordFeatures[feature], '1'), feature).toBe(
        step?.everywhere ? usual : undefined,
      );
    }
    expect(report.needsOperator).toBe(false);
  });

  it.each(otherSteps)('finds the other outcome of: %s', async (step, reading) => {
    const other = otherThanUsual(reading);
    const stage = await discordStage({ [reading]: other } satisfies Partial<Readings>);
    oldMessageOfTheBot(stage);
    const { results } = await stage.run({ only: [step] });
    expect(results[step]).toMatch(new RegExp(`^${other}: `));
  });

  it.each(featureSteps)('finds and remembers the other outcome of a feature: %s', async (feature, step) => {
    expect(step).toBeDefined();
    const other = otherThanUsual(feature);
    const stage = await discordStage({ [feature]: other } satisfies Partial<Readings>);
    const only = [press, step?.name ?? ''];
    const { results, remembered, report } = await stage.run({ helper: adaHelps(stage), only });
    expect(results[step?.name ?? '']).toMatch(new RegExp(`^${other}: `));
    expect(await remembered(discordFeatures[feature], stage.guild.id)).toBe(other);
    expect(await remembered(discordFeatures[feature], '1')).toBe(step?.everywhere ? other : undefined);
    expect(report.needsOperator).toBe(false);
  });

  it('tells a refusal of voice messages from a missing permission', async () => {
    const stage = await discordStage({ voiceMessage: 'refused' });
    const only = ['voice message'];
    expect((await stage.run({ only })).results['voice message']).toMatch(/^refused: refused: 50173 /);
    stage.forbid(PermissionFlagsBits.SendVoiceMessages);
    expect((await stage.run({ only })).results['voice message']).toMatch(/^needs: .*Send Voice Messages/);
    expect(stage.discord.journal.violations).toEqual([]);
  });

  it('names the permission that is actually missing', async () => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits.SendMessages);
    const only = ['voice message'];
    const { results, remembered } = await stage.run({ only });
    expect(results['voice message']).toBe(
      'needs: Give the bot’s role the permission Send Messages in this channel (50013)',
    );
    expect(await remembered(discordFeatures.voiceMessage, stage.guild.id)).toBeUndefined();
    const me = stage.guild.members.get(stage.discord.world.bot.id);
    if (me) me.timedOutUntil = stage.discord.world.clock.now() + 3_600_000;
    expect((await stage.run({ only })).results['voice message']).toBe(
      'needs: The bot is timed out in this server: remove the timeout first (50013)',
    );
  });

  it('counts a 413 from a proxy in front of Discord as too large, as the bot does', async () => {
    const stage = await discordStage({ uploadOver10MiB: 'works' });
    const { results, remembered } = await stage.run({
      only: largeFiles,
      onRow: ({ name }) =>
        name === 'file of just under 10 MiB' &&
        stage.discord.faults.next(posts, { kind: 'page', status: 413 }),
    });
    expect(results['file of just under 20 MiB']).toBe('refused: refused: 413');
    expect(await remembered(discordFeatures.uploadOver10MiB, stage.guild.id)).toBe('refused');
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
    '%s: remembers nothing about %s if Discord responds with %s',
    async (step, feature, refusal, kind) => {
      const stage = await discordStage();
      const before = 'post, edit, delete';
      const { results, remembered } = await stage.run({
        only: [before, step],
        onRow: ({ name }) => name === before && stage.discord.faults.next(posts, { kind: 'refuse', refusal }),
      });
      expect(results[step]).toMatch(new RegExp(`^${kind}: .*${refusal.code}`));
      expect(await remembered(discordFeatures[feature], stage.guild.id)).toBeUndefined();
    },
  );

  it.each([
    ['reply with a reference', 'ReadMessageHistory', 'Read Message History'],
    ['file in a message', 'AttachFiles', 'Attach Files'],
    ['voice message', 'SendVoiceMessages', 'Send Voice Messages'],
    ['thread under a message', 'CreatePublicThreads', 'Create Public Threads'],
  ] as const)('names the missing permission for: %s', async (step, bit, name) => {
    const stage = await discordStage();
    expect((await stage.run({ only: [step] })).results[step]).toBe('works: works');
    stage.forbid(PermissionFlagsBits[bit]);
    const { report, results, remembered } = await stage.run({ only: [step] });
    expect(results[step]).toMatch(
      new RegExp(`^needs: Give the bot’s role the permission ${name} in this channel`),
    );
    expect(report).toMatchObject({ needsOperator: true, text: expect.stringContaining(`✗ ${step}: Give`) });
    expect(leftIn(stage).messages).toEqual([]);
    // A permission may be granted at any time, and the bot knows its permissions: nothing is remembered.
    if (bit === 'SendVoiceMessages')
      expect(await remembered(discordFeatures.voiceMessage, stage.guild.id)).toBeUndefined();
  });

  it.each(['works', 'refused'] as const)('finds whether AutoMod applies to the bot: %s', async (reading) => {
    const stage = await discordStage({ wordsPastAutoMod: reading });
    stage.guild.moderation.words = ['turnip'];
    const everyone = stage.guild.roles.get(stage.guild.id);
    if (everyone) everyone.permissions |= PermissionFlagsBits.ManageGuild;
    const { results } = await stage.run({ only: ['AutoMod on the bot’s messages'] });
    expect(results['AutoMod on the bot’s messages']).toMatch(new RegExp(`^${reading}: `));
    expect(leftIn(stage).messages).toEqual([]);
  });
});

describe('the live check on Discord, with a person', () => {
  it('tries presses, forms, commands and messages, and leaves nothing behind', async () => {
    const stage = await discordStage();
    const { results, report } = await stage.runAll({ helper: adaHelps(stage) });
    expect(report.needsOperator).toBe(false);
    expect(results).toMatchObject({
      'what a button press says about the channel': 'works: up to 10 MiB a file; no permission is missing',
      'form with selects and a file': 'works: opened and submitted, 5 inputs',
      'message command': 'works: with its text',
      'mention in an option': 'works: <@id>, without the name',
      'reply with the ping off': 'works: no mention; without its text',
      'follow-up with the same nonce twice': 'refused: posted a second follow-up',
      'message that a mention replies to': 'refused: by event: not included; by GET: not included',
      'text of a forward': 'refused: no snapshot is included',
      'answer to a button press in a locked thread': 'works: works',
      'sixth follow-up where the bot isn’t a member': 'refused: refused: 40094 after 5',
    });
    expect(leftIn(stage)).toEqual({
      messages: ['a note', '<@&', 'help', 'a note of mine', '<@', 'a note to forward', ''].map((text) =>
        expect.stringMatching(`^${text}`),
      ),
      commands: [],
    });
    expect(stage.discord.commands.list('global')).toEqual([]);
    // That's what a step tries.
    const isTried = (fault: string) => fault.endsWith('field nonce is not described');
    expect(stage.discord.journal.violations.filter((fault) => !isTried(fault))).toEqual([]);
  });

  it('leaves nothing behind where all is otherwise than usual', async () => {
    const features = [...personSteps, ...otherSteps].map(([, feature]) => feature);
    const readings = [...features, ...featureSteps.map(([feature]) => feature)].map(
      (reading) => [reading, usualReadings[reading] === 'works' ? 'refused' : 'works'] as const,
    );
    const stage = await discordStage(Object.fromEntries(readings));
    const { rows, report } = await stage.run({ helper: adaHelps(stage) });
    expect(rows.filter(({ result: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(report.needsOperator).toBe(false);
    const left = leftIn(stage);
    expect(left.commands).toEqual([]);
    expect(left.messages.filter((text) => text !== '' && !isTheirs(text))).toEqual([]);
  });

  it.each(personSteps)('finds both outcomes of: %s', async (step, feature) => {
    for (const reading of ['works', 'refused'] as const) {
      const stage = await discordStage({ [feature]: reading } satisfies Partial<Readings>);
      if (feature === 'voiceChatWithoutConnect') {
        stage.discord.world.addChannel(stage.guild, 'Lounge', ChannelType.GuildVoice);
        stage.forbid(PermissionFlagsBits.Connect);
      }
      if (feature === 'interactionFiles') stage.forbid(PermissionFlagsBits.AttachFiles);
      const { results } = await stage.run({ helper: adaHelps(stage), only: [press, step] });
      expect(results[step]).toMatch(new RegExp(`^${reading}: `));
      const left = leftIn(stage).messages;
      expect(left.filter((text) => text !== '' && !isTheirs(text))).toEqual([]);
    }
  });

  it.each([
    ['absent', 'refused: by event: not included; by GET: not included'],
    ['covered', 'refused: by event: without its text; by GET: without its text'],
    ['uncovered', 'works: by event: with its text; by GET: with its text'],
  ] as const)('finds how much of the message replied to is included: %s', async (reading, expected) => {
    const stage = await discordStage({ referencedMessage: reading });
    const only = [press, 'message that a mention replies to'];
    const { results } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['message that a mention replies to']).toBe(expected);
  });

  it('finds that a message replied to can’t be read without Read Message History', async () => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    const only = [press, 'message that a mention replies to'];
    const { results } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['message that a mention replies to']).toMatch(/by GET: refused \(\d+\)$/);
  });

  it('finds the names of people mentioned in an option', async () => {
    const stage = await discordStage({ namesInResolved: 'works' });
    const only = [press, 'mention in an option'];
    const { results } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['mention in an option']).toBe('works: <@id>, with the name');
  });

  it('waits for no press while the application has a URL for interactions, and says so', async () => {
    const stage = await discordStage();
    stage.discord.world.interactionsEndpoint = 'https://bot.example/discord/interactions';
    const { results, report } = await stage.run({ helper: adaHelps(stage) });
    expect(results['where interactions are sent']).toBe('works: to https://bot.example/discord/interactions');
    expect(results['message command']).toMatch(/^skipped: .*Interactions Endpoint URL/);
    expect(results['reply with the ping off']).toMatch(/^works/);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toMatchObject({ commands: [] });
  });

  it('continues if nobody helps', async () => {
    const stage = await discordStage();
    const { results, report } = await stage.run({ helper: helpful(() => 'nobody') });
    expect(results['message command']).toBe('skipped: nobody did it in time');
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
    const { results } = await stage.run();
    expect(results['post, edit, delete']).toMatch(/^refused: /);
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('after the response to a post was lost', async () => {
    const stage = await discordStage();
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'close-after' });
    const { results } = await stage.run();
    expect(results['post, edit, delete']).toBe('unclear: no response from Discord');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('after the response to a new thread was lost', async () => {
    const stage = await discordStage();
    const threads = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    stage.discord.faults.next(threads, { kind: 'close-after' });
    const { results, report } = await stage.run();
    expect(results['thread under a message']).toBe('unclear: no response from Discord');
    const open = [...stage.discord.world.channels.values()].filter(
      ({ thread }) => thread?.archived === false,
    );
    expect(open).toEqual([]);
    // Both are closed, and named: the bot lacks Manage Threads.
    expect(report.text.match(/! could not be deleted: the closed thread/g)).toHaveLength(2);
  });

  it('and lists no thread that was never opened', async () => {
    const stage = await discordStage();
    const threads = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    stage.discord.faults.next(threads, { kind: 'error', status: 400 }, 100);
    const { report } = await stage.run();
    expect(report.text).not.toContain('could not be deleted');
  });

  it('after the response to a voice message was lost', async () => {
    const stage = await discordStage();
    const { results } = await stage.run({
      onRow: ({ name }) =>
        name === 'file in a message' && stage.discord.faults.next(posts, { kind: 'close-after' }),
    });
    expect(results['voice message']).toBe('unclear: no response from Discord');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('when it is interrupted, and says so', async () => {
    const stage = await discordStage();
    const controller = new AbortController();
    const { report, rows } = await stage.run({
      signal: controller.signal,
      onRow: ({ name }) => name === 'thread under a message' && controller.abort(),
    });
    expect(rows.at(-1)?.name).toBe('thread under a message');
    expect(report.text).toContain('Stopped early');
    expect(leftIn(stage).messages).toEqual([]);
  });

  it('and lists what it could not delete', async () => {
    const stage = await discordStage();
    const route = 'DELETE /channels/{channel_id}/messages/{message_id}';
    stage.discord.faults.next(route, { kind: 'error', status: 403 }, 100);
    const { report } = await stage.run();
    expect(report.text).toMatch(/! could not be deleted: a message in the channel \(\d+\)/);
  });
});

describe('the live check on Discord needs', () => {
  it('a token', async () => {
    const stage = await discordStage();
    const environment = { ...stage.environment, DISCORD_TOKEN: 'not-a-token-at-all.secret' };
    const { report } = await stage.run({ environment });
    expect(report).toEqual({
      needsOperator: true,
      text: '✗ Discord: Discord refused DISCORD_TOKEN: set it to the bot’s token',
    });
  });

  it('a channel that exists and that the bot can see', async () => {
    const stage = await discordStage();
    const { report } = await stage.run({ channel: '1'.repeat(18) });
    expect(report.needsOperator).toBe(true);
    expect(report.text).toContain('there is no channel 111111111111111111, or the bot can’t see it (10003)');
    stage.forbid(PermissionFlagsBits.ViewChannel);
    expect((await stage.run()).report.text).toContain('can’t see it (50001)');
  });

  it('a text channel of a server', async () => {
    const stage = await discordStage();
    const { report } = await stage.run({ channel: stage.ada.direct().id });
    expect(report.text).toContain('isn’t a text channel of a server');
  });
});

function oldMessageOfTheBot({ discord, channel }: DiscordStage): void {
  const { world } = discord;
  discord.messages.keepUnchecked(
    { channelId: channel.id, authorId: world.bot.id, createdAt: world.clock.now() - 2 * 3_600_000 },
    { content: 'an old answer' },
  );
}
