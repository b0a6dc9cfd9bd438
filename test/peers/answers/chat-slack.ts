/** A bot of the `chat` SDK on Slack, as its documentation has it: each mention and direct message is answered by a stream. */
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { chunks } from './stream.ts';

const logger = new ConsoleLogger('silent');
const bot = new Chat({
  userName: 'bot',
  // Tokens and address come from the environment.
  adapters: { slack: createSlackAdapter({ mode: 'socket', agentView: true, logger }) as Adapter },
  state: createMemoryState(),
  streamingUpdateIntervalMs: 1_000,
  fallbackStreamingPlaceholderText: null,
  logger,
});
bot.onNewMention(async (thread, { text }) => {
  await thread.post(chunks(text));
});
await bot.initialize();
process.stdout.write('{"msg":"ready"}\n');
