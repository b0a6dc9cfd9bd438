import { extname } from 'node:path';
import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import type { Channel, Json, SlackFile, Workspace } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { checkSettings, put } from './messages.ts';

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.mp4': 'video/mp4',
  '.txt': 'text/plain',
  '.md': 'text/plain',
  '.csv': 'text/csv',
};

/** What goes wrong with a share: it never comes, or so many milliseconds later; or its message comes, and `files.info` doesn’t tell. */
export type ShareFault = 'never' | 'untold' | { readonly late: number };

/** Addresses that were given out for uploading. */
export class Uploads {
  readonly #tickets = new Map<string, { readonly file: SlackFile; readonly workspace: Workspace }>();
  readonly #world: World;
  /** Faults of the next shares, one each. */
  readonly shareFaults: ShareFault[] = [];
  #origin = '';

  constructor(world: World) {
    this.#world = world;
  }

  set origin(origin: string) {
    this.#origin = origin;
  }

  /** `files.getUploadURLExternal` */
  open(caller: Caller, args: Arguments): Json {
    const name = args.required('filename');
    const size = args.whole('length') ?? 0;
    if (args.values.alt_text !== undefined) {
      throw new Failure('invalid_arguments', {
        response_metadata: { messages: ['[ERROR] alt_text is unknown: the argument is alt_txt'] },
      });
    }
    const altText = args.text('alt_txt');
    if (size <= 0) throw new Failure('missing_argument');
    if ((altText?.length ?? 0) > limits.files.altText) throw new Failure('alt_txt_too_large');
    const [workspace] = this.#world.reach(caller.installation);
    if (!workspace) throw new Failure('access_denied');
    checkAllowed(workspace, size);
    if (this.#world.readings.fileKindToldEarly === 'works') checkKind(this.#world, workspace, name);
    const file = addFile(this.#world, workspace, { name, user: workspace.botUser, length: size, altText });
    // An address that is never used leaves no file behind.
    workspace.files.delete(file.id);
    const ticket = this.#world.secret('');
    this.#tickets.set(ticket, { file, workspace });
    return { upload_url: `${this.#origin}/upload/v1/${ticket}`, file_id: file.id };
  }

  /** Receives the bytes, raw or as a form’s only file; returns Slack’s status. */
  receive(ticket: string, body: Uint8Array): number {
    const known = this.#tickets.get(ticket);
    if (!known) return 404;
    const { file, workspace } = known;
    if (file.bytes) return 409;
    if (body.byteLength !== file.length) return 400;
    file.bytes = body;
    workspace.files.set(file.id, file);
    return 200;
  }

  /** `files.completeUploadExternal`: shared a while later, and no time stamp in the answer. */
  complete(caller: Caller, args: Arguments): Json {
    const world = this.#world;
    const entries = args.list('files', 'invalid_arguments') ?? [];
    if (entries.length === 0 || entries.length > 10) throw new Failure('invalid_arguments');
    const files = entries.map((entry) => {
      const { file, workspace } = world.file(caller, String(entry.id));
      if (!file.bytes || file.completed) throw new Failure('file_not_found');
      checkKind(world, workspace, file.name);
      return { file, workspace, title: typeof entry.title === 'string' ? entry.title : file.name };
    });
    const channelId = args.text('channel_id');
    if (channelId !== undefined && !/^[CGD]/.test(channelId)) throw new Failure('invalid_channel');
    const place = channelId === undefined ? undefined : sharePlace(world, caller, channelId);
    const threadTs = place && world.threadFor(place.channel, args.text('thread_ts'), 'invalid_thread_ts');
    if (place) checkSettings(place.channel, threadTs);
    const readAt = world.clock.now() + limits.files.shareDelayMs;
    for (const { file, workspace, title } of files) {
      Object.assign(file, { completed: true, title, readAt });
      // An organization's token names no workspace when it uploads: the file comes to where it is shared.
      if (place) moveFile(file, workspace, place.workspace);
    }
    const done = { files: files.map(({ file, title }) => ({ id: file.id, title })) };
    if (place) {
      const comment = args.text('initial_comment');
      const ids = files.map(({ file }) => file.id);
      const fault = this.shareFaults.shift();
      if (fault === 'never') return done;
      const late = typeof fault === 'object' ? fault.late : 0;
      const isTold = fault !== 'untold';
      world.clock.after(limits.files.shareDelayMs + late, () =>
        share(world, place.workspace, place.channel, { ids, threadTs, comment, isTold }),
      );
    }
    return done;
  }
}

function sharePlace(world: World, caller: Caller, channelId: string) {
  const found = world.find(caller, channelId);
  if (!found) throw new Failure('channel_not_found');
  if (!found.channel.members.has(found.workspace.botUser)) {
    throw new Failure(found.channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
  }
  if (found.channel.archived) throw new Failure('posting_to_channel_denied');
  return found;
}

function checkAllowed(workspace: Workspace, size: number): void {
  if (workspace.uploadsDisabled) throw new Failure('file_uploads_disabled');
  if (workspace.isStorageFull) throw new Failure('storage_limit_reached');
  if (size > workspace.maxFileBytes) throw new Failure('file_upload_size_restricted');
}

/** Both methods document these errors; which one returns them is uncertain. */
function checkKind({ readings }: World, workspace: Workspace, name: string): void {
  const ending = extname(name).toLowerCase();
  if (workspace.imagesOnly && !types[ending]?.startsWith('image/')) {
    throw new Failure('file_uploads_except_images_disabled');
  }
  const feature = `${ending.slice(1)}File` as keyof typeof readings;
  if (workspace.forbiddenEndings.has(ending) || readings[feature] === 'refused') {
    throw new Failure('file_type_not_allowed');
  }
}

/** A file of a person's or of the app's, not shared yet. */
export function addFile(
  world: World,
  workspace: Workspace,
  file: Pick<SlackFile, 'name' | 'user' | 'length' | 'altText' | 'externalUrl'> & { bytes?: Uint8Array },
): SlackFile {
  const added: SlackFile = {
    id: world.id('F'),
    teamId: workspace.id,
    title: file.name,
    mimetype:
      file.externalUrl === undefined
        ? (types[extname(file.name).toLowerCase()] ?? 'application/octet-stream')
        : 'application/vnd.slack-remote',
    bytes: undefined,
    completed: file.bytes !== undefined,
    readAt: file.bytes === undefined ? undefined : world.clock.now(),
    shares: [],
    seenIn: new Set(),
    ...file,
  };
  workspace.files.set(added.id, added);
  return added;
}

function share(
  world: World,
  workspace: Workspace,
  channel: Channel,
  what: { ids: string[]; threadTs: string | undefined; comment: string | undefined; isTold: boolean },
): void {
  // What was deleted meanwhile is not shared.
  if (!what.ids.some((id) => workspace.files.has(id))) return;
  const threadTs = world.threadFor(channel, what.threadTs, 'invalid_thread_ts');
  const message = put(world, channel, {
    user: workspace.botUser,
    byApp: true,
    content: { text: what.comment ?? '', markdown: undefined, blocks: undefined, metadata: undefined },
    threadTs,
    files: what.ids,
  });
  for (const id of what.ids) {
    const file = workspace.files.get(id);
    if (what.isTold) file?.shares.push({ channel: channel.id, ts: message.ts, threadTs });
    file?.seenIn.add(channel.id);
  }
}

function moveFile(file: SlackFile, from: Workspace, to: Workspace): void {
  if (from === to) return;
  from.files.delete(file.id);
  file.teamId = to.id;
  file.user = to.botUser;
  to.files.set(file.id, file);
}

/** `files.info` */
export function fileInfo(world: World, caller: Caller, args: Arguments, origin: string): Json {
  const { workspace, file } = world.file(caller, args.required('file'));
  if (!file.completed) throw new Failure('file_not_found');
  const isRead = file.readAt !== undefined && file.readAt <= world.clock.now();
  return {
    file: { ...fileJson(workspace, file, origin), ...(isRead ? {} : { mimetype: '', filetype: '' }) },
  };
}

/** `files.delete`: the app's own files only. A message stays with what's left of it, and says that the file is deleted. */
export function deleteFile(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, file } = world.file(caller, args.required('file'));
  if (file.user !== workspace.botUser) throw new Failure('cant_delete_file');
  workspace.files.delete(file.id);
  for (const { channel, ts } of file.shares) {
    const message = workspace.channels.get(channel)?.messages.get(ts);
    if (!message) continue;
    const isAllOfIt = message.text === '' && message.files.every((id) => !workspace.files.has(id));
    if (isAllOfIt) workspace.channels.get(channel)?.messages.delete(ts);
  }
  return {};
}

/** A file as methods, events and forms show it. */
export function fileJson(workspace: Workspace, file: SlackFile, origin: string): Json {
  const shares: Record<'public' | 'private', Record<string, Json[]>> = { public: {}, private: {} };
  for (const { channel, ts, threadTs } of file.shares) {
    const kind = workspace.channels.get(channel)?.kind === 'channel' ? 'public' : 'private';
    const list = shares[kind][channel] ?? [];
    list.push({ ts, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) });
    shares[kind][channel] = list;
  }
  return {
    id: file.id,
    name: file.name || null,
    title: file.title,
    mimetype: file.mimetype,
    filetype: extname(file.name).slice(1),
    size: file.length,
    user: file.user,
    user_team: workspace.id,
    mode: file.externalUrl === undefined ? 'hosted' : 'external',
    is_external: file.externalUrl !== undefined,
    permalink: `https://${workspace.name}.slack.com/files/${file.user}/${file.id}/${encodeURIComponent(file.name)}`,
    ...(file.externalUrl === undefined
      ? {
          url_private: `${origin}/files-pri/${workspace.id}-${file.id}/${encodeURIComponent(file.name)}`,
          url_private_download: `${origin}/files-pri/${workspace.id}-${file.id}/download/${encodeURIComponent(file.name)}`,
        }
      : { url_private: file.externalUrl }),
    ...(file.altText === undefined ? {} : { alt_txt: file.altText }),
    ...file.email,
    shares,
  };
}
