/** The least that answers on Slack: Bolt, undici and eventsource-parser, one edit a second, and nothing kept. */
import { App, LogLevel } from '@slack/bolt';
import { fitting, limits, stream } from './stream.ts';

const {
  SLACK_BOT_TOKEN: token = '',
  SLACK_APP_TOKEN: appToken = '',
  SLACK_API_URL: slackApiUrl = '',
} = process.env;
const app = new App({
  token,
  appToken,
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl },
});
const answer = async (channel: string, question: string, threadTs: string | undefined) => {
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
  let whole = '';
  let shown = 0;
  let ts: string | undefined;
  let from = 0;
  const show = async () => {
    while (shown < whole.length) {
      const rest = whole.slice(from);
      const text = fitting(rest, limits.slack);
      if (ts === undefined) ts = (await app.client.chat.postMessage({ channel, text, ...thread })).ts;
      else await app.client.chat.update({ channel, ts, text });
      shown = from + text.length;
      if (text.length === rest.length) return;
      from += text.length;
      ts = undefined;
    }
  };
  await stream(question, (text) => (whole += text), show);
};
app.event('app_mention', ({ event }) => answer(event.channel, event.text, event.thread_ts ?? event.ts));
app.message(async ({ message }) => {
  if (message.subtype === undefined && message.channel_type === 'im')
    await answer(message.channel, message.text ?? '', message.thread_ts);
});
await app.start();
process.stdout.write('{"msg":"ready"}\n');
