import { join } from 'node:path';
import { commands } from '../../../commands/index.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { endsWithFile } from '../../at-end.ts';
import { BotProcess } from '../../crash/bot-process.ts';
import { FakeSlack, type Json } from '../../fakes/slack/index.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export const consoleToken = 'a token of thirty-two characters';

/** The bot as a process of its own, whose port serves the console and Slack, until the file ends. */
export async function openToAll(
  settings: (slack: FakeSlack) => Readonly<Record<string, string>>,
): Promise<BotProcess> {
  const folder = await temporaryFolder(endsWithFile);
  const manifest = slackManifest(commands, { prefix: '', url: 'https://bot.example' });
  const slack = await FakeSlack.start({ manifest: manifest as unknown as Json });
  endsWithFile(() => slack.stop());
  const bot = await BotProcess.start({
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
    CONSOLE: 'on',
    CONSOLE_TOKEN: consoleToken,
    SLACK_SIGNING_SECRET: slack.credentials.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    ...settings(slack),
  });
  endsWithFile(() => bot.kill());
  return bot;
}
