import { createEmulator, type Emulator } from 'emulate';
import { afterEach, expect, test } from 'vitest';
import { alone } from '../../src/coordination/index.ts';
import { AccessLosses } from '../../src/platforms/slack/api/access-losses.ts';
import { ChannelIds } from '../../src/platforms/slack/api/channel-ids.ts';
import { libraryLogger } from '../../src/platforms/slack/api/log.ts';
import { RateLimits } from '../../src/platforms/slack/api/rate-limits.ts';
import { SlackApi } from '../../src/platforms/slack/api/slack-api.ts';
import { MessageChrome, MessageFormats } from '../../src/platforms/slack/markup/message-formats.ts';
import { FileKinds } from '../../src/platforms/slack/media/files.ts';
import { Uploads } from '../../src/platforms/slack/media/uploads.ts';
import { People, UserGroups } from '../../src/platforms/slack/people/people.ts';
import { SlackAdapter } from '../../src/platforms/slack/post/adapter.ts';
import { ChannelRefusals, Channels } from '../../src/platforms/slack/post/channels/channels.ts';
import { DirectMessages } from '../../src/platforms/slack/post/channels/direct-messages.ts';
import { Threads } from '../../src/platforms/slack/post/channels/threads.ts';
import { Edits } from '../../src/platforms/slack/post/edits.ts';
import { PostedMessages } from '../../src/platforms/slack/post/posted-messages.ts';
import { ResponseUrls } from '../../src/platforms/slack/post/response-urls.ts';
import { botScopes } from '../../src/platforms/slack/setup/manifest.ts';
import { fileOf } from '../../src/port/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import type { FakeSlack, Json } from '../fakes/slack/index.ts';
import { everything, startTrial } from '../fakes/slack/trial.ts';

const token = 'xoxb-troupe-second-opinion';
let emulator: Emulator | undefined;
let fake: FakeSlack | undefined;
afterEach(async () => {
  await Promise.all([emulator?.close(), fake?.stop()]);
  emulator = undefined;
  fake = undefined;
});

interface Place {
  readonly apiUrl: string;
  readonly token: string;
  readonly channel: string;
  readonly clock: FakeClock;
}

const call = async (place: Pick<Place, 'apiUrl' | 'token'>, method: string, args: object): Promise<Json> => {
  const response = await fetch(place.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  return (await response.json()) as Json;
};

/** Another's emulation of Slack, with exactly the bot's scopes. */
async function emulated(): Promise<Place> {
  const scopes = Object.keys(botScopes);
  emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        strict_scopes: true,
        channels: [{ name: 'general' }],
        tokens: [
          { token, scopes },
          { token: 'xoxb-reader', scopes: ['channels:read', 'channels:join'] },
        ],
      },
    },
  });
  const apiUrl = `${emulator.url}/api/`;
  const { channels } = await call({ apiUrl, token: 'xoxb-reader' }, 'conversations.list', {});
  const [general] = channels as { id: string; name: string }[];
  return { apiUrl, token, channel: general?.id ?? '', clock: new FakeClock(Date.now()) };
}

/** Our own. */
async function faked(): Promise<Place> {
  const trial = await startTrial(everything);
  fake = trial.slack;
  const { clock, general, installation, slack } = trial;
  return { apiUrl: slack.apiUrl, token: installation.token, channel: general.id, clock };
}

