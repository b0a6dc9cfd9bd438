import { DatabaseSync } from 'node:sqlite';
import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { steps as discordSteps } from '../../src/live-check/discord/check.ts';
import { discordFeatures } from '../../src/platforms/discord/api/errors.ts';
import { openDatabase } from '../../src/store/index.ts';
import { type Readings, Refusal, refusals } from '../fakes/discord/index.ts';
import { usualReadings } from '../fakes/discord/readings.ts';
import { adaHelps, type DiscordStage, discordStage, helpful, largeFile } from './discord-stage.ts';
import { databaseOfTest } from './stage.ts';

/** Every step whose outcome an uncertain rule decides, and that rule. */
const decided = [
  ['AutoMod on the bot’s messages', 'wordsPastAutoMod'],
  ['voice message', 'voiceMessage'],
  ['gallery in an edit', 'galleryByEdit'],
  [largeFile, 'uploadOver10MiB'],
  ['message of the button, by the press’s token', 'tokenReachesOlderMessage'],
  ['follow-up with the same nonce twice', 'followUpNonce'],
  ['follow-up after the loading message was deleted', 'followUpAfterRemoval'],
  ['form with selects and a file', 'formFiles'],
  ['mention of the bot’s role', 'roleMentionText'],
  ['text of a forward', 'snapshotText'],
  ['chat of a voice channel without Connect', 'voiceChatWithoutConnect'],
  ['answer to a button press in a locked thread', 'tokenInLockedThread'],
] as const;
const otherReadings = Object.fromEntries(
  decided.map(([, reading]) => [reading, usualReadings[reading] === 'works' ? 'refused' : 'works']),
);
const posts = 'POST /channels/{channel_id}/messages';

/** A server that has what some of the steps need. */
async function completeStage(readings: Partial<Readings> = {}): Promise<DiscordStage> {
  const stage = await discordStage(readings);
  stage.discord.world.addChannel(stage.guild, 'Lounge', ChannelType.GuildVoice);
  stage.forbid(PermissionFlagsBits.Connect);
  stage.guild.moderation.words = ['turnip'];
  const everyone = stage.guild.roles.get(stage.guild.id);
  if (everyone) everyone.permissions |= PermissionFlagsBits.ManageGuild;
  return stage;
}

/** What the check leaves in the server. */
function leftIn({ discord, guild }: DiscordStage) {
  const messages = [...discord.world.channels.values()]
    .filter(({ thread }) => !thread?.archived)
    .flatMap((one) => discord.messagesIn(one, { ephemeral: true }))
    .filter(({ authorId }) => authorId === discord.world.bot.id);
  return { messages: messages.map(({ content }) => content), commands: discord.commands.list(guild.id) };
}
const nothing = { messages: [], commands: [] };

