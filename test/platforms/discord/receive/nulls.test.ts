import { describe, expect, it } from 'vitest';
import { withoutNulls } from '../../../../src/lib/text.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { type Fields, isFields } from '../../../fakes/discord/http/fields.ts';
import { echo } from '../support/commands.ts';
import { answered, asks, streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

const commands = [echo, streamingAsk];

/** What a message may lack (resources/message). */
const ofMessages = [
  ...['webhook_id', 'message_reference', 'message_snapshots', 'poll', 'sticker_items', 'thread'],
  ...['components', 'embeds', 'application_id', 'guild_id', 'member', 'channel_type', 'flags'],
] as const;
/** What an interaction may lack (interactions/receiving-and-responding). */
const ofInteractions = ['channel', 'guild_id', 'member', 'user', 'message'] as const;
const ofChannels = ['permission_overwrites', 'parent_id', 'thread_metadata', 'member', 'flags'] as const;

/** The same with null for each of these that it lacks. */
function saying(data: Fields, absent: readonly string[]): Fields {
  return { ...Object.fromEntries(absent.map((name) => [name, null])), ...data };
}

/** Says of all that it may lack that it's null, as Discord doesn't document it. */
function withNulls(name: string, data: Fields): Fields {
  if (name === 'INTERACTION_CREATE') {
    const { channel: _, ...others } = data;
    return saying({ ...others, data: saying(data.data as Fields, ['resolved']) }, ofInteractions);
  }
  if (name === 'GUILD_CREATE') {
    const channels = (data.channels as readonly Fields[]).map((channel) => {
      const { permission_overwrites: _, ...others } = channel;
      return saying(others, ofChannels);
    });
    return { ...data, channels };
  }
  if (!name.startsWith('MESSAGE_')) return data;
  const { referenced_message: replied } = data;
  return saying(
    { ...data, ...(isFields(replied) && { referenced_message: saying(replied, ofMessages) }) },
    ofMessages,
  );
}

describe('what an event says is null counts like what it leaves out', () => {
  it('in a mention, a reply, and a direct message: each is answered', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    const { ada, channel, discord } = stage;
    discord.gateway.spoil = withNulls;
    asks(stage, 'hello');
    const replyTo = await discord.until('hello', () => stage.ofBot().find((one) => one.content === 'hello'));
    ada.mentions(channel, 'say again', { replyTo });
    await answered(stage, 'again');
    ada.writes(ada.direct(), 'say alone');
    await discord.told(ada.direct(), 'alone');
    expect(stage.logged.join('')).not.toContain('TypeError');
  });

  it('in a command, in a server and directly: each is answered', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    const { ada, channel, discord } = stage;
    discord.gateway.spoil = withNulls;
    for (const place of [channel, ada.direct()]) {
      ada.types(place, { name: 'ask', options: { prompt: 'say hello' } });
      await discord.told(place, 'hello');
    }
    expect(stage.logged.join('')).not.toContain('TypeError');
  });

  it('in a server that the bot is invited to: what is asked there is answered', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    stage.discord.gateway.spoil = withNulls;
    stage.discord.events.guildCreated(stage.guild);
    asks(stage, 'hello');
    await answered(stage, 'hello');
    expect(stage.logged.join('')).not.toContain('cannot be read');
  });
});

it.each([
  ['a direct message counts as one', (stage: Stage) => stage.ada.direct(), false],
  [
    'a group of people doesn’t count as one',
    ({ ada, bob, discord }: Stage) => discord.world.addGroup([ada.user, bob.user]),
    true,
  ],
])('where an interaction leaves out its context, %s', async (_, placeIn, isByToken) => {
  const stage = await startStage({ commands, jumping: new FakeClock() });
  const { ada, discord } = stage;
  discord.gateway.spoil = (_, { context, ...data }) => data;
  const place = placeIn(stage);
  ada.types(place, { name: 'ask', options: { prompt: 'say hello' } });
  await discord.told(place, 'hello');
  expect((await stage.jobAddress()).platformData !== undefined).toBe(isByToken);
});

describe('an event', () => {
  const server = { id: '1', channels: [{ id: '2', topic: 'tea' }], roles: ['3', '4'] };

  it('is itself where it says of nothing that it’s null: a large server’s is megabytes', () => {
    expect(withoutNulls(server)).toBe(server);
  });

  it('shares what it says of nothing with what it came as, and stays as it came', () => {
    const came = { ...server, icon: null, members: [null, { nick: null, ['__proto__']: 1, roles: ['3'] }] };
    const read = withoutNulls(came);
    expect(read).toEqual({ ...server, members: [{ ['__proto__']: 1, roles: ['3'] }] });
    expect(read.channels).toBe(server.channels);
    expect(came.icon).toBeNull();
  });
});
