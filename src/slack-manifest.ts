import { parseArgs } from 'node:util';
import { commands } from '../commands/index.ts';
import { readConfig, readEnvFile } from './config.ts';
import { slackManifest } from './platforms/slack/manifest.ts';

// `npm run slack:manifest`, or `npm run slack:manifest -- --url https://bot.example.com` for HTTP mode.
const { values } = parseArgs({ options: { url: { type: 'string' } } });
if (values.url !== undefined && !values.url.startsWith('https://')) {
  console.error('--url: has to be a public address that begins with https://');
  process.exit(1);
}
readEnvFile();
const { SLACK_COMMAND_PREFIX: prefix } = readConfig(process.env);
const manifest = slackManifest(commands, { prefix, ...(values.url !== undefined && { url: values.url }) });
console.log(JSON.stringify(manifest, undefined, 2));
