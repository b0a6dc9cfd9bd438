import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import type { Channel, FakeDiscordOptions } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { LateProcess, longAnswer, type Thing } from '../support/late-process.ts';
import { type Stage, startStage } from '../support/stage.ts';

const create = 'POST /channels/{channel_id}/messages';
const openDirect = 'POST /users/@me/channels';
/** How often a request with a failing connection is tried. */
const tries = 3;
const hour = 3_600_000;

/** Ways in which a channel stops accepting messages; its settings are restored later. */
const places = ['a channel shut by its settings', 'a locked thread of such a channel'] as const;
/** Each thing, each place and each time there is, in fewer scenes than all combinations. */
const cases = [
  ['a clip', places[0], 0],
  ['an answer', places[1], hour],
  ['a film', places[0], hour],
] as const satisfies readonly (readonly [Thing, (typeof places)[number], number])[];

interface Scene {
  readonly stage: Stage;
  readonly process: LateProcess;
  readonly opens: () => void;
  /** The bot is started again so much later, where the channel accepts posts. */
  readonly opensLater: (milliseconds: number, meanwhile?: () => void) => Promise<void>;
}

/** A finished result whose channel accepts nothing. */
async function shut(
  thing: Thing,
  place: (typeof places)[number],
  options: Partial<FakeDiscordOptions> = {},
): Promise<Scene> {
  const clock = new FakeClock(Date.now());
  const stage = await startStage({ commands: [echo], clock, ...options });
  const { discord, channel, ada, guild } = stage;
  const thread =
    place === 'a locked thread of such a channel'
      ? discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' })
      : undefined;
  const { place: inChannel } = stage;
  const address = thread ? { ...inChannel, thread: thread.id, threadIsPublic: true as const } : inChannel;
  const process = await LateProcess.prepare(stage, clock, thing, address);
  stage.forbid(PermissionFlagsBits.SendMessages);
  if (thread) ada.closes(thread, true);
  const opens = () => {
    guild.roles.get(guild.id)!.permissions |= PermissionFlagsBits.SendMessages;
  };
  const opensLater = (milliseconds: number, meanwhile = () => {}) =>
    process.restart(() => {
      clock.step(milliseconds);
      meanwhile();
      opens();
    });
  return { stage, process, opens, opensLater };
}

/** The bot's messages in a channel that bring something: not what shows its progress. */
const brought = (stage: Stage, channel: Pick<Channel, 'id'>) =>
  stage.ofBot(channel).filter(({ content, files }) => files.length > 0 || content.includes('tides'));

/** How often a result is in a channel; a long answer has to be complete, with nothing twice. */
function times(stage: Stage, channel: Pick<Channel, 'id'>, thing: Thing): number {
  const messages = brought(stage, channel);
  if (thing !== 'a long answer') return messages.length;
  const all = messages.map(({ content }) => content).join(' ');
  if (messages.length === 0) return 0;
  expect(all.match(/tides\d+/g)).toEqual(longAnswer.split(' '));
  return 1;
}

const there = (stage: Stage, thing: Thing) => ({
  channel: times(stage, stage.channel, thing),
  directly: times(stage, stage.ada.direct(), thing),
});
const directly = { channel: 0, directly: 1 };
const inChannel = { channel: 1, directly: 0 };

const postsTo = ({ discord }: Stage, channel: Pick<Channel, 'id'>) =>
  discord.journal.requests.filter(({ route, path }) => route === create && path.includes(channel.id)).length;

