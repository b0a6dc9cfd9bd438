import { defineCommand, placeKey } from '../src/port/index.ts';
import { words } from '../src/words/index.ts';
import type { Parts } from './support/parts.ts';

/** `/reset`: a new conversation here. */
export default defineCommand<Parts, Record<string, never>>({
  name: 'reset',
  localNames: { 'zh-CN': '重置' },
  description: { en: 'Forget what was said here and begin anew', 'zh-CN': '忘记这里说过的话，重新开始' },
  help: {
    en: 'The history of this channel or thread goes, and its costs are counted as a new conversation.',
    'zh-CN': '这个频道或消息列的历史会清空，费用也从新的对话算起。',
  },
  options: {},
  seenBy: 'channel',
  async run({ address, requester, reply }, parts) {
    await parts.conversations.reset(placeKey(address));
    await reply.say({ text: words(requester.locale).fresh });
  },
});
