import { GatewayIntentBits } from 'discord-api-types/v10';
/** The least there is: a bot of discord.js as it comes, which acknowledges every command and does nothing else. */
import { Client } from 'discord.js';

const { DISCORD_TOKEN: token, DISCORD_API_URL: api = '' } = process.env;
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api } });
client.on('interactionCreate', (interaction) => {
  if (interaction.isChatInputCommand()) interaction.deferReply().catch(() => {});
});
client.once('clientReady', () => process.stdout.write('{"msg":"ready"}\n'));
await client.login(token);
