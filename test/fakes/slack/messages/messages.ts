import { messageChangeEvent } from '../events/events.ts';
import type { Arguments } from '../http/arguments.ts';
import { isJson } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Channel, Json, Message, Metadata, Workspace } from '../records.ts';
import type { Caller, World } from '../world.ts';
import {
  blocksAsText,
  checkMessageBlocks,
  invalid,
  isLooselyParsed,
  parsedTexts,
  plainRings,
  ringsAndLinks,
} from './block-kit.ts';
import { fileJson } from './files.ts';
import { withPlainPings } from './formatting.ts';

/** What a call wants a message to say. */
export interface Content {
  readonly text: string | undefined;
  readonly markdown: string | undefined;
  readonly blocks: Json[] | undefined;
  readonly metadata: Metadata | undefined;
}

/** Reads and checks text, Markdown, blocks and metadata of a call. */
export function readContent(args: Arguments, { readings }: Pick<World, 'readings'>): Content {
  const markdown = args.text('markdown_text');
  if (markdown !== undefined && (args.has('text') || args.has('blocks'))) {
    throw new Failure('markdown_text_conflict');
  }
  if (markdown !== undefined && markdown.length > limits.markdown) throw new Failure('msg_too_long');
  const blocks = args.list('blocks', 'invalid_blocks_format');
  if (blocks) checkMessageBlocks(blocks, readings);
  return { text: args.text('text'), markdown, blocks, metadata: readMetadata(args) };
}

