/** The least there is: a bot of Bolt as it comes, which acknowledges every command and does nothing else. */
import { App, LogLevel } from '@slack/bolt';

const { SLACK_BOT_TOKEN: token = '', SLACK_APP_TOKEN: appToken = '', SLACK_API_URL: api = '' } = process.env;
const app = new App({
  token,
  appToken,
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: api },
});
app.command('/troupe', async ({ ack }) => ack());
await app.start();
process.stdout.write('{"msg":"ready"}\n');
