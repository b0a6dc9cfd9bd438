import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Json, Message, Stream } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { checkMessageBlocks, parsedTexts, plainRings, ringsAndLinks } from './block-kit.ts';
import { ownMessage, put, readMetadata } from './messages.ts';
import { moveSession, sessionStates } from './sessions.ts';

/** `chat.startStream`: only under a message, and outside direct messages only for somebody. */
export function startStream(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.writable(caller, args.required('channel'));
  const direct = channel.kind === 'im';
  needReading(world.readings, direct ? 'streamInDirectMessage' : 'streamInChannel');
  const threadTs = world.threadFor(channel, args.required('thread_ts'), 'cannot_reply_to_message');
  const recipient = args.text('recipient_user_id');
  if (!direct) {
    if (!recipient) throw new Failure('missing_recipient_user_id');
    const team = args.text('recipient_team_id');
    if (!team) throw new Failure('missing_recipient_team_id');
    if (!world.workspaces.get(team)?.users.has(recipient)) throw new Failure('user_not_found');
  }
  const { text, blocks, mode } = readContent(args, world);
  const message = put(world, channel, {
    user: workspace.botUser,
    byApp: true,
    content: { text: undefined, markdown: '', blocks, metadata: undefined },
    threadTs,
  });
  message.stream = { startedAt: world.clock.now(), recipient, mode, state: 'streaming' };
  world.clock.after(limits.streamLifeMs, () => {
    if (message.stream?.state === 'streaming') message.stream.state = 'dead';
  });
  if (text !== '') grow(world, message, text);
  if (threadTs !== undefined) moveSession(world, channel.id, threadTs, 'processing');
  return { channel: channel.id, ts: message.ts };
}

/** `chat.appendStream` */
export function appendStream(world: World, caller: Caller, args: Arguments): Json {
  const { channel, message, stream } = streaming(world, caller, args);
  const { text, blocks, mode } = readContent(args, world);
  keepMode(stream, mode);
  if (text === '' && blocks.length === 0) throw new Failure('no_text');
  message.blocks.push(...blocks);
  grow(world, message, text);
  return { channel: channel.id, ts: message.ts };
}

/** `chat.stopStream`: blocks come under the text. */
export function stopStream(world: World, caller: Caller, args: Arguments): Json {
  const { channel, message, stream } = streaming(world, caller, args);
  const { text, blocks: streamed, mode } = readContent(args, world);
  keepMode(stream, mode);
  const sessionStatus = readSessionStatus(args);
  const below = args.list('blocks', 'invalid_blocks_format') ?? [];
  if (below.length > 0) needReading(world.readings, 'blocksAtStreamStop');
  const blocks = [...message.blocks, ...streamed, ...below];
  checkMessageBlocks(blocks, world.readings);
  const metadata = readMetadata(args);
  if (text === '' && !message.markdown && blocks.length === 0) {
    needReading(world.readings, 'emptyStreamStop');
  }
  if (text !== '') grow(world, message, text);
  message.blocks = blocks;
  const { pings, links } = ringsAndLinks(parsedTexts(blocks));
  message.pings.push(...pings, ...plainRings(world.readings, blocks, []));
  message.unfurled.push(...links);
  if (metadata) message.metadata = metadata;
  stream.state = 'stopped';
  if (message.threadTs !== undefined) moveSession(world, channel.id, message.threadTs, sessionStatus);
  return { channel: channel.id, ts: message.ts };
}

function streaming(world: World, caller: Caller, args: Arguments) {
  const found = ownMessage(world, caller, args, 'message_not_owned_by_app');
  const stream = found.message.stream;
  const isStopTold = world.readings.streamStopTold === 'works';
  if (stream?.state === 'stopped by a person' && isStopTold) throw new Failure('stopped_by_user');
  if (stream?.state !== 'streaming') throw new Failure('message_not_in_streaming_state');
  return { ...found, stream };
}

/** The first content decides whether a stream's text comes as chunks or as `markdown_text`, to its end. */
function keepMode(stream: Stream, mode: Stream['mode']): void {
  stream.mode ??= mode;
  if (mode !== undefined && stream.mode !== mode) throw new Failure('streaming_mode_mismatch');
}

/** Text and blocks of a call; blocks keep their place in the message. */
function readContent(
  args: Arguments,
  { readings }: World,
): { text: string; blocks: Json[]; mode: Stream['mode'] } {
  const chunks = args.list('chunks', 'invalid_chunks') ?? [];
  const [hasChunks, hasText] = [args.has('chunks'), args.values.markdown_text !== undefined];
  if (hasChunks && hasText) throw new Failure('cannot_provide_both_markdown_text_and_chunks');
  if (chunks.length > limits.chunks) throw new Failure('invalid_chunks');
  if (hasChunks && chunks.length === 0) throw new Failure('invalid_chunks');
  const mode = hasChunks ? 'chunks' : hasText ? 'markdown_text' : undefined;
  let text = args.text('markdown_text') ?? '';
  const blocks: Json[] = [];
  for (const chunk of chunks) {
    if (chunk.type === 'markdown_text' && typeof chunk.text === 'string') text += chunk.text;
    else if (chunk.type === 'blocks' && Array.isArray(chunk.blocks)) blocks.push(...(chunk.blocks as Json[]));
    else throw new Failure('invalid_chunks');
  }
  if (text.length > limits.markdown) throw new Failure('msg_too_long');
  checkMessageBlocks(blocks, readings);
  return { text, blocks, mode };
}

/** What `session_status` says the thread's session is afterwards. */
function readSessionStatus(args: Arguments): string {
  const status = args.text('session_status') ?? 'active';
  if (!sessionStates.includes(status)) throw new Failure('invalid_arguments');
  return status;
}

/** Streams have no say in previews: an address in one is fetched. */
function grow(world: World, message: Message, text: string): void {
  const whole = (message.markdown ?? '') + text;
  if (whole.length > limits.markdown) throw new Failure('msg_too_long');
  message.markdown = whole;
  const { pings, links } = ringsAndLinks([whole]);
  message.pings.splice(0, message.pings.length, ...pings, ...plainRings(world.readings, [], [whole]));
  message.unfurled.splice(0, message.unfurled.length, ...links);
  message.revisions.push({ at: world.clock.now(), text: whole });
}
