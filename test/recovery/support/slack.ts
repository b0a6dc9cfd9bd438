import { commands } from '../../../commands/index.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { createSlack, type SlackPlatform } from '../../../src/platforms/slack/start.ts';
import { Vault } from '../../../src/secrets/vault.ts';
import { words } from '../../../src/words/index.ts';
import { labelsIn } from '../../crash/place.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import { noPlaces } from '../../fakes/places.ts';
import { FakeSlack, type Json, type Message, shown } from '../../fakes/slack/index.ts';
import type { Life } from './life.ts';
import type { Asking, Place } from './place.ts';

/**
 * A Slack with the bot in a workspace. Ways to ask: by a `command` in a channel, `private`ly there, and `directly`, where
 * Slack streams.
 */
export async function slackPlace(clock: FakeClock): Promise<Place> {
  let receiving: { readonly life: Life; readonly platform: SlackPlatform } | undefined;
  const slack = await FakeSlack.start({
    manifest: slackManifest(commands, { prefix: '', url: 'https://bot.example' }) as unknown as Json,
    clock,
    send: async (request) => {
      if (!receiving || receiving.life.isDead) throw new TypeError('nobody is there');
      const { life, platform } = receiving;
      return life.run(() => platform.routes.fetch(request));
    },
  });
  const workspace = slack.addWorkspace('acme');
  const { token } = slack.install(workspace);
  const chief = slack.person(workspace, { name: 'chief', admin: true });
  const vault = new Vault({ secret: 'a secret of thirty-two characters', file: undefined });
  const silent = () => {};
  let places = 0;
  return {
    platform: 'slack',
    async start({ life, bot, database, coordination, clock: own }, receives) {
      const platform = await createSlack({
        places: noPlaces,
        ...{ dispatcher: bot.dispatcher, homePage: bot.homePage, outcomes: bot.outcomes },
        ...{ database, vault, coordination, clock: own },
        log: { debug: silent, info: silent, warn: silent, error: silent },
        settings: {
          SLACK_COMMAND_PREFIX: '',
          SLACK_API_URL: slack.apiUrl,
          HISTORY_TOKENS: 4_000,
          ALLOWED_TEAMS: undefined,
          SLACK_SIGNING_SECRET: slack.credentials.signingSecret,
          SLACK_BOT_TOKEN: token,
        },
      });
      if (receives) receiving = { life, platform };
      return platform;
    },
    async asking(way, locale): Promise<Asking> {
      const ada = slack.person(workspace, { name: `ada${++places}`, locale });
      const withoutBot = way === 'outside';
      const channel = slack.channel(workspace, `place-${places}`, [ada, chief], { withoutBot });
      const said = () =>
        [channel, ada.directMessages].flatMap(({ messages }) =>
          [...messages.values()].filter(({ byApp, tombstone }) => byApp && !tombstone),
        );
      const { stop } = words(locale);
      let written: Message | undefined;
      return {
        ask(prompt, command = 'ask') {
          const text = command === 'ask' ? prompt : `${command} ${prompt}`;
          if (way === 'directly') written = ada.says(text, ada.directMessages).message;
          else
            void ada
              .types(`/${command} ${way === 'private' ? 'private:true ' : ''}${prompt}`, channel)
              .catch(() => {});
        },
        async press(label, by = 'requester') {
          const on = [...said(), ...ada.whispers].findLast(({ blocks }) => labelsIn(blocks).includes(label));
          if (on) (by === 'moderator' ? chief : ada).presses(on, label).catch(() => {});
          return on !== undefined;
        },
        unask: () => {
          if (written) ada.deletes(written);
        },
        // A private answer comes whole, by a response_url.
        ...(way === 'private' && { isBegun: () => ada.whispers.length > 0, isSaidAgain: true }),
        posted: async () => [
          ...said().map((message) => ({
            ...{ text: shown(message), buttons: labelsIn(message.blocks) },
            files: message.files.length + message.blocks.filter(({ type }) => type === 'image').length,
          })),
          ...ada.whispers.map((whisper) => ({
            ...{ text: shown(whisper), buttons: labelsIn(whisper.blocks) },
            ...{ files: 0, isWhisper: true as const },
          })),
        ],
        hanging: async () => [
          ...said().flatMap((message) => [
            ...(labelsIn(message.blocks).includes(stop) ? ['an answer with a Stop'] : []),
            ...(message.stream?.state === 'streaming' ? ['a stream that goes on'] : []),
          ]),
          ...[...slack.world.sessions]
            .filter(([key, { status }]) => key.includes(ada.directMessages.id) && status === 'processing')
            .map(() => 'a session at work'),
        ],
      };
    },
    close: () => slack.stop(),
  };
}
