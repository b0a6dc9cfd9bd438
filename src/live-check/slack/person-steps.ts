import { slackFeatures } from '../../platforms/slack/api/errors.ts';
import { ask, helpFrom, refused, type Seen, skipped, type Step, unclear, works } from '../run-steps.ts';
import { type Action, buttonRow, label, picture, type SlackChannel } from './client.ts';

/** Milliseconds that a response_url may take. */
const responseTimeout = 15_000;

/** What only a person can do or see. */
export const personSteps: readonly Step<SlackChannel>[] = [
  {
    name: 'markdown block over a response_url',
    expected: 'not documented; incoming webhooks respond with an empty 500',
    async run(channel) {
      helpFrom(channel.help);
      await channel.slack.post(channel.inChannel, 'please press the button', [
        buttonRow(['live-check', 'Press me']),
      ]);
      const { url } = await askForPress(channel, 'Press “Press me” in the newest message of the thread.');
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          response_type: 'ephemeral',
          replace_original: false,
          blocks: [{ type: 'markdown', text: `**${label}**` }],
        }),
        signal: AbortSignal.timeout(responseTimeout),
      }).catch(() => undefined);
      if (!response) return unclear('no response');
      const answer = await response.text();
      const code = /"error":"(\w+)"/.exec(answer)?.[1] ?? (/^\w+$/.test(answer) ? answer : '');
      if (response.ok && (code === 'ok' || code === '')) return works();
      return refused(`refused: ${response.status} ${code}`.trim());
    },
  },
  {
    name: 'user group in a command',
    expected: 'its id, with should_escape; not documented for groups',
    async run(channel) {
      const request = 'In the channel, type “/troupe help @GROUP” with the handle of a user group.';
      const text = await ask(channel.help, request, (action: Action) => action.text);
      if (/<!subteam\^\w+/.test(text)) return works('received its id');
      return /@[\p{L}\d]/u.test(text)
        ? refused('received only its handle')
        : skipped('no group was mentioned');
    },
  },
  {
    name: 'picture in a block, as other people see it',
    expected: 'everyone in the channel sees it (slack_file)',
    feature: slackFeatures.slackFileImage,
    otherwise: 'shows images as files under the message',
    async run(channel) {
      const { slack, inChannel, help } = channel;
      helpFrom(help);
      await slack.post(inChannel, dotQuestion, [await picture(channel), seenButtons]);
      return askForDot(channel);
    },
  },
  {
    name: 'picture put into a message by an edit, as other people see it',
    expected: 'others see none; reported',
    async run(channel) {
      const { slack, inChannel, help } = channel;
      helpFrom(help);
      const { ts } = await slack.post(inChannel, 'announced');
      const blocks = [await picture(channel), seenButtons];
      const at = { channel: inChannel.channel, ts };
      await slack.call('chat.update', { ...at, text: dotQuestion, blocks });
      return askForDot(channel);
    },
  },
];

/** Asks a person to press one of the check's buttons; returns its id, and the press's own response_url. */
function askForPress({ help }: SlackChannel, request: string) {
  return ask(help, request, ({ actions = [], response_url: url }: Action) => {
    const own = actions.find(({ action_id }) => action_id.startsWith('live-check'));
    return own && { id: own.action_id, url };
  });
}

const seen = 'live-check-seen';
const dotQuestion = 'do you see a dot?';
const seenButtons = buttonRow([seen, 'I see it'], ['live-check-unseen', 'I don’t see it']);

/** Asks a person whether they see the picture, which they say with one of these buttons. */
async function askForDot(channel: SlackChannel): Promise<Seen> {
  const request =
    'Look for a picture (one dark dot) in the newest message of the thread, then press one of its buttons.';
  const { id } = await askForPress(channel, request);
  return id === seen ? works('seen') : refused('not seen');
}
