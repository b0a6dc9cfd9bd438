import { type APIMessage, InteractionType, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import {
  type Address,
  type Door,
  isPrivate,
  type Job,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  type PlatformAdapter,
  PlatformError,
  refusalOf,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { unlessCode } from '../api/api.ts';
import { throwExpiredIfUnconfirmed } from '../api/errors.ts';
import {
  channelIdOf,
  type InteractionToken,
  isDirectMessage,
  maxMessageLength,
  serializeToken,
  tokenOfAddress,
  tokensOf,
} from '../api/messages.ts';
import { inRequest, maxImageBytes, retryWithLowerLimits } from '../media/upload-limits.ts';
import {
  accessByToken,
  editRequest,
  isLoading,
  type MessageRequest,
  messageRequests,
  sendPlainerIfRefused,
  withToken,
} from './message-access.ts';
import { withWhose } from './message-header.ts';
import { fingerprint, messageFingerprint, partKey } from './posted-messages.ts';
import type { Poster } from './poster.ts';
import type { DiscordServices } from './services.ts';

/** What opens the doors. */
export interface DoorKeys {
  readonly services: DiscordServices;
  readonly poster: Poster;
  /** Turns a message into a result. */
  readonly complete: PlatformAdapter['complete'];
}

/**
 * The ways to a job's people. Where the bot isn't a member, there's only the interaction's token; elsewhere it's what's left
 * where the bot's own messages are refused.
 */
export function doorsOf(keys: DoorKeys, job: Job, announced: MessageAddress | undefined): readonly Door[] {
  const { address } = job;
  const [token] = tokensOf(job);
  const direct = directly(keys, job);
  if (isPrivate(job)) return token ? [byToken('aside', keys, job, token, announced), direct] : [direct];
  const place = tokenOfAddress(address) ? [] : [here(keys, job)];
  const left = token
    ? [byToken('token', keys, job, token, announced), byToken('aside', keys, job, token, undefined)]
    : [];
  return isDirectMessage(address) ? [...place, ...left] : [...place, ...left, direct];
}

/** What takes one message. */
async function foundUnder(
  { postedMessages }: DiscordServices,
  address: Address,
  key: string,
): Promise<MessageAddress | undefined> {
  const search = postedMessages.findStarted(channelIdOf(address), partKey(key, 0));
  const found = await undefinedIfRefused(search);
  return found && { ...address, message: found.id };
}

function here({ poster, services }: DoorKeys, { address }: Job): Door {
  return {
    name: 'here',
    seenBy: 'place',
    put: (message, key, onPosted) => poster.postAt(address, { message: withWhose(message), key, onPosted }),
    find: (key) => foundUnder(services, address, key),
    maxFileBytes: async (kind) => limitOf(kind, await poster.uploadLimit(address)),
  };
}

/** In the place of what announced it, or of the loading message, or as a further message of the interaction. */
function byToken(
  name: 'token' | 'aside',
  { services, poster, complete }: DoorKeys,
  job: Job,
  token: InteractionToken,
  announced: MessageAddress | undefined,
): Door {
  const { address, requester } = job;
  const platformData = serializeToken(token);
  const isOwn = tokenOfAddress(address) !== undefined;
  return {
    name,
    seenBy: name === 'token' ? 'place' : 'requester',
    put: async (message, key, onPosted) => {
      if (services.clock.now() >= token.until) throw new PlatformError('expired');
      // A token doesn't know the bot's own messages.
      if (announced && !isOwn)
        return complete({ ...announced, platformData }, message, key).catch(throwExpiredIfUnknown);
      const post = { message: withWhose(message), key, onPosted };
      if (name === 'aside' && !isPrivate(job))
        return poster.postAt({ ...address, platformData, onlyFor: requester.id }, post);
      if (isOwn && !isPrivate(job)) return poster.postAt(address, post);
      const answered = await answerInterrupted(services, poster, tokensOf(job), message);
      // What only its person sees, only their press reaches.
      return isPrivate(job) ? { ...address, message: '' } : answeredAt(address, answered);
    },
    maxFileBytes: async (kind) => limitOf(kind, inRequest(token.uploadLimit)),
  };
}

/** The message of an answer by a token, which comes where that's from: not in a thread that was opened for it since. */
function answeredAt(
  { thread, threadIsPublic, ...place }: Address,
  { token, id, channel }: AnsweredByToken,
): MessageAddress {
  const isThere = thread === channel;
  const at = isThere ? { ...place, thread, ...(threadIsPublic && { threadIsPublic }) } : place;
  return withToken({ ...at, message: id }, token, id);
}

function throwExpiredIfUnknown(error: unknown): never {
  throw refusalOf(error) === 'deleted' ? new PlatformError('expired', undefined, { cause: error }) : error;
}

function directly({ poster, services }: DoorKeys, job: Job): Door {
  const { id: user, locale } = job.requester;
  const person = { user, locale, hidden: isPrivate(job) };
  return {
    name: 'direct',
    seenBy: 'requester',
    put: (message, key, onPosted) =>
      poster.postDirectly(person, { message: withWhose(message), key, onPosted }),
    isBegun: (key) => poster.isStartedDirectly(user, key),
    find: async (key) => {
      const channel = await services.directMessages.known(user);
      if (channel === undefined) return undefined;
      return foundUnder(services, { platform: 'discord', workspace: channel, channel }, key);
    },
    maxFileBytes: async (kind) => limitOf(kind, await poster.directUploadLimit()),
  };
}

function limitOf(kind: OutgoingFile['kind'], uploadLimit: number): number {
  return kind === 'image' ? maxImageBytes : uploadLimit;
}

/** An answer by a token: the id of its last message, and its channel or thread. */
interface AnsweredByToken {
  readonly token: InteractionToken;
  readonly id: string;
  readonly channel: string;
}

/**
 * Answers an interaction whose process died, by its stored tokens, the first one that Discord knows: replaces the loading
 * message, or adds to the answer that replaced it already.
 * @throws {PlatformError} `expired` also if a part may be missing and can't be sent again: it comes in another way.
 */
export async function answerInterrupted(
  services: DiscordServices,
  poster: Poster,
  tokens: readonly InteractionToken[],
  notice: Message,
): Promise<AnsweredByToken> {
  const [token, ...others] = tokens;
  if (!token) throw new PlatformError('expired');
  const access = accessByToken(services, token);
  const original = await access.get('@original').catch((error: unknown) => {
    // The process may have died before it acknowledged the press.
    if (refusalOf(error) !== 'expired' || others.length === 0) throw error;
  });
  if (!original) return answerInterrupted(services, poster, others, notice);
  const id = await answerAt(services, poster, token, original, notice);
  return { token, id, channel: original.channel_id };
}

/** Answers by a token that knows a message. */
async function answerAt(
  services: DiscordServices,
  poster: Poster,
  token: InteractionToken,
  original: APIMessage,
  notice: Message,
): Promise<string> {
  const access = accessByToken(services, token);
  const { content } = original;
  const hasAnswer = !isLoading(original);
  const isTyped = original.interaction_metadata?.type === InteractionType.ApplicationCommand;
  // An answer that's there has that line already.
  const message = hasAnswer ? notice : withWhose(notice, isTyped ? 'command' : undefined);
  const text = [content, message.text].filter(Boolean).join('\n\n');
  const hasFiles = Boolean(message.files?.length);
  // An earlier try got this far; only its response was lost.
  if (hasAnswer && message.text && content.endsWith(message.text.trim()) && !hasFiles) return original.id;
  if (hasAnswer && !hasFiles && text.length <= maxMessageLength) {
    const edit = (form: MessageRequest) => access.edit('@original', form);
    const edited = sendPlainerIfRefused(editRequest({ ...message, text }), edit);
    // An archived thread takes no edits, and new messages.
    if (await unlessCode(edited, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) return original.id;
  }
  const hidden = ((original.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const playable = await services.voiceMessages.withPlayableFile(message);
  return retryWithLowerLimits(token.uploadLimit, async (limit) => {
    const [first, ...more] = await messageRequests(playable, limit, services.media);
    if (!hasAnswer) await sendPlainerIfRefused(first, (form) => access.edit('@original', form));
    const isFirstThere = !hasAnswer || messageFingerprint(original) === fingerprint(first.body, first.files);
    let last = original.id;
    for (const request of isFirstThere ? more : [first, ...more]) {
      // One interaction may get several such messages: the interruption, and the result.
      const key = `settle ${fingerprint(request.body, request.files)}`;
      last = await poster.followUp({ ...token, hidden }, request, key).catch(throwExpiredIfUnconfirmed);
    }
    return last;
  });
}
