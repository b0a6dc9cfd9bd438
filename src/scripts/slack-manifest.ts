import { parseArgs } from 'node:util';
import { commands } from '../../commands/index.ts';
import { ConfigError, readSetting } from '../config/config.ts';
import { slackManifest } from '../platforms/slack/setup/manifest.ts';
import { script } from './script.ts';

/** `npm run slack:manifest`, or `npm run slack:manifest -- --url https://bot.example.com` for HTTP mode. */
await script(() => {
  const url = urlOf(process.argv.slice(2));
  if (url !== undefined && !(url.startsWith('https://') && URL.canParse(url))) {
    throw new ConfigError(['--url: has to be a public address that begins with https://']);
  }
  const prefix = readSetting(process.env, 'SLACK_COMMAND_PREFIX');
  return JSON.stringify(slackManifest(commands, { prefix, ...(url !== undefined && { url }) }), undefined, 2);
});

function urlOf(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { url: { type: 'string' } } }).values.url;
  } catch {
    throw new ConfigError(['usage: npm run --silent slack:manifest [-- --url https://…]']);
  }
}
