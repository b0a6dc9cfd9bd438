import {
  type Address,
  type Door,
  isPrivate,
  type Job,
  type Message,
  type MessageAddress,
  type OnPosted,
  PlatformError,
} from '../../../port/index.ts';
import type { RenderOptions } from '../markup/blocks.ts';
import { slackWords } from '../words.ts';
import { slackAddress } from './address.ts';
import type { ResponseUrls } from './response-urls.ts';

/** What opens the doors. */
export interface DoorKeys {
  readonly responseUrls: ResponseUrls;
  /** Posts at an address and nowhere else. */
  readonly post: (
    address: Address,
    message: Message,
    key: string,
    onPosted: OnPosted | undefined,
  ) => Promise<MessageAddress>;
  /** Throws where files that should stay hidden would be seen. */
  readonly expectHiding: (address: Address, message: Message) => Promise<void>;
  readonly directMessages: (workspace: string, person: string) => Promise<Address>;
  readonly hasBegunDirectly: (workspace: string, person: string, key: string) => Promise<boolean>;
  readonly above: (message: Message) => Pick<RenderOptions, 'header'>;
  /** Whether somebody took the bot out of a channel after something was asked for there (`since`). */
  readonly isTakenOut: (address: Address, since: number) => Promise<boolean>;
  readonly maxFileBytes: () => Promise<number>;
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

function here({ post, expectHiding, maxFileBytes }: DoorKeys, address: Address): Door {
  return {
    name: 'here',
    seenBy: 'place',
    put: async (message, key, onPosted) => {
      await expectHiding(address, message);
      return post(address, message, key, onPosted);
    },
    maxFileBytes,
  };
}

/**
 * For everybody in the channel, or for the requester alone. It takes no files. Who takes the bot out of a channel wants
 * nothing more of it there, though Slack would take it.
 */
function byResponseUrl(
  name: 'token' | 'aside',
  { responseUrls, above, isTakenOut, maxFileBytes }: DoorKeys,
  { address, createdAt }: Job,
  url: string,
): Door {
  const { workspace, channel } = address;
  const seenBy = name === 'token' ? 'place' : 'requester';
  return {
    name,
    seenBy,
    put: async (message) => {
      if (message.files?.length) throw new PlatformError('file-not-allowed', 'response_url');
      if (seenBy === 'place' && (await isTakenOut(address, createdAt)))
        throw new PlatformError('not-a-member', 'response_url');
      await responseUrls.say(url, message, seenBy === 'place' ? 'channel' : 'requester', above(message));
      return { ...slackAddress(workspace, channel, undefined, { responseUrl: url }), message: '' };
    },
    maxFileBytes,
  };
}

function directly({ post, directMessages, hasBegunDirectly, maxFileBytes }: DoorKeys, job: Job): Door {
  const { address, requester } = job;
  return {
    name: 'direct',
    seenBy: 'requester',
    put: async (message, key, onPosted) => {
      const direct = await directMessages(address.workspace, requester.id);
      const isElsewhere = direct.channel !== address.channel;
      const note = isElsewhere && isPrivate(job) ? slackWords(requester.locale).fromHidden : '';
      const text = [note, message.text].filter(Boolean).join('\n\n');
      return post(direct, { ...message, ...(text !== '' && { text }) }, key, onPosted);
    },
    isBegun: (key) => hasBegunDirectly(address.workspace, requester.id, key),
    maxFileBytes,
  };
}