/** Metadata of a call; an event's type and payload, nothing else. */
export function readMetadata(args: Arguments): Metadata | undefined {
  const metadata = args.object('metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  const { event_type: type, event_payload: payload } = metadata;
  if (typeof type !== 'string' || type === '' || !isJson(payload)) {
    throw new Failure('invalid_metadata_format');
  }
  if (JSON.stringify(metadata).length > limits.metadata) throw new Failure('metadata_too_large');
  return { event_type: type, event_payload: payload };
}

function isEmpty(content: Content): boolean {
  return !content.text && !content.markdown && (content.blocks?.length ?? 0) === 0;
}

interface NewMessage {
  readonly user: string;
  readonly byApp: boolean;
  readonly content: Content;
  readonly threadTs?: string | undefined;
  readonly files?: string[];
  readonly attachments?: readonly Json[];
  /** Slack looks for previews once, when a message is posted. */
  readonly unfurl?: boolean;
}

/** Puts anybody’s message into a channel. */
export function put(world: World, channel: Channel, message: NewMessage): Message {
  const { content } = message;
  const text = (content.text ?? '').slice(0, limits.text.cut);
  const texts = content.blocks?.length ? parsedTexts(content.blocks) : [content.markdown ?? text];
  const { pings, links } = ringsAndLinks(texts);
  const put: Message = {
    ts: world.ts(),
    channel: channel.id,
    user: message.user,
    byApp: message.byApp,
    threadTs: message.threadTs,
    text,
    markdown: content.markdown,
    blocks: content.blocks ?? [],
    metadata: content.metadata,
    files: message.files ?? [],
    attachments: [...(message.attachments ?? [])],
    stream: undefined,
    edited: false,
    tombstone: false,
    pings: [...pings, ...(message.byApp ? plainRingsOf(world, content, text) : [])],
    unfurled: message.unfurl === false ? [] : links,
    revisions: [],
  };
  channel.messages.set(put.ts, put);
  note(world, put);
  if (message.byApp && message.threadTs !== undefined) endStatus(world, channel.id, message.threadTs, 'post');
  return put;
}

function plainRingsOf(world: World, { blocks, markdown }: Content, text: string): string[] {
  return plainRings(world.readings, blocks ?? [], [text, markdown ?? '']);
}

/** Ends what an assistant's thread says it is doing. */
export function endStatus(
  world: World,
  channel: string,
  threadTs: string,
  by: 'cleared' | 'replaced' | 'post' | 'timeout',
): void {
  for (const status of world.statuses) {
    if (status.endedBy || status.channel !== channel || status.threadTs !== threadTs) continue;
    status.until = world.clock.now();
    status.endedBy = by;
  }
}

function note(world: World, message: Message): void {
  message.revisions.push({ at: world.clock.now(), text: shown(message) });
}

/** What a reader sees of a message. */
export function shown(
  message: Pick<Message, 'blocks' | 'text'> & Partial<Pick<Message, 'markdown'>>,
): string {
  if (message.blocks.length > 0) {
    const below = blocksAsText(message.blocks);
    return message.markdown ? `${message.markdown}\n${below}` : below;
  }
  return message.markdown ?? message.text;
}

/** The files that a message's blocks show. */
export function blockFiles(blocks: readonly Json[]): string[] {
  return blocks.flatMap(({ slack_file: file }) => (isJson(file) ? [String(file.id)] : []));
}

/** Lets a channel's people see the files of blocks. */
function show(
  world: World,
  channel: Channel,
  blocks: readonly Json[],
  reading: keyof World['readings'],
): void {
  if (world.readings[reading] === 'refused') return;
  for (const { files } of world.workspaces.values())
    for (const id of blockFiles(blocks)) files.get(id)?.seenIn.add(channel.id);
}

/** Refuses images of blocks that do not lie in Slack, are no images, or were not read yet. */
function checkSlackFiles(world: World, caller: Caller, blocks: readonly Json[] = []): void {
  for (const block of blocks) {
    if (block.type !== 'image' || !isJson(block.slack_file)) continue;
    const id = String(block.slack_file.id);
    const file = world
      .reach(caller.installation)
      .map((workspace) => workspace.files.get(id))
      .find(Boolean);
    if (file && file.shares.length === 0) needReading(world.readings, 'slackFileImage');
    const ready = file?.completed && file.readAt !== undefined && file.readAt <= world.clock.now();
    if (!ready || !file.mimetype.startsWith('image/')) invalid('invalid slack file');
  }
}

/** Refuses what a channel's settings forbid: any post of the bot's, threads, or anything outside of them. */
export function checkSettings({ threads, readOnly }: Channel, threadTs: string | undefined): void {
  if (readOnly) throw new Failure('restricted_action_read_only_channel');
  if (threads === 'forbidden' && threadTs !== undefined) {
    throw new Failure('restricted_action_non_threadable_channel');
  }
  if (threads === 'only' && threadTs === undefined)
    throw new Failure('restricted_action_thread_only_channel');
}

/** `chat.postMessage` */
export function postMessage(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.writable(caller, args.required('channel'));
  const content = readContent(args, world);
  if (isEmpty(content)) throw new Failure('no_text');
  if (content.blocks?.some(({ type }) => type === 'markdown')) needReading(world.readings, 'markdownBlock');
  checkSlackFiles(world, caller, content.blocks);
  const threadTs = world.threadFor(channel, args.text('thread_ts'), 'cannot_reply_to_message');
  checkSettings(channel, threadTs);
  const unfurl = !(args.text('unfurl_links') === 'false' && args.text('unfurl_media') === 'false');
  const message = put(world, channel, { user: workspace.botUser, byApp: true, content, threadTs, unfurl });
  show(world, channel, message.blocks, 'slackFileSeenByAll');
  const { thread_ts: thread, ...told } = asJson(world, workspace, message, true);
  const isThreadTold = thread !== undefined && world.readings.threadInResponse === 'works';
  return {
    channel: channel.id,
    ts: message.ts,
    message: isThreadTold ? { ...told, thread_ts: thread } : told,
  };
}

/** A message of the app's own, for a method that changes it. */
export function ownMessage(world: World, caller: Caller, args: Arguments, code: string) {
  const channelId = args.required('channel');
  const ts = args.required('ts');
  const found = world.find(caller, channelId);
  const known = found?.channel.messages.get(ts);
  if (!found || (found.channel.kind !== 'channel' && !found.channel.members.has(found.workspace.botUser))) {
    throw new Failure('channel_not_found');
  }
  if (!known || known.tombstone) throw new Failure('message_not_found');
  if (!known.byApp) throw new Failure(code);
  return { ...found, message: known };
}

/** `chat.update`: text without blocks takes the blocks away. */
export function updateMessage(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel, message } = ownMessage(world, caller, args, 'cant_update_message');
  if (channel.archived) throw new Failure('is_inactive');
  if (!channel.members.has(workspace.botUser)) needReading(world.readings, 'updateWhereAbsent');
  const age = world.clock.now() - Number(message.ts) * 1_000;
  if (age > workspace.editWindowMs) throw new Failure('edit_window_closed');
  if (message.stream?.state === 'streaming') throw new Failure('streaming_state_conflict');
  if (message.stream) needReading(world.readings, 'editAfterStop');
  const content = readContent(args, world);
  if (isEmpty(content)) throw new Failure('no_text');
  if (content.blocks?.some(({ type }) => type === 'markdown')) needReading(world.readings, 'markdownBlock');
  if ((content.text?.length ?? 0) > limits.text.update) throw new Failure('msg_too_long');
  checkSlackFiles(world, caller, content.blocks);
  message.text = content.text ?? '';
  message.markdown = content.markdown;
  message.blocks = content.blocks ?? [];
  show(world, channel, message.blocks, 'slackFileSeenAfterEdit');
  if (content.metadata) message.metadata = content.metadata;
  message.edited = true;
  const texts = message.blocks.length ? parsedTexts(message.blocks) : [message.markdown ?? message.text];
  message.pings.push(...ringsAndLinks(texts).pings, ...plainRingsOf(world, content, message.text));
  note(world, message);
  return { channel: channel.id, ts: message.ts, text: message.text };
}

