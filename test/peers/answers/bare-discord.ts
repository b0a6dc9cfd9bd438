/** The least that answers on Discord: discord.js, undici and eventsource-parser, one edit a second, and nothing kept. */
import { GatewayIntentBits } from 'discord-api-types/v10';
import { Client } from 'discord.js';
import { fitting, limits, stream } from './stream.ts';

const { DISCORD_TOKEN: token, DISCORD_API_URL: api = '' } = process.env;
const { Guilds, GuildMessages } = GatewayIntentBits;
const client = new Client({ intents: [Guilds, GuildMessages], rest: { api } });
client.on('messageCreate', async (message) => {
  if (message.author.bot || !message.channel.isSendable()) return;
  const { channel } = message;
  let whole = '';
  let shown = '';
  let current: Awaited<ReturnType<typeof channel.send>> | undefined;
  let from = 0;
  const show = async () => {
    while (shown.length < whole.length) {
      const rest = whole.slice(from);
      const part = fitting(rest, limits.discord);
      if (!current) current = await channel.send(part);
      else await current.edit(part);
      shown = whole.slice(0, from + part.length);
      if (part.length === rest.length) return;
      from += part.length;
      current = undefined;
    }
  };
  await stream(message.content, (text) => (whole += text), show);
});
client.once('clientReady', () => process.stdout.write('{"msg":"ready"}\n'));
await client.login(token);
