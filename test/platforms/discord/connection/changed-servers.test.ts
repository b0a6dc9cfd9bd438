import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { actionId, type Localized } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { type Fields, objectsAt } from '../../../fakes/discord/http/fields.ts';
import type { Channel, Message } from '../../../fakes/discord/index.ts';
import { freshPostgres } from '../../../fakes/postgres/index.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const description: Localized = { en: 'x', 'zh-CN': '甲' };
const ids = { type: 'text', people: {}, description } as const;

/** Says which roles its person has, and who was chosen. */
const crew = defineCommand<{ who: typeof ids; round: { type: 'text'; description: Localized } }>({
  name: 'crew',
  description,
  help: description,
  options: { who: ids, round: { type: 'text', description } },
  seenBy: 'channel',
  run: async ({ job, options, requester, reply }) => {
    const chosen = String(options.who ?? '').replace(/<@&?(\d+)>|(\d{17,})/g, '<@$1$2>');
    await reply.say({
      text: `${options.round ?? 'form'}: ${requester.roles?.join(' ')} chose ${chosen}`,
      buttons: [{ id: actionId('crew', 'change', job.id), label: 'Change' }],
    });
  },
  actions: {
    change: {
      who: 'requester',
      form: (job) => ({
        ...{ title: 'Change', command: 'crew', fields: ['who'] },
        // As settings are kept: by ids alone.
        values: { who: String(job.options.who ?? '').replaceAll('&', '') },
      }),
      call: ({ values }) => ({ command: 'crew', options: values }),
    },
  },
});

const said = ({ discord }: Stage, channel: Channel, begin: string): Promise<Message> =>
  discord.until(begin, () =>
    discord.messagesIn(channel).find(({ content, components }) => {
      return content.includes(`${begin}:`) && components.length > 0;
    }),
  );

/** Long ago for a server that has changed, and a moment ago for one that hasn't. */
const later = 10_000;

async function start(options: Partial<StageOptions> = {}): Promise<Stage & { readonly clock: FakeClock }> {
  const clock = new FakeClock(Date.now());
  const stage = await startStage({ commands: [crew], http: true, clock, ...options });
  return Object.assign(stage, { clock });
}

async function types(stage: Stage, round: string, channel = stage.channel): Promise<Message> {
  stage.ada.types(channel, { name: 'crew', options: { round } });
  return said(stage, channel, round);
}

/** The menu's selection in the form that a message's button opens. */
async function opened({ discord, ada }: Stage, message: Message) {
  const pressed = ada.presses(message, 'Change');
  const form = await discord.until('the form', () => pressed.modal);
  const [label] = objectsAt(form as Fields, 'components');
  return { pressed, input: label?.component as Fields };
}

describe('a server that changes, without a gateway that tells of it', () => {
  it.each([1, 2])('a role made meanwhile is a role, chosen in one of %d processes', async (processes) => {
    const twice = { twiceOn: await freshPostgres(), requestsTo: 'in turn' as const };
    const stage = await start(processes === 2 ? twice : {});
    const { discord, guild, ada, channel, clock } = stage;
    discord.endpoint.betweenChecks = Number.POSITIVE_INFINITY;
    await types(stage, 'one');
    const message = await types(stage, 'two');
    const role = discord.world.addRole(guild, 'artists', 0n);
    await clock.advance(later);
    const { pressed } = await opened(stage, message);
    ada.submits(pressed, { who: [role.id, ada.user.id] });
    const chosen = await said(stage, channel, 'form');
    expect(chosen.content).toContain(`chose <@&${role.id}> <@${ada.user.id}>`);
    const { input } = await opened(stage, chosen);
    expect(input).toMatchObject({
      type: 7,
      default_values: [
        { id: role.id, type: 'role' },
        { id: ada.user.id, type: 'user' },
      ],
    });
  });

  it('a role that was chosen in one process is a role for the other, in what it says, too', async () => {
    const stage = await start({ twiceOn: await freshPostgres(), requestsTo: 'in turn' });
    const { discord, guild, ada, channel, clock } = stage;
    discord.endpoint.betweenChecks = Number.POSITIVE_INFINITY;
    await types(stage, 'one');
    const message = await types(stage, 'two');
    const role = discord.world.addRole(guild, 'artists', 0n);
    await clock.advance(later);
    const { pressed } = await opened(stage, message);
    ada.submits(pressed, { who: [role.id] });
    await said(stage, channel, 'form');
    // What one tells the other takes its time.
    for (let round = 0, right = 0; right < 2; round++) {
      ada.types(channel, { name: 'crew', options: { round: `round ${round}`, who: role.id } });
      const { content } = await said(stage, channel, `round ${round}`);
      right = content.endsWith(`<@&${role.id}>`) ? right + 1 : 0;
    }
  });

  it('a person has a role that was made meanwhile', async () => {
    const stage = await start();
    const { discord, guild, ada, clock } = stage;
    await types(stage, 'one');
    const role = discord.world.addRole(guild, 'artists', 0n);
    discord.world.addMember(guild, ada.user, [role]);
    await clock.advance(later);
    expect((await types(stage, 'two')).content).toContain(role.id);
  });

  it('a channel made meanwhile has its own permissions', async () => {
    const stage = await start();
    const { discord, guild, clock, platform } = stage;
    await types(stage, 'one');
    const category = discord.world.addChannel(guild, 'Studio', ChannelType.GuildCategory);
    const channel: Channel = Object.assign(discord.world.addChannel(guild, 'quiet'), {
      parentId: category.id,
      overwrites: [{ id: guild.id, type: 'role', allow: 0n, deny: PermissionFlagsBits.CreatePublicThreads }],
    });
    await clock.advance(later);
    const { id: message } = await types(stage, 'two', channel);
    const place = { platform: 'discord' as const, workspace: guild.id, channel: channel.id };
    expect(await platform.adapter.openThread({ ...place, message }, 'A film')).toEqual(place);
    expect(discord.journal.to('POST /channels/{channel_id}/messages/{message_id}/threads')).toEqual([]);
  });

  it('one that hasn’t changed is asked for once', async () => {
    const stage = await start();
    await types(stage, 'one');
    await stage.clock.advance(later);
    await types(stage, 'two');
    expect(stage.discord.journal.to('GET /guilds/{guild_id}')).toHaveLength(1);
  });
});