describe('the bot is started again, and the channel accepts posts', () => {
  it.each(cases)(
    '%s came directly: it isn’t posted in the channel (%s, %i ms later)',
    async (thing, place, later) => {
      const { stage, process, opensLater } = await shut(thing, place);
      await process.begin({ diesAfterPost: true });
      await stage.discord.until('the direct message', () => brought(stage, stage.ada.direct()).length > 0);
      await opensLater(later);
      expect(there(stage, thing)).toEqual(directly);
    },
  );

  it.each(cases)(
    '%s came directly, and nobody heard of it: it stands there alone (%s, %i ms later)',
    async (thing, place, later) => {
      const { stage, process, opensLater } = await shut(thing, place);
      const direct = stage.ada.direct();
      const { promise: until, resolve: release } = Promise.withResolvers<void>();
      stage.discord.faults.next(create, { kind: 'close-after', until }, 1, direct.id);
      await process.begin();
      await stage.discord.until('the direct message', () => brought(stage, direct).length > 0);
      await opensLater(later);
      expect(there(stage, thing)).toEqual(directly);
      release();
    },
  );

  it.each([true, false].flatMap((accepts) => cases.map((one) => [...one, accepts] as const)))(
    '%s was sent directly and did not arrive: it comes directly, or in the channel if it’s refused there (%s, %i ms later; taken directly: %s)',
    async (thing, place, later, accepts) => {
      const { stage, process, opensLater } = await shut(thing, place);
      const direct = stage.ada.direct();
      stage.discord.faults.next(create, { kind: 'close' }, tries, direct.id);
      await process.begin();
      await stage.discord.until('the tries', () => postsTo(stage, direct) === tries);
      await opensLater(later, () => {
        stage.ada.user.acceptsDirectMessages = accepts;
      });
      expect(there(stage, thing)).toEqual(accepts ? directly : inChannel);
    },
  );

  it.each(cases)(
    '%s was never sent directly: it comes in the channel (%s, %i ms later)',
    async (thing, place, later) => {
      const { stage, process, opensLater } = await shut(thing, place);
      stage.discord.faults.next(openDirect, { kind: 'close' }, tries);
      const opened = () => stage.discord.journal.requests.filter(({ route }) => route === openDirect).length;
      await process.begin();
      await stage.discord.until('the tries', () => opened() === tries);
      await opensLater(later);
      expect(there(stage, thing)).toEqual(inChannel);
      // Where nothing was begun, nobody's direct messages are opened to look for it.
      expect(opened()).toBe(tries);
    },
  );
});

describe('if the channel accepts posts again', () => {
  it('a voice message that came directly isn’t posted in the channel', async () => {
    const thing = 'a voice message';
    const { stage, process, opensLater } = await shut(thing, 'a channel shut by its settings');
    const direct = stage.ada.direct();
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    // The clip is a message of its own, and the process dies before its words are sent.
    stage.discord.faults.next(create, { kind: 'close-after', until }, 1, direct.id);
    await process.begin();
    await stage.discord.until('the direct message', () => brought(stage, direct).length > 0);
    await opensLater(hour);
    expect(there(stage, thing)).toEqual(directly);
    expect(stage.discord.messagesIn(direct).map(({ content }) => content)).toEqual([
      '',
      expect.stringContaining('Good morning'),
    ]);
    release();
  });

  it('a long answer that came directly isn’t posted in the channel', async () => {
    const thing = 'a long answer';
    const { stage, process, opensLater } = await shut(thing, 'a channel shut by its settings');
    const isWhole = () => brought(stage, stage.ada.direct()).at(-1)?.content.endsWith('tides699');
    await process.begin({ diesAfterPost: true });
    await stage.discord.until('its end', isWhole);
    await opensLater(0);
    expect(there(stage, thing)).toEqual(directly);
  });
});

it.each(places)(
  'a clip whose direct message was not confirmed comes once without a restart, too (%s)',
  async (place) => {
    const { stage, process, opens } = await shut('a clip', place);
    const direct = stage.ada.direct();
    stage.discord.faults.next(create, { kind: 'close-after' }, tries, direct.id);
    await process.begin();
    await stage.discord.until('the tries', () => postsTo(stage, direct) === tries);
    opens();
    await process.triesAgain();
    expect(there(stage, 'a clip')).toEqual(directly);
  },
);
