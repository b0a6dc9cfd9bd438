import { Locale as DiscordLocale } from 'discord-api-types/v10';
import { pino } from 'pino';
import { createApp, listen } from '../../../src/ops/index.ts';
import { interactionsPath } from '../../../src/platforms/discord/connection/interactions-endpoint.ts';
import { startDiscord } from '../../../src/platforms/discord/start.ts';
import type { Platform } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { labelsIn } from '../../crash/place.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import { type Channel, FakeDiscord, type Message } from '../../fakes/discord/index.ts';
import { noPlaces } from '../../fakes/places.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import type { Asking, Place } from './place.ts';

/** Nothing waits between starts, which the library would do by the machine's time. */
const often = { limit: 10_000, windowMilliseconds: 1_000 };

/**
 * A Discord with the bot in a server. Ways to ask: by a `command`, `private`ly, by a `mention`, and by a `private mention` of
 * somebody who wants all their answers privately, which names a command for certain.
 */
export async function discordPlace(clock: FakeClock): Promise<Place> {
  const discord = await FakeDiscord.start({
    clock,
    rateClock: clock,
    buckets: { commands: often, gateway: often },
  });
  discord.gateway.identifyWindow = 0;
  // A start waits for the network; who didn't wait would go on without what was missed.
  discord.gateway.helloAfter = 500;
  // Where a session is over the library waits before it logs in anew, by the machine's time.
  discord.gateway.sessionLife = Number.POSITIVE_INFINITY;
  const { world } = discord;
  const owner = world.addUser('owner');
  const guild = world.addGuild({ name: 'Analysts', owner, permissions: invited });
  let places = 0;
  const isOwn = (message: Message) => !message.deleted && message.authorId === world.bot.id;

  const closes: (() => Promise<unknown>)[] = [];
  const log = pino({ level: 'silent' });
  return {
    platform: 'discord',
    async start({ life, bot, database, coordination, clock: own }, receives): Promise<Platform> {
      // Starts that follow each other at once use up the bot's 50 requests a second.
      await clock.advance(1_000);
      const platform = startDiscord({
        places: noPlaces,
        coordination,
        token: discord.token,
        apiUrl: discord.apiUrl,
        shards: receives ? 'auto' : { ids: [], count: 0 },
        publicKey: discord.endpoint.publicKey,
        messageContent: false,
        isOperator: async () => false,
        dispatcher: bot.dispatcher,
        contextTokens: 1_000,
        database,
        clock: own,
        log,
        download: async () => new Uint8Array(),
      });
      if (receives && platform.routes) {
        const server = await listen(createApp(log).route('/', platform.routes), 0, '127.0.0.1');
        closes.push(() => server.close());
        await discord.endpoint.save(`${server.url}${interactionsPath}`);
      }
      // Its sockets end with it, and don't come back: at once, not after requests that it never answers.
      const end = () => {
        platform.leaveToOthers?.();
        return Promise.all([platform.stopReceiving(), platform.close()]);
      };
      void life.died.then(end).catch(() => {});
      return platform;
    },
    async asking(way, locale): Promise<Asking> {
      const ada = discord.addPerson(guild, `ada${++places}`, {
        locale: locale === 'zh-CN' ? DiscordLocale.ChineseCN : DiscordLocale.EnglishUS,
      });
      const channel: Channel = world.addChannel(guild, `place-${places}`);
      const direct = ada.direct();
      /** Threads there, too. */
      const isThere = ({ channelId }: Message) =>
        [channel.id, direct.id].includes(channelId) || world.channels.get(channelId)?.parentId === channel.id;
      const said = () => [...world.messages.values()].filter((message) => isOwn(message) && isThere(message));
      const types = (name: string, prompt: string, more = {}) =>
        ada.types(channel, { name, options: { prompt, ...more } });
      if (way === 'private mention') ada.types(channel, { name: 'me', options: { private: 'on' } });
      let written: Message | undefined;
      const stop = words(locale).stop;
      return {
        ask(prompt, command = 'ask') {
          const named = way === 'private mention' ? `${command}:` : command;
          const text = command === 'ask' ? prompt : `${named} ${prompt}`;
          if (way.endsWith('mention')) written = ada.writes(channel, `<@${world.bot.id}> ${text}`);
          else types(command, prompt, way === 'private' ? { private: true } : {});
        },
        async press(label, by = 'requester') {
          const on = said().findLast(({ components }) => labelsIn(components).includes(label));
          if (on) (by === 'moderator' ? discord.person(owner) : ada).presses(on, label);
          return on !== undefined;
        },
        unask: () => {
          if (written) ada.deletes(written);
        },
        takeAway: () => {
          const [first] = said();
          if (first) discord.person(owner).deletes(first);
        },
        posted: async () =>
          said().map(({ content, components, files }) => ({
            ...{ text: content, buttons: labelsIn(components), files: files.length },
          })),
        hanging: async () =>
          said().flatMap(({ flags, content, components }) => [
            ...(flags & 128 ? ['a command that still says it is thinking'] : []),
            ...(labelsIn(components).includes(stop) ? [`an answer with a Stop: ${content.slice(-60)}`] : []),
          ]),
      };
    },
    async close() {
      for (const close of closes.toReversed()) await close();
      await discord.close();
    },
  };
}