/**
 * Deletes a message: a root with replies leaves a tombstone (matterbridge#600, slack-edge#10), which can't be deleted
 * and whose permalink may still be known (vscode-github-triage-actions#78, hackclub/toriel#238). Returns whether it does.
 */
export function bury(world: World, channel: Channel, message: Message): boolean {
  if (world.replies(channel, message.ts).every((reply) => reply === message))
    return !channel.messages.delete(message.ts);
  Object.assign(message, { text: 'This message was deleted.', markdown: undefined, blocks: [], files: [] });
  message.tombstone = true;
  return true;
}

/** `chat.delete` */
export function deleteMessage(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel, message } = ownMessage(world, caller, args, 'cant_delete_message');
  if (!channel.members.has(workspace.botUser)) needReading(world.readings, 'deleteWhereAbsent');
  if (channel.archived) needReading(world.readings, 'deleteWhereArchived');
  if (message.stream?.state === 'streaming') throw new Failure('cant_delete_message');
  const before = asJson(world, workspace, message, false);
  const isGone = !bury(world, channel, message);
  // An app hears of what it deletes itself, too (bolt-python#724).
  if (channel.members.has(workspace.botUser))
    world.tell(workspace, messageChangeEvent(world, workspace, message, before, isGone));
  return { channel: channel.id, ts: message.ts };
}

/** `chat.getPermalink` */
export function permalink(world: World, caller: Caller, args: Arguments): Json {
  const found = world.find(caller, args.required('channel'));
  if (!found?.channel.members.has(found.workspace.botUser)) throw new Failure('channel_not_found');
  const { workspace, channel } = found;
  const ts = args.required('message_ts');
  const message = channel.messages.get(ts);
  if (!message) throw new Failure('message_not_found');
  const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
  const address = `https://${workspace.name}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}${thread}`;
  return { channel: channel.id, permalink: address };
}

/** `chat.postEphemeral` */
export function postEphemeral(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.writable(caller, args.required('channel'));
  if (channel.readOnly) throw new Failure('restricted_action_read_only_channel');
  const user = args.required('user');
  if (!channel.members.has(user)) throw new Failure('user_not_in_channel');
  const content = readContent(args, world);
  if (isEmpty(content)) throw new Failure('no_text');
  if (content.blocks?.some(({ type }) => type === 'markdown')) needReading(world.readings, 'markdownBlock');
  if ((content.text?.length ?? 0) > limits.text.cut) throw new Failure('msg_too_long');
  const threadTs = args.text('thread_ts');
  if (threadTs !== undefined) world.root(channel, threadTs, 'cannot_reply_to_message');
  const ts = world.ts();
  // Slack answers as if it had been shown.
  if (threadTs !== undefined && !isActive(world, channel, threadTs)) return { message_ts: ts };
  workspace.ephemerals.push({
    channel: channel.id,
    user,
    threadTs,
    ts,
    text: content.text ?? content.markdown ?? '',
    blocks: content.blocks ?? [],
    via: 'chat.postEphemeral',
  });
  return { message_ts: ts };
}

