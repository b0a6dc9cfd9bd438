import { type CommandDependencies, defineCommand } from '../src/app/define-command.ts';
import { conversationOf, isPersonal, privateConversation } from '../src/app/job-context.ts';
import type { Invocation } from '../src/engine/index.ts';
import { conversationKey } from '../src/port/index.ts';
import { words } from '../src/words/index.ts';

/** `/reset`: a new conversation here. What others share is for those who moderate it. */
export default defineCommand({
  name: 'reset',
  localNames: { 'zh-CN': '重置' },
  description: { en: 'Forget what was said here and start over', 'zh-CN': '忘记这里说过的话，重新开始' },
  help: {
    en: 'I’ll forget what was said in this channel or thread. You can always do this with a conversation of your own; moderators can do it with one that’s shared.',
    'zh-CN':
      '我会忘记这个频道或消息列里说过的话。你自己的对话随时可以重置；大家共用的对话由管理员或版主重置。',
  },
  options: {},
  seenBy: 'channel',
  precedes: true,
  async run(invocation, dependencies) {
    const { job, requester, reply } = invocation;
    const say = words(requester.locale);
    const forgotten = await dependencies.conversations.betweenTurns(job.id, () =>
      forget(invocation, dependencies),
    );
    if (forgotten === 'all') await reply.say({ text: say.fresh });
    else await reply.whisper({ text: forgotten === 'private' ? say.freshPrivately : say.sharedHere });
  },
});

type Reset = Invocation;

/** Resets what's the requester's to reset. */
async function forget(
  invocation: Reset,
  dependencies: CommandDependencies,
): Promise<'all' | 'private' | 'nothing'> {
  const { address, requester } = invocation;
  const { conversations } = dependencies;
  const hidden = privateConversation(address, requester);
  const hasHidden = await conversations.exists(hidden);
  if (hasHidden) await conversations.reset(hidden);
  if (!(await mayReset(invocation, dependencies))) return hasHidden ? 'private' : 'nothing';
  await conversations.reset(conversationOf(invocation));
  return 'all';
}

/** Whether the conversation here is the requester's own, or theirs to moderate. */
async function mayReset(
  { address, requester, settings }: Reset,
  { conversations }: CommandDependencies,
): Promise<boolean> {
  const { administrator, moderator, direct, unmoderated } = requester;
  if (administrator || moderator || direct || unmoderated) return true;
  if (isPersonal({ address, requester, settings })) return true;
  return (await conversations.ownThreads.find(conversationKey(address)))?.owner === requester.id;
}
