import {
  type Address,
  deleteButtons,
  directKey,
  type Door,
  isPrivate,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
  textFile,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import type { RenderOptions } from '../markup/blocks.ts';
import { renderSections, sectionPieces } from '../markup/sections.ts';
import { slackWords } from '../words.ts';
import { messageAt, slackAddress } from './address.ts';
import type { MessageWriter } from './message-writer.ts';
import type { PostedMessages } from './posted-messages.ts';
import type { ResponseUrls } from './response-urls.ts';

/** The adapter, as far as doors need it. */
interface Posting extends Pick<PlatformAdapter, 'directMessages' | 'maxFileBytes'> {
  above(message: Message): Pick<RenderOptions, 'header'>;
  /** Whether somebody took the bot out of a channel after something was asked for there (`since`). */
  isTakenOut(address: Address, since: number): Promise<boolean>;
  knownDirectMessages(workspace: string, person: string): Promise<Address | undefined>;
  hasBegunDirectly(workspace: string, person: string, key: string): Promise<boolean>;
}

/** What opens the doors. */
export interface DoorKeys {
  readonly adapter: Posting;
  readonly writer: MessageWriter;
  readonly responseUrls: ResponseUrls;
  readonly postedMessages: Pick<PostedMessages, 'foundUnder'>;
  /** The bot’s name as people type it to invite it. */
  readonly botName: (workspace: string) => Promise<string>;
}

/** The ways to a job's people: the channel, the `response_url` with the uses that are left, direct messages. */
export function doorsOf(keys: DoorKeys, job: Job): readonly Door[] {
  const { address, acknowledgement } = job;
  const url = acknowledgement?.responseUrl;
  const direct = directly(keys, job);
  if (isPrivate(job)) return url === undefined ? [direct] : [byResponseUrl('aside', keys, job, url), direct];
  const left =
    url === undefined ? [] : [byResponseUrl('token', keys, job, url), byResponseUrl('aside', keys, job, url)];
  return [here(keys, address), ...left, direct];
}

async function foundUnder(
  { postedMessages }: DoorKeys,
  address: Address,
  key: string,
): Promise<MessageAddress | undefined> {
  const found = await undefinedIfRefused(postedMessages.foundUnder(address, key));
  return found && messageAt(address, found.ts);
}

function here(keys: DoorKeys, address: Address): Door {
  const { adapter, writer } = keys;
  return {
    name: 'here',
    seenBy: 'place',
    put: async (message, key, onPosted) => {
      await writer.expectHiding(address, message);
      return writer.post(address, message, key, adapter.above(message), onPosted);
    },
    find: (key) => foundUnder(keys, address, key),
    maxFileBytes: (kind) => adapter.maxFileBytes(address, kind),
  };
}

/**
 * For everybody in the channel, or only for the requester. It takes no files. Who takes the bot out of a channel wants
 * nothing more of it there, though Slack would take it.
 */
function byResponseUrl(name: 'token' | 'aside', keys: DoorKeys, job: Job, url: string): Door {
  const { adapter, responseUrls } = keys;
  const { address, createdAt } = job;
  const { workspace, channel } = address;
  const seenBy = name === 'token' ? 'place' : 'requester';
  return {
    name,
    seenBy,
    put: async (message, key) => {
      if (message.files?.length) throw new PlatformError('file-not-allowed', 'response_url');
      const at = { ...slackAddress(workspace, channel, undefined, { responseUrl: url }), message: '' };
      if (seenBy === 'place' && (await responseUrls.isSaid(url, key))) return at;
      if (seenBy === 'place' && (await adapter.isTakenOut(address, createdAt)))
        throw new PlatformError('not-a-member', 'response_url');
      const options = adapter.above(message);
      const room = await responseUrls.usesLeft(url);
      const isTooLong = room > 0 && renderSections(message, options).length > room;
      if (seenBy === 'requester') await responseUrls.say(url, message, 'requester', options);
      else if (isTooLong) await sayBeginning(keys, job, { url, key, room }, message);
      else await responseUrls.say(url, message, 'channel', { ...options, key });
      return at;
    },
    maxFileBytes: (kind) => adapter.maxFileBytes(address, kind),
  };
}

/** As much as the uses that are left take. The whole is a file in direct messages, where those are open. */
async function sayBeginning(
  keys: DoorKeys,
  job: Job,
  { url, key, room }: { readonly url: string; readonly key: string; readonly room: number },
  { text = '', directly: whole = text, buttons = [], ...message }: Message,
): Promise<void> {
  const { address, requester, eventId, id } = job;
  const { restDirect, partsLeftOut } = slackWords(requester.locale);
  const why = words(requester.locale).sentDirectly('not-a-member');
  const wholeKey = eventId === undefined ? `${id}:direct` : directKey(eventId);
  const filed = { ...message, text: why, files: [textFile(whole)], buttons };
  const say = await directly(keys, job)
    .put(filed, wholeKey)
    .then(
      () => restDirect,
      () => partsLeftOut,
    );
  const pieces = sectionPieces(text).slice(0, room);
  const last = pieces.pop() ?? '';
  const note = say(await keys.botName(address.workspace));
  const parts = [
    ...pieces.map((piece) => ({ text: piece, buttons: deleteButtons(buttons) })),
    { text: `${last}\n\n${note}`, buttons },
  ];
  await keys.responseUrls.say(url, parts, 'channel', { ...keys.adapter.above(message), key });
}

function directly(keys: DoorKeys, job: Job): Door {
  const { adapter, writer } = keys;
  const { address, requester } = job;
  const { workspace } = address;
  return {
    name: 'direct',
    seenBy: 'requester',
    put: async (message, key, onPosted) => {
      const direct = await adapter.directMessages(workspace, requester.id);
      const isElsewhere = direct.channel !== address.channel;
      const note = isElsewhere && isPrivate(job) ? slackWords(requester.locale).fromHidden : '';
      const text = [note, message.text].filter(Boolean).join('\n\n');
      const said = { ...message, ...(text !== '' && { text }) };
      return writer.post(direct, said, key, adapter.above(said), onPosted);
    },
    isBegun: (key) => adapter.hasBegunDirectly(workspace, requester.id, key),
    find: async (key) => {
      const direct = await adapter.knownDirectMessages(workspace, requester.id);
      return direct && foundUnder(keys, direct, key);
    },
    maxFileBytes: (kind) => adapter.maxFileBytes(address, kind),
  };
}
