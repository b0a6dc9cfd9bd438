import { App, type Receiver, SocketModeReceiver } from '@slack/bolt';
import WebSocket from 'ws';
import type { Delivery } from '../events/delivery.ts';
import type { Json } from '../records.ts';
import type { Rule, Trial } from '../trial.ts';

/** A bare socket of the app's, as a client that knows the protocol. */
async function socket(t: Trial): Promise<WebSocket> {
  const response = await fetch(`${t.slack.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.slack.credentials.appToken}` },
  });
  const { url } = (await response.json()) as { url: string };
  const client = new WebSocket(url);
  await new Promise((resolve) => client.once('message', resolve));
  return client;
}

interface Envelope {
  readonly type: string;
  readonly reason?: string;
  readonly envelope_id: string;
  readonly retry_attempt?: number;
  readonly payload: { readonly event_id: string; readonly event: Json };
}

/** What reaches a socket, acknowledged or not. */
function listen(client: WebSocket, acknowledge: boolean): Envelope[] {
  const seen: Envelope[] = [];
  client.on('message', (data) => {
    const envelope = JSON.parse(String(data)) as Envelope;
    seen.push(envelope);
    if (acknowledge) client.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
  });
  return seen;
}

/** Runs the clock until a payload's last attempt is over. */
async function over(t: Trial, delivery: Delivery): Promise<void> {
  let done = false;
  void delivery.done.then(() => {
    done = true;
  });
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (t.slack.deliverer.waiting > 0 || t.clock.pending > 0) await t.clock.runNext();
  }
}

const first = <T>(list: readonly T[]): T => {
  const [one] = list;
  if (one === undefined) throw new Error('nothing was sent');
  return one;
};

