import { defineCommand } from '../src/app/define-command.ts';
import { conversationOf } from '../src/app/policy/conversation-of.ts';
import { words } from '../src/words/index.ts';

/** `/reset`: a new conversation here. */
export default defineCommand({
  name: 'reset',
  localNames: { 'zh-CN': '重置' },
  description: { en: 'Forget what was said here and start over', 'zh-CN': '忘记这里说过的话，重新开始' },
  help: {
    en: 'I’ll forget what was said in this channel or thread. Moderators can do this here, and anyone in their direct messages with me.',
    'zh-CN': '我会忘记这个频道或消息列里说过的话。这里由管理员或版主使用；在和我的私信里，每个人都可以用。',
  },
  options: {},
  seenBy: 'channel',
  restrictedTo: 'moderators',
  async run(invocation, { conversations }) {
    const { requester, reply } = invocation;
    await conversations.reset(conversationOf(invocation));
    await reply.say({ text: words(requester.locale).fresh });
  },
});
