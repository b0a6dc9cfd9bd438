import { parseArgs } from 'node:util';
import { commands } from '../commands/index.ts';
import { readEnvFile } from './config.ts';
import { slackManifest } from './platforms/slack/manifest.ts';
import { settings } from './settings.ts';

// `npm run slack:manifest`, or `npm run slack:manifest -- --url https://bot.example.com` for HTTP mode.
const { values } = parseArgs({ options: { url: { type: 'string' } } });
readEnvFile();
const { schema, allowed } = settings.SLACK_COMMAND_PREFIX;
const prefix = schema.safeParse(process.env.SLACK_COMMAND_PREFIX || undefined);
if (values.url !== undefined && !values.url.startsWith('https://')) {
  process.stderr.write('--url: has to be a public address that begins with https://\n');
  process.exitCode = 1;
} else if (!prefix.success) {
  process.stderr.write(`SLACK_COMMAND_PREFIX: this value is not allowed; allowed: ${allowed}\n`);
  process.exitCode = 1;
} else {
  const url = values.url === undefined ? {} : { url: values.url };
  const manifest = slackManifest(commands, { prefix: prefix.data, ...url });
  process.stdout.write(`${JSON.stringify(manifest, undefined, 2)}\n`);
}