/** Whether what one person alone is to see shows up in a thread: where somebody has replied. */
function isActive(world: World, channel: Channel, threadTs: string): boolean {
  return world.replies(channel, threadTs).some(({ ts }) => ts !== threadTs);
}

/** Slack may take Markdown apart into blocks of its own, and has parsed plain names. */
function givenBack({ readings }: World, given: Json): Json {
  const block = readings.plainNamesParsed === 'works' ? (withNames(given) as Json) : given;
  if (block.type === 'image') return withImageFacts(block);
  if (block.type !== 'markdown' || readings.markdownGivenBack === 'works') return block;
  const elements = [{ type: 'text', text: String(block.text).replace(/[*_`#]/g, '') }];
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** What Slack adds to an image (bolt-js#1841). */
function withImageFacts(block: Json): Json {
  const { slack_file: file } = block;
  const url = isJson(file) && { slack_file: { ...file, url: `https://files.slack.com/${String(file.id)}` } };
  const size = { image_width: 512, image_height: 512, image_bytes: 61_275 };
  return { ...block, ...url, ...size, is_animated: false, fallback: '512x512px image' };
}

function withNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNames);
  if (!isJson(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNames(one)]));
  return isLooselyParsed(value) ? { ...inner, text: withPlainPings(String(value.text)) } : inner;
}

const streamingStates = {
  ...{ streaming: 'in_progress', stopped: 'completed', dead: 'errored' },
  'stopped by a person': 'completed',
} as const;

/** A message as methods and events show it. */
export function asJson(world: World, workspace: Workspace, message: Message, metadata: boolean): Json {
  const channel = workspace.channels.get(message.channel);
  const replies = channel ? world.replies(channel, message.ts).filter((reply) => reply !== message) : [];
  return {
    type: 'message',
    ...(message.tombstone ? { subtype: 'tombstone' } : {}),
    user: message.user,
    ...(message.byApp ? { bot_id: workspace.botId, app_id: world.appId } : otherBot(workspace, message)),
    // In Slack Connect, the writer's own workspace.
    team: message.byApp ? workspace.id : (workspace.users.get(message.user)?.teamId ?? workspace.id),
    ts: message.ts,
    text: message.markdown ?? message.text,
    ...(message.blocks.length > 0 ? { blocks: message.blocks.map((block) => givenBack(world, block)) } : {}),
    ...(message.threadTs !== undefined ? { thread_ts: message.threadTs } : {}),
    ...(replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length } : {}),
    ...(message.stream ? { streaming_state: streamingStates[message.stream.state] } : {}),
    ...(message.edited ? { edited: { user: message.user, ts: message.ts } } : {}),
    ...(metadata && message.metadata ? { metadata: message.metadata } : {}),
    ...(message.files.length > 0
      ? { files: message.files.map((id) => shownFile(world, workspace, id)) }
      : {}),
    ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
  };
}

/**
 * A file in a message: in Slack Connect only its id, to be asked about (`file_access`). A deleted one leaves `mode:
 * tombstone`, unless the message was nothing else (slack-cleaner#56, wee-slack#641, localslackirc#87).
 */
function shownFile(world: World, workspace: Workspace, id: string): Json {
  const file = workspace.files.get(id);
  if (!file) return { id, mode: 'tombstone' };
  if (world.readings.filesInMessages === 'refused') return { id, file_access: 'check_file_info' };
  return fileJson(workspace, file, world.origin);
}

function otherBot({ users }: Workspace, { user }: Message): Json {
  const author = users.get(user);
  return author?.bot ? { bot_id: `B${user.slice(1)}`, bot_profile: { name: author.realName } } : {};
}
