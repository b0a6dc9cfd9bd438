import { parseArgs } from 'node:util';
import { commands } from '../../commands/index.ts';
import { ConfigError, readSetting } from '../config/config.ts';
import { slackManifest } from '../platforms/slack/setup/manifest.ts';
import { script } from './script.ts';

// `npm run slack:manifest`, or `npm run slack:manifest -- --url https://bot.example.com` for HTTP mode.
const { values } = parseArgs({ options: { url: { type: 'string' } } });

await script(() => {
  const { url } = values;
  if (url !== undefined && !url.startsWith('https://')) {
    throw new ConfigError(['--url: has to be a public address that begins with https://']);
  }
  const prefix = readSetting(process.env, 'SLACK_COMMAND_PREFIX');
  return JSON.stringify(slackManifest(commands, { prefix, ...(url !== undefined && { url }) }), undefined, 2);
});
