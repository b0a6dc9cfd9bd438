import {
  type Door,
  isPrivate,
  type Job,
  type MessageAddress,
  type OutgoingFile,
  type PlatformAdapter,
  PlatformError,
  refusalOf,
} from '../../../port/index.ts';
import {
  type InteractionToken,
  isDirectMessage,
  serializeToken,
  tokenOfAddress,
  tokensOf,
} from '../api/address.ts';
import { maxImageBytes, maxRequestBytes } from '../media/uploads.ts';
import { answerInterrupted } from './answer-interrupted.ts';
import { withWhose } from './message-header.ts';
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

function here({ poster }: DoorKeys, { address }: Job): Door {
  return {
    name: 'here',
    seenBy: 'place',
    put: (message, key, onPosted) => poster.postAt(address, withWhose(message), key, onPosted),
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
      if (name === 'aside' && !isPrivate(job))
        return poster.postAt(
          { ...address, platformData, onlyFor: requester.id },
          withWhose(message),
          key,
          onPosted,
        );
      if (isOwn && !isPrivate(job)) return poster.postAt(address, withWhose(message), key, onPosted);
      await answerInterrupted(services, poster, tokensOf(job), message);
      return { ...address, message: '' };
    },
    maxFileBytes: async (kind) => limitOf(kind, Math.min(token.uploadLimit, maxRequestBytes)),
  };
}

function throwExpiredIfUnknown(error: unknown): never {
  throw refusalOf(error) === 'deleted' ? new PlatformError('expired', undefined, { cause: error }) : error;
}

function directly({ poster }: DoorKeys, job: Job): Door {
  const { id: user, locale } = job.requester;
  const person = { user, locale, hidden: isPrivate(job) };
  return {
    name: 'direct',
    seenBy: 'requester',
    put: (message, key, onPosted) => poster.postDirectly(person, withWhose(message), key, onPosted),
    isBegun: (key) => poster.isStartedDirectly(user, key),
    maxFileBytes: async (kind) => limitOf(kind, await poster.directUploadLimit()),
  };
}

function limitOf(kind: OutgoingFile['kind'], uploadLimit: number): number {
  return kind === 'image' ? maxImageBytes : uploadLimit;
}
