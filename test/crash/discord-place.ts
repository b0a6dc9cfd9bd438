import { Locale, MessageFlags } from 'discord-api-types/v10';
import { words } from '../../src/words/index.ts';
import {
  acknowledgeWithin,
  FakeDiscord,
  type FakeDiscordOptions,
  type Interaction,
  type Message,
  type Person,
} from '../fakes/discord/index.ts';
import { invited } from '../platforms/discord/support/invited.ts';
import {
  askers,
  type CrashPlace,
  type Fate,
  fateOf,
  isUnfinished,
  labelsIn,
  localeOf,
  type Shown,
  type Wish,
} from './place.ts';
import { stepsOf } from './steps.ts';

const { stop } = words('en');

/** Windows short enough for many rounds: what counts is that they are read from the headers. */
const shortBuckets = {
  'message-create': { limit: 5, windowMilliseconds: 100 },
  'message-edit': { limit: 5, windowMilliseconds: 100 },
  webhook: { limit: 5, windowMilliseconds: 100 },
  thread: { limit: 50, windowMilliseconds: 1_000 },
  commands: { limit: 50, windowMilliseconds: 1_000 },
  gateway: { limit: 50, windowMilliseconds: 1_000 },
};

/** What can be looked at beside. */
export interface DiscordPlace extends CrashPlace {
  readonly discord: FakeDiscord;
  until(what: string, look: () => boolean): Promise<unknown>;
}

/**
 * Discord's test server with the bot in a server, and somebody who types there. `overHttp`: interactions come over HTTP,
 * once the endpoint is saved, and there is no gateway.
 */
export async function createDiscordPlace({
  overHttp = false,
  ...options
}: Pick<FakeDiscordOptions, 'rateClock' | 'waitsFor'> & {
  readonly overHttp?: boolean;
} = {}): Promise<DiscordPlace> {
  const discord = await FakeDiscord.start({ buckets: shortBuckets, ...options });
  // Shards log in at once, not five seconds apart.
  Object.assign(discord.gateway, { identifyWindow: 0, maxConcurrency: 16 });
  const { world } = discord;
  const owner = world.addUser('owner');
  const guild = world.addGuild({ name: 'Analysts', owner, permissions: invited });
  const channel = world.addChannel(guild, 'general');
  const people = new Map<string, Person>(
    askers.map((by) => {
      const locale = localeOf({ by }) === 'zh-CN' ? Locale.ChineseCN : Locale.EnglishUS;
      return [by, discord.addPerson(guild, by, { locale })];
    }),
  );
  /** Somebody of their own for each wish that is told apart: not every answer repeats what was asked. */
  const personOf = (wish: Wish): Person => {
    const name = nameOf(wish);
    const person = people.get(name) ?? discord.addPerson(guild, name);
    people.set(name, person);
    return person;
  };
  const given = new Map<Wish, Interaction>();

  const byBot = () =>
    [...world.messages.values()].filter(({ deleted, authorId }) => !deleted && authorId === world.bot.id);
  /** A thread's id is that of the message it was made from. */
  const isAbout = (wish: Wish) => (message: Message) => {
    const root = world.messages.get(message.channelId);
    const own = given.get(wish)?.responseMessageId;
    return [message, ...(root ? [root] : [])].some(
      ({ id, content }) =>
        content.includes(wish.prompt) ||
        (wish.about !== undefined && content.includes(wish.about)) ||
        (own !== undefined && id === own),
    );
  };

  const isOwn = (wish: Wish, id: string) => given.get(wish)?.responseMessageId === id;

  return {
    name: 'discord',
    discord,
    environment: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      ...(overHttp && { DISCORD_PUBLIC_KEY: discord.endpoint.publicKey, DISCORD_SHARDS: '0' }),
    },
    steps: [
      ...stepsOf('acknowledged', /^POST \/api\/v10\/interactions\/.*\/callback$/),
      ...stepsOf('reply edited', /^PATCH \/api\/v10\/webhooks\//),
      ...stepsOf('message posted', /^POST \/api\/v10\/channels\/\d+\/messages$/),
      ...stepsOf('thread opened', /^POST \/api\/v10\/channels\/\d+\/messages\/\d+\/threads$/),
      ...stepsOf('message edited', /^PATCH \/api\/v10\/channels\/\d+\/messages\//),
    ],
    ready: () => discord.until('the commands', () => discord.commands.list('global').length > 0),
    give: (wish) => {
      const text = wish.command === 'speak' ? 'text' : 'prompt';
      given.set(
        wish,
        personOf(wish).types(channel, { name: wish.command, options: { [text]: wish.prompt } }),
      );
    },
    notTaken: (wish) => {
      const interaction = given.get(wish);
      if (!interaction || interaction.acknowledgement) return false;
      return discord.world.clock.now() - interaction.createdAt > acknowledgeWithin;
    },
    dropSockets: () => discord.gateway.drop(),
    port: Number(new URL(discord.apiUrl).port),
    fate: (wish): Fate => {
      const about = byBot().filter(isAbout(wish));
      const refusals = about.filter(
        ({ id, content, flags }) =>
          isOwn(wish, id) && flags & MessageFlags.Ephemeral && content !== '' && !content.includes('⚠️'),
      ).length;
      const fate = fateOf(wish, about.map(shownOf), byBot().map(shownOf), refusals);
      if (wish.command !== 'speak' || fate.delivered + fate.told > 0) return fate;
      // A voice message holds no words; the answer beside it, or below it where it came late, says whose it is.
      const isBeside = ({ id, content, flags }: Message) =>
        !(flags & MessageFlags.Loading) && (isOwn(wish, id) || content.includes(wish.prompt));
      return byBot().some(isBeside) ? { ...fate, delivered: 1 } : fate;
    },
    hanging: () => [
      ...byBot()
        .filter((message) => message.flags & MessageFlags.Loading)
        .map(({ id }) => `a command that still says it is thinking: ${id}`),
      ...byBot()
        .filter((message) => JSON.stringify(message.components).includes(`"label":"${stop}"`))
        .map(({ content }) => `an answer that can still be stopped: ${content.slice(-80)}`),
      ...byBot()
        .filter(({ content }) => isUnfinished(content))
        .map(({ content }) => `a message that still says: ${content.slice(-80)}`),
    ],
    texts: () => byBot().map(({ content }) => content),
    posted: () =>
      byBot().map(({ content, components }) => ({ text: content, buttons: labelsIn(components) })),
    until: (what, look) => discord.until(what, look),
    close: () => discord.close(),
  };
}

const isMedia = ({ contentType }: { contentType: string }) => /^(?:audio|image|video)\//.test(contentType);
const shownOf = ({ content, files }: Message): Shown => ({
  text: content,
  media: files.filter(isMedia).length,
});

/** The name of the person who gives a wish. */
const nameOf = ({ about, by = 'ada' }: Wish): string => about ?? by;