/** Payloads: three seconds, retries, any one socket. */
export const deliveryRules: readonly Rule[] = [
  {
    rule: 'an event that nobody acknowledges',
    answer: 'sent 4 times at 0, 3, 66 and 369 s with one event_id',
    source: 'Events API: retries (now, 1 min, 5 min)',
    attempt: async (t) => {
      const seen = listen(await socket(t), false);
      const begin = t.clock.now();
      const delivery = first(t.ada.says('hello', t.general).deliveries);
      await over(t, delivery);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const seconds = delivery.attempts.map(({ at }) => (at - begin) / 1_000);
      const ids = new Set(seen.map(({ payload }) => payload.event_id));
      const times = `${seconds.slice(0, -1).join(', ')} and ${seconds.at(-1)} s`;
      return `sent ${seen.length} times at ${times} with ${ids.size === 1 ? 'one event_id' : 'several'}`;
    },
  },
  {
    rule: 'a slash command that nobody acknowledges',
    answer: 'sent once, then given up: http_timeout',
    source: 'slash commands: three seconds',
    attempt: async (t) => {
      listen(await socket(t), false);
      const typed = t.ada.types('/ask hello', t.general);
      await over(t, first(t.slack.deliverer.deliveries));
      const { delivery, acknowledged } = await typed;
      const times = delivery.attempts.length === 1 ? 'once' : String(delivery.attempts.length);
      return `sent ${times}, then given up: ${acknowledged.detail}`;
    },
  },
  {
    rule: 'payloads with two sockets open',
    answer: 'each to one of the two',
    source: 'Socket Mode: multiple connections',
    attempt: async (t) => {
      const [one, two] = [listen(await socket(t), true), listen(await socket(t), true)];
      const channel = t.ada.directMessages;
      for (let said = 0; said < 4; said++) await first(t.ada.says('hello', channel).deliveries).done;
      return one.length === 2 && two.length === 2 ? 'each to one of the two' : `${one.length}, ${two.length}`;
    },
  },
  {
    rule: 'a payload in two copies',
    answer: 'one event_id, two envelopes',
    source: 'Socket Mode (seen)',
    attempt: async (t) => {
      const [one, two] = [listen(await socket(t), true), listen(await socket(t), true)];
      t.slack.deliverer.copies = 2;
      await first(t.ada.says('hello', t.ada.directMessages).deliveries).done;
      const [a, b] = [first(one), first(two)];
      const same = a.payload.event_id === b.payload.event_id && a.envelope_id !== b.envelope_id;
      return same ? 'one event_id, two envelopes' : 'something else';
    },
  },
  {
    rule: 'an eleventh socket',
    answer: 'disconnect: too_many_websockets',
    source: 'Socket Mode: at most 10 connections',
    attempt: async (t) => {
      for (let count = 0; count < 10; count++) await socket(t);
      const { url } = (await (
        await fetch(`${t.slack.apiUrl}apps.connections.open`, {
          method: 'POST',
          headers: { authorization: `Bearer ${t.slack.credentials.appToken}` },
        })
      ).json()) as { url: string };
      const client = new WebSocket(url);
      const answer = await new Promise<string>((resolve) =>
        client.once('message', (data) => resolve(String(data))),
      );
      const { type, reason } = JSON.parse(answer) as Envelope;
      return `${type}: ${reason}`;
    },
  },
  {
    rule: 'a channel that is made private',
    answer: 'channel_convert_to_private, group',
    source: 'message events: channel_convert_to_private',
    attempt: async (t) => {
      const seen = listen(await socket(t), true);
      await t.ada.makesPrivate(t.general).done;
      const told = seen.map(({ payload }) => (payload as unknown as { event: Json }).event);
      return told.map(({ subtype, channel_type: kind }) => `${String(subtype)}, ${String(kind)}`).join();
    },
  },
  {
    rule: 'a public channel that is shared with another organization, and then no more',
    answer: 'channel_shared, channel_unshared',
    source: 'channel_shared, channel_unshared',
    attempt: async (t) => {
      const seen = listen(await socket(t), true);
      const other = t.slack.addWorkspace('sister');
      await t.ada.sharesWith(t.general, other)?.done;
      await t.ada.sharesWith(t.general, other, false)?.done;
      return seen.map(({ payload }) => (payload as unknown as { event: Json }).event.type).join(', ');
    },
  },
  {
    rule: 'a channel whose posting settings change, and that is archived and restored',
    answer: 'channel_posting_permissions, channel_archive, channel_unarchive',
    source: 'message events: channel_posting_permissions, channel_archive, channel_unarchive',
    attempt: async (t) => {
      const seen = listen(await socket(t), true);
      await t.ada.setsPosting(t.general, { readOnly: true }).done;
      await t.ada.setsPosting(t.general, { archived: true }).done;
      await t.ada.setsPosting(t.general, { archived: false }).done;
      return seen.map(({ payload }) => (payload as unknown as { event: Json }).event.subtype).join(', ');
    },
  },
  {
    rule: "a socket's address used twice",
    answer: '403',
    source: 'apps.connections.open',
    attempt: async (t) => {
      const client = await socket(t);
      const again = new WebSocket(client.url);
      return new Promise((resolve) => {
        again.once('unexpected-response', (_, response) => resolve(String(response.statusCode)));
        again.once('open', () => resolve('open'));
      });
    },
  },
  {
    rule: 'a mention where both events are subscribed',
    answer: 'app_mention and message, two event_ids',
    source: 'app_mention',
    attempt: async (t) => {
      const seen = listen(await socket(t), true);
      const { deliveries } = t.ada.says(`${t.ada.bot} hello`, t.general);
      await Promise.all(deliveries.map(({ done }) => done));
      const types = deliveries.map(({ payload }) => (payload.event as { type: string }).type).sort();
      const ids = new Set(seen.map(({ payload }) => payload.event_id));
      return `${types.join(' and ')}, ${ids.size === 2 ? 'two event_ids' : 'one event_id'}`;
    },
  },
  {
    rule: 'a change of a mention, and one that adds it',
    answer: 'message, app_mention with edited and its first ts; the same',
    source: 'bolt-js issue 960, slack-go pull request 1256, posthog pull request 59517 (seen)',
    attempt: async (t) => {
      listen(await socket(t), true);
      const changed = (before: string) => {
        const { message } = t.ada.says(before, t.general);
        const told = t.ada.edits(message, `${t.ada.bot} hello`).map(({ payload }) => payload.event as Json);
        const has = ({ edited, ts }: Json) =>
          edited && ts === message.ts ? ' with edited and its first ts' : '';
        return told.map((event) => `${String(event.type)}${has(event)}`).join(', ');
      };
      const first = changed(`${t.ada.bot} helo`);
      return `${first}; ${changed('hello') === first ? 'the same' : 'another'}`;
    },
  },
  {
    rule: 'an emoji typed as a character, in a message, in its block and in a command',
    answer: 'hi :wave::skin-tone-3:, 1f44b-1f3fc, hi :wave::skin-tone-3:',
    source: 'formatting: emoji in colon format; emoji element; bolt-js issue 1469 (seen)',
    attempt: async (t) => {
      listen(await socket(t), true);
      const said = t.ada.says('hi 👋🏼', t.general);
      const typed = await t.ada.types('/ask hi 👋🏼', t.general);
      const [text, blocks, command] = [
        said.message.text,
        JSON.stringify(said.message.blocks),
        typed.delivery.payload.text,
      ];
      return `${text}, ${/"unicode":"([^"]+)"/.exec(blocks)?.[1]}, ${command}`;
    },
  },
  {
    rule: 'a mention in the text of a canvas',
    answer: 'app_mention, document_mention, its words in a block',
    source: 'message events: document_mention',
    attempt: async (t) => {
      const [seen, text] = [listen(await socket(t), true), `Hey ${t.ada.bot}`];
      await over(t, t.ada.mentionsInCanvas(text, t.general).delivery);
      const { type, subtype, ...event } = first(seen).payload.event;
      const where = ['text', 'blocks'].filter((name) => JSON.stringify(event[name]).includes(text));
      return `${type}, ${subtype}, its words in ${where.join() === 'blocks' ? 'a block' : 'its text'}`;
    },
  },
  {
    rule: 'a mention where the bot is no member',
    answer: 'nothing is sent',
    source: 'app_mention',
    attempt: (t) => {
      const { deliveries } = t.ada.says(`${t.ada.bot} hello`, t.outside);
      return deliveries.length === 0 ? 'nothing is sent' : 'sent';
    },
  },
  {
    rule: 'a change and a deletion of a message where the bot is no member any more',
    answer: 'nothing is sent',
    source: 'python-slack-events-api issue 78, python-slack-sdk issue 576 (seen)',
    attempt: async (t) => {
      const seen = listen(await socket(t), true);
      const { message, deliveries } = t.ada.says('hello', t.general);
      await Promise.all(deliveries.map(({ done }) => done));
      const before = seen.length;
      t.general.members.delete(t.workspace.botUser);
      const told = [...t.ada.edits(message, 'hello, you'), t.ada.deletes(message)];
      await Promise.all(told.map(({ done }) => done));
      const isSent = seen.length > before || told.some(({ attempts }) => attempts.length > 0);
      return isSent ? 'sent' : 'nothing is sent';
    },
  },
  {
    rule: 'a mention in a channel that another workspace shares',
    answer: 'team_id names the other, authorizations ours',
    source: 'Events API: authorizations; Slack Connect (seen)',
    attempt: (t) => {
      const owner = t.slack.addWorkspace('other');
      const channel = t.slack.channel(t.workspace, 'shared', [t.ada], { owner });
      const [delivery] = t.ada.says(`${t.ada.bot} hello`, channel).deliveries;
      const { team_id, authorizations } = (delivery?.payload ?? {}) as {
        team_id: string;
        authorizations: Json[];
      };
      return team_id === owner.id && authorizations[0]?.team_id === t.workspace.id
        ? 'team_id names the other, authorizations ours'
        : 'one workspace';
    },
  },
  {
    rule: "the real Bolt's app at the server",
    answer: 'hears the mention and answers it',
    source: '@slack/bolt',
    attempt: async (t) => {
      const clientOptions = { slackApiUrl: t.slack.apiUrl };
      const receiver: Receiver = new SocketModeReceiver({
        appToken: t.slack.credentials.appToken,
        installerOptions: { clientOptions: { ...clientOptions } },
      });
      const app = new App({
        token: t.installation.token,
        receiver,
        clientOptions: { ...clientOptions },
        deferInitialization: true,
      });
      app.event('app_mention', async ({ event, say }) => {
        await say({ text: 'here I am', thread_ts: event.ts });
      });
      await app.init();
      await app.start();
      const { message, deliveries } = t.ada.says(`${t.ada.bot} hello`, t.general);
      await Promise.all(deliveries.map(({ done }) => done));
      while (t.slack.api.of('chat.postMessage').length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await app.stop();
      while (t.slack.sockets.connected > 0) await new Promise((resolve) => setTimeout(resolve, 2));
      const answers = t.slack.world.replies(t.general, message.ts);
      return answers.length === 1 ? 'hears the mention and answers it' : 'says nothing';
    },
  },
];
