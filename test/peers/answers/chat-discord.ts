/** A bot of the `chat` SDK on Discord, as its documentation has it: each mention is answered by a stream in a thread. */
import { createDiscordAdapter } from '@chat-adapter/discord';
import { createMemoryState } from '@chat-adapter/state-memory';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { DefaultRestOptions } from 'discord.js';
import { chunks } from './stream.ts';

const { DISCORD_TOKEN: botToken = '', DISCORD_API_URL: api = '' } = process.env;
// The adapter's client of the gateway takes the default.
Object.assign(DefaultRestOptions, { api });
const logger = new ConsoleLogger('silent');
// Only the log says when the gateway is connected.
logger.info = (message) => {
  if (message === 'Discord Gateway connected') process.stdout.write('{"msg":"ready"}\n');
};
const applicationId = async () => {
  const response = await fetch(`${api}/v10/applications/@me`, {
    headers: { authorization: `Bot ${botToken}` },
  });
  return ((await response.json()) as { readonly id: string }).id;
};
const discord = createDiscordAdapter({
  botToken,
  apiUrl: `${api}/v10`,
  applicationId,
  // Nothing comes over HTTP.
  webhookVerifier: () => false,
  logger,
});
const bot = new Chat({
  userName: 'bot',
  adapters: { discord: discord as Adapter },
  state: createMemoryState(),
  // What meets a rate limit is lost: of five edits in five seconds, one is left for the end.
  streamingUpdateIntervalMs: 1_500,
  fallbackStreamingPlaceholderText: null,
  logger,
});
bot.onNewMention(async (thread, { text }) => {
  await thread.post(chunks(text));
});
await bot.initialize();
await discord.startGatewayListener({ waitUntil: () => {} }, 86_400_000);