/** Does what the bot does in a channel, through the real parts of the platform. */
async function scenario(place: Place): Promise<Json> {
  const { apiUrl, channel, clock } = place;
  const records = new Map<string, unknown>();
  const memory = {
    get: async <T>(key: string) => records.get(key) as T | undefined,
    set: async (key: string, value: unknown) => records.set(key, value),
    delete: async (key: string) => records.delete(key),
  };
  const quietLog = { debug() {}, info() {}, warn() {}, error() {} };
  const logger = libraryLogger(quietLog);
  const tokens = async () => place.token;
  const rateLimits = new RateLimits(clock, alone());
  const refusals = new ChannelRefusals(memory);
  const onAnswer = refusals.noteAnswer.bind(refusals);
  const losses = new AccessLosses(memory, clock, alone().signals);
  const api = new SlackApi({
    clock,
    apiUrl,
    tokens,
    rateLimits,
    losses,
    channelIds: new ChannelIds({ set: async () => true, startingWith: async () => [] }, alone().signals),
    logger,
    onError: () => {},
    onAnswer,
  });
  const capabilities = { find: async () => undefined, note: async () => {} };
  const posts = new PostedMessages(api, memory, clock);
  const adapter = new SlackAdapter({
    api,
    channels: new Channels({ api, refusals, store: memory, signals: alone().signals, clock }),
    postedMessages: posts,
    headerOf: ({ command }) => command,
    hasReplies: async () => false,
    botName: async () => 'troupe',
    workspaceName: async () => undefined,
    uploads: new Uploads(api, new FileKinds(api, capabilities, clock), clock),
    edits: new Edits(api, rateLimits),
    deletedQuestion: async () => [],
    isTombstone: async () => false,
    messageChrome: new MessageChrome(memory),
    responseUrls: new ResponseUrls({ get: memory.get, change: async () => undefined }),
    unlessTakenOver: async () => {},
    questionEnded: async () => {},
    settleLeft: () => {},
    directMessages: new DirectMessages(api, memory, clock),
    threads: new Threads(
      memory,
      (id) => [id],
      async () => true,
    ),
    people: new People(api, new UserGroups(api, clock), clock),
    formats: new MessageFormats(capabilities),
    capabilities,
    clock,
    unfinishedAnswers: { settled: async () => {}, lostStream: async () => undefined },
  });
  const address = { platform: 'slack', workspace: 'T1', channel } as const;
  const clip = fileOf(new Uint8Array([1, 2, 3]), {
    name: 'speech.mp3',
    contentType: 'audio/mpeg',
    kind: 'audio',
    description: 'hello',
  });
  const button = { id: 'video.remove:job', label: 'Delete' };

  const root = await settled(clock, adapter.post(address, { text: 'root', buttons: [button] }, 'root'));
  const again = await settled(clock, adapter.post(address, { text: 'root', buttons: [button] }, 'root'));
  const thread = await adapter.openThread(root, 'thread');
  const reply = await settled(clock, adapter.post(thread, { text: 'working' }, 'reply'));
  await settled(clock, adapter.edit(reply, { text: 'done **now**' }));
  const shared = await settled(clock, adapter.post(thread, { files: [clip] }, 'file'));
  const gone = await settled(clock, adapter.post(thread, { text: 'to be removed' }, 'gone'));
  await settled(clock, adapter.remove(gone));
  const found = await settled(clock, posts.at(root, root.message));
  const { messages } = await call(place, 'conversations.replies', { channel, ts: root.message });
  const attachments = await settled(clock, adapter.attachments(shared));
  return {
    once: again.message === root.message,
    marked: found?.metadata?.event_type,
    attachments: attachments.map(({ name, size }) => ({ name, size })),
    messages: (messages as Json[]).map((message) => ({
      isRoot: message.ts === root.message,
      inThread: message.ts !== root.message && message.thread_ts === root.message,
      blocks: ((message.blocks ?? []) as Json[]).map(({ type, text }) => ({ type, text })),
      files: ((message.files ?? []) as Json[]).map(({ name }) => name),
    })),
  };
}

/** Waits for work that waits for a clock. */
async function settled<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  done.catch(() => {});
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (!over && clock.pending > 0) await clock.runNext();
  }
  return done;
}

test('posts, edits, threads and uploads go the same way at another emulation of Slack', async () => {
  const theirs = await scenario(await emulated());
  const ours = await scenario(await faked());
  expect(theirs).toEqual(ours);
  expect(ours).toMatchObject({
    once: true,
    marked: 'troupe_post',
    attachments: [{ name: 'speech.mp3', size: 3 }],
  });
  expect(ours.messages).toHaveLength(3);
});