describe('the live check on Discord', () => {
  it('tries what it can by itself', async () => {
    const stage = await discordStage();
    const { report, results, rows } = await stage.run();
    expect(report.needsOperator).toBe(false);
    expect(rows.filter(({ seen: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(results).toMatchObject({
      'log-in': 'works: 1000 of 1000 left, 1 at a time, 1 shard',
      'voice message as a reply': 'works: works',
      'mention in an option': 'skipped: takes a person: run it again with --with-me',
    });
    expect(leftIn(stage)).toEqual(nothing);
    expect(stage.discord.journal.violations).toEqual([]);
    expect(stage.discord.gateway.identifyCount).toBe(0);
  });

  it.each([
    ['usual', usualReadings],
    ['other', otherReadings],
  ] as const)('finds the %s outcome of every step, and remembers that of a feature', async (_, readings) => {
    const stage = await completeStage(readings);
    const { results, remembered, report, rows } = await stage.runAll({ helper: adaHelps(stage) });
    for (const [step, reading] of decided)
      expect(results[step], step).toMatch(new RegExp(`^${readings[reading]}: `));
    for (const { name, feature = '', everywhere } of discordSteps.filter((step) => step.feature)) {
      const seen = rows.find((row) => row.name === name)?.seen.kind;
      expect(await remembered(feature, stage.guild.id), name).toBe(seen);
      expect(await remembered(feature, '1'), name).toBe(everywhere ? seen : undefined);
    }
    expect(rows.filter(({ seen: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(results).toMatchObject({
      'mention in an option': 'works: <@id>, without the name',
      'message that a mention replies to': 'refused: by event: not included; by GET: not included',
      'command in a private thread without the bot': expect.stringMatching(/^refused: refused: 50001 /),
    });
    // Without Manage Threads it can be closed, not deleted.
    expect(report.text.match(/! could not be deleted: the closed thread “troupe live check”/g)).toHaveLength(
      1,
    );
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
    // That's what a step tries.
    const isTried = (fault: string) => fault.endsWith('field nonce is not described');
    expect(stage.discord.journal.violations.filter((fault) => !isTried(fault))).toEqual([]);
  });

  it('remembers every feature that the bot asks about', () => {
    const features = discordSteps.flatMap(({ feature }) => feature ?? []);
    expect(features.toSorted()).toEqual(Object.values(discordFeatures).toSorted());
  });

  it.each(['works', 'refused'] as const)('finds whether files need Attach Files: %s', async (reading) => {
    const stage = await discordStage({ interactionFiles: reading });
    stage.forbid(PermissionFlagsBits.AttachFiles);
    const step = 'file in the answer to a button press, without Attach Files';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toMatch(new RegExp(`^${reading}: `));
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('says why its results can’t be saved', async () => {
    const stage = await discordStage();
    const database = await databaseOfTest();
    await (await openDatabase(database)).destroy();
    using file = new DatabaseSync(database.slice('sqlite:'.length));
    file.exec(
      `create trigger full before insert on keyv begin select raise(fail, 'database or disk is full'); end`,
    );
    const { report } = await stage.run({ only: ['voice message'], database });
    expect(report.text).toContain(`✗ The results could not be saved: ${database}: the disk is full`);
    expect(report.text).not.toContain('saved for the bot');
    expect(report.needsOperator).toBe(true);
  });

  it('finds that a form is refused for one of its inputs', async () => {
    const stage = await discordStage({ formBoxes: 'refused' });
    const step = 'form with selects and a file';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toMatch(/^refused: refused: 50035 /);
  });

  it.each([
    ['covered', 'refused: by event: without its text; by GET: without its text'],
    ['uncovered', 'works: by event: with its text; by GET: with its text'],
  ] as const)('finds how much of the message replied to is included: %s', async (reading, expected) => {
    const stage = await discordStage({ referencedMessage: reading });
    const step = 'message that a mention replies to';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toBe(expected);
  });

  it('finds that a message replied to can’t be read without Read Message History', async () => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    const step = 'message that a mention replies to';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toMatch(/by GET: refused \(\d+\)$/);
  });

  it('finds the names of people mentioned in an option', async () => {
    const stage = await discordStage({ namesInResolved: 'works' });
    const step = 'mention in an option';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toBe('works: <@id>, with the name');
  });
});

describe('the live check on Discord remembers no refusal that is about something else', () => {
  it.each([
    ['voice message', refusals.cloudflare(), 'unclear'],
    ['voice message', refusals.overloaded(), 'unclear'],
    ['voice message', refusals.unheardOf(), 'unclear'],
    ['voice message', refusals.lockedThread(), 'unclear'],
    ['voice message', new Refusal(400, 20009, 'Explicit content cannot be sent'), 'unclear'],
    ['voice message', refusals.blockedMessage(), 'needs'],
    [largeFile, refusals.missingPermissions(), 'unclear'],
  ] as const)('%s, refused with %s', async (step, refusal, kind) => {
    const stage = await discordStage();
    stage.discord.faults.next(posts, { kind: 'refuse', refusal });
    const { results, remembered } = await stage.run({ only: [step] });
    expect(results[step]).toMatch(new RegExp(`^${kind}: .*${refusal.code}`));
    expect(await remembered(discordFeatures.voiceMessage, stage.guild.id)).toBeUndefined();
    expect(await remembered(discordFeatures.uploadOver10MiB, stage.guild.id)).toBeUndefined();
  });

  it('but takes a 413 from a proxy in front of Discord for too large, as the bot does', async () => {
    const stage = await discordStage({ uploadOver10MiB: 'works' });
    stage.discord.faults.next(posts, { kind: 'page', status: 413 });
    const { results, remembered } = await stage.run({ only: [largeFile] });
    expect(results[largeFile]).toBe('refused: refused: 413');
    expect(await remembered(discordFeatures.uploadOver10MiB, stage.guild.id)).toBe('refused');
  });

  it.each([
    ['voice message', 'SendVoiceMessages', 'Send Voice Messages', 50173],
    ['voice message', 'SendMessages', 'Send Messages', 50013],
    ['gallery in an edit', 'AttachFiles', 'Attach Files', 50013],
  ] as const)('names the missing permission for: %s (%s)', async (step, bit, name, code) => {
    const stage = await discordStage();
    stage.forbid(PermissionFlagsBits[bit]);
    const { report, results, remembered } = await stage.run({ only: [step] });
    expect(results[step]).toBe(`needs: Give the bot’s role the permission ${name} in this channel (${code})`);
    expect(report).toMatchObject({ needsOperator: true, text: expect.stringContaining(`✗ ${step}: Give`) });
    // A permission may be granted at any time, and the bot knows its permissions.
    for (const feature of Object.values(discordFeatures))
      expect(await remembered(feature, stage.guild.id)).toBeUndefined();
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('and says that the bot is timed out', async () => {
    const stage = await discordStage();
    const me = stage.guild.members.get(stage.discord.world.bot.id);
    if (me) me.timedOutUntil = stage.discord.world.clock.now() + 3_600_000;
    const { results } = await stage.run({ only: ['voice message'] });
    expect(results['voice message']).toBe(
      'needs: The bot is timed out in this server: remove the timeout first (50013)',
    );
  });
});

describe('the live check on Discord cleans up', () => {
  it('after a step that fails', async () => {
    const stage = await discordStage();
    const route = 'PATCH /channels/{channel_id}/messages/{message_id}';
    stage.discord.faults.next(route, { kind: 'error', status: 400 });
    const { results } = await stage.run();
    expect(results['gallery in an edit']).toBe('unclear: Discord answered 400');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each([
    [posts, 'voice message'],
    [
      'POST /channels/{channel_id}/messages/{message_id}/threads',
      'answer to a button press in a locked thread',
    ],
  ])('after the response to %s was lost', async (route, step) => {
    const stage = await discordStage();
    stage.discord.faults.next(route, { kind: 'close-after' });
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toBe('unclear: no response from Discord');
    expect(leftIn(stage)).toEqual(nothing);
    const threads = [...stage.discord.world.channels.values()].filter(({ thread }) => thread);
    expect(threads.filter(({ thread }) => thread?.archived === false)).toEqual([]);
  });

  it('and lists no thread that was never opened', async () => {
    const stage = await discordStage();
    const threads = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    stage.discord.faults.next(threads, { kind: 'error', status: 400 });
    const only = ['answer to a button press in a locked thread'];
    const { report } = await stage.run({ helper: adaHelps(stage), only });
    expect(report.text).not.toContain('could not be deleted');
  });

  it('when it is interrupted, and says so', async () => {
    const stage = await discordStage();
    const controller = new AbortController();
    const { report, rows } = await stage.run({
      signal: controller.signal,
      onRow: ({ name }) => name === 'voice message' && controller.abort(),
    });
    expect(rows.at(-1)?.name).toBe('voice message');
    expect(report.text).toContain('Stopped early');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('and lists what it could not delete', async () => {
    const stage = await discordStage();
    const route = 'DELETE /channels/{channel_id}/messages/{message_id}';
    stage.discord.faults.next(route, { kind: 'error', status: 403 }, 100);
    const { report } = await stage.run({ only: ['voice message'] });
    expect(report.text).toMatch(/! could not be deleted: a message \(\d+ \d+\)/);
  });
});

describe('the live check on Discord needs', () => {
  it('a person who does what it asks for, or it goes on', async () => {
    const stage = await discordStage();
    const { rows, report } = await stage.run({ helper: helpful(() => 'nobody') });
    expect(rows.filter(({ seen: { text } }) => text === 'nobody did it in time').length).toBeGreaterThan(8);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('the gateway for presses and commands, and says so while the application has a URL', async () => {
    const stage = await discordStage();
    stage.discord.world.interactionsEndpoint = 'https://bot.example/discord/interactions';
    const { results } = await stage.run({ helper: adaHelps(stage) });
    expect(results['mention in an option']).toMatch(/^skipped: .*Interactions Endpoint URL/);
    expect(results['text of a forward']).toMatch(/^refused/);
    expect(leftIn(stage)).toEqual(nothing);
  });

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
