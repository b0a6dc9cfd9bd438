import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Channel, Json, Status } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { endStatus } from './messages.ts';

/** `assistant.threads.setStatus`: gone after two minutes, or as soon as the app posts there. */
export function setStatus(world: World, caller: Caller, args: Arguments): Json {
  const channel = agentChannel(world, caller, args);
  const threadTs = args.required('thread_ts');
  world.root(channel, threadTs, 'invalid_thread_ts');
  const text = args.text('status');
  if (text === undefined) throw new Failure('invalid_arguments');
  const messages = args.values.loading_messages;
  const rotating: unknown = typeof messages === 'string' ? JSON.parse(messages) : (messages ?? []);
  if (!Array.isArray(rotating) || rotating.length > limits.loadingMessages) {
    throw new Failure('invalid_arguments');
  }
  const tooLong = (one: unknown) => typeof one !== 'string' || one.length > limits.statusText;
  if (tooLong(text) || rotating.some(tooLong)) throw new Failure('invalid_arguments');
  if (rotating.length > 0) needReading(world.readings, 'loadingMessages');
  endStatus(world, channel.id, threadTs, text === '' ? 'cleared' : 'replaced');
  if (text === '') return {};
  const status: Status = {
    channel: channel.id,
    threadTs,
    text,
    from: world.clock.now(),
    until: undefined,
    endedBy: undefined,
  };
  world.statuses.push(status);
  world.clock.after(limits.statusMs, () => {
    if (status.endedBy) return;
    status.until = world.clock.now();
    status.endedBy = 'timeout';
  });
  return {};
}

/** `assistant.threads.setTitle`: threads of direct messages only. */
export function setTitle(world: World, caller: Caller, args: Arguments): Json {
  const channel = agentChannel(world, caller, args);
  const threadTs = args.required('thread_ts');
  const title = args.required('title');
  if (channel.kind !== 'im') throw new Failure('invalid_thread_ts');
  world.root(channel, threadTs, 'invalid_thread_ts');
  world.titles.set(`${channel.id} ${threadTs}`, title);
  return {};
}

/** `assistant.threads.setSuggestedPrompts`: at most four, for apps that are agents. */
export function setSuggestedPrompts(world: World, caller: Caller, args: Arguments): Json {
  if (!world.settings.agent) throw new Failure('not_agent_app');
  const channel = agentChannel(world, caller, args);
  const threadTs = args.text('thread_ts');
  if (threadTs !== undefined) world.root(channel, threadTs, 'invalid_thread_ts');
  const prompts = args.list('prompts', 'invalid_arguments') ?? [];
  if (prompts.length === 0 || prompts.length > limits.suggestedPrompts)
    throw new Failure('invalid_arguments');
  const read = prompts.map(({ title, message }) => {
    if (typeof title !== 'string' || typeof message !== 'string' || !title || !message) {
      throw new Failure('invalid_arguments');
    }
    return { title, message };
  });
  world.prompts.set(channel.id, read);
  return {};
}

/** A channel the bot is in. */
function agentChannel(world: World, caller: Caller, args: Arguments): Channel {
  const found = world.find(caller, args.required('channel_id'));
  if (!found?.channel.members.has(found.workspace.botUser)) throw new Failure('channel_not_found');
  return found.channel;
}
