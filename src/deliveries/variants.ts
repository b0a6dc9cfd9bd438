import {
  addressLost,
  answerKey,
  type CommandEnd,
  directKey,
  fileOf,
  hasBegunDirectly,
  isPrivate,
  type Job,
  type LateNotice,
  type Message,
  type MessageAddress,
  messageRefused,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PostVariant,
  postDirectly,
} from '../port/index.ts';
import { markdownAfter, sharedLength } from '../reply/index.ts';
import { messagesOf } from './continuation.ts';
import { byFormat, type ConvertSound, Formats, type TooLargeAs } from './other-formats.ts';

/** Texts of a late delivery, from `src/words`. */
export interface DeliveryWords {
  readonly postedBelow: string;
  /** `postedDirectly` appears in the channel, `sentDirectly` above the direct message. */
  readonly postedDirectly: (why?: PlatformErrorKind) => string;
  readonly sentDirectly: (why?: PlatformErrorKind) => string;
  readonly answerAsFile: string;
  /** A result couldn't be posted for a while and is retried. */
  readonly notPostedYet: LateNotice;
  /** Nothing could be posted anywhere. */
  readonly postedNowhere: string;
  /** The file is too large in every format; sizes in bytes, the limit if known. */
  readonly tooLargeAnywhere: (size: number, limit: number | undefined) => string;
  /** Below a clip that was too large in its own format. */
  readonly tooLargeAs: TooLargeAs;
  /** Replaces an answer that the platform's moderation blocked. */
  readonly blockedHere: (sentDirectly: boolean) => string;
}

/** A message that still has to be delivered. */
export interface PendingDelivery {
  /** At most one file. */
  readonly message: Message;
  /** The messages that show the start of a live answer. */
  readonly shown?: readonly MessageAddress[];
  /** Text of the last of those. */
  readonly shownText?: string;
  /** It's private and could be sent nowhere: its requester can fetch it. */
  readonly isHeld?: true;
  /** How its command ended, apart from its delivery; done by default. */
  readonly end?: CommandEnd;
}

export interface LateDelivery {
  readonly job: Job;
  readonly pending: PendingDelivery;
  readonly say: DeliveryWords;
  readonly convert: ConvertSound;
  /** Undefined while the platform is not running. */
  readonly adapter: () => PlatformAdapter | undefined;
}

/** All ways to deliver a late answer, best first. */
export function variantsOf({ job, pending, say, convert, adapter }: LateDelivery): readonly PostVariant[] {
  const { message, shown = [] } = pending;
  const [file] = message.files ?? [];
  const running = () => {
    const found = adapter();
    if (!found) throw new PlatformError('unreachable', `${job.address.platform} is not running`);
    return found;
  };
  const formats = new Formats(message, convert, say.tooLargeAs);
  const inOthers = (name: string, post: (content: Message, key: string) => Promise<MessageAddress>) =>
    formats.others.map((format) => ({
      name: `${name}-${format}`,
      onlyAfter: byFormat,
      send: () => formats.sendAs(format, (content) => post(content, `${job.id}:${name}-${format}`)),
    }));
  // The answer may have added the file by an edit, which has no key to find it by.
  const unlessCarried = (send: () => Promise<MessageAddress>) => async () =>
    file && (await running().hasFilesOf?.(job, message)) ? { ...job.address, message: settledHere } : send();
  // The same key as the answer's own direct message, so that it is posted only once.
  const directly = job.eventId === undefined ? `${job.id}:direct` : directKey(job.eventId);
  const isBegun = async () => hasBegunDirectly(running(), job, directly);
  if (isPrivate(job)) {
    const away = (content: Message, key: string) => postDirectly(running(), job, content, key);
    const isShown = shown.at(-1)?.message;
    return [
      isShown
        ? { name: 'private-rest', send: () => continued(running(), job, pending, byBot) }
        : {
            name: 'private',
            send: unlessCarried(() => formats.send((content) => settled(running(), job, content))),
          },
      { name: 'private-away', send: () => formats.send((content) => away(content, directly)), isBegun },
      ...inOthers('private', away),
    ];
  }
  const here = (name: string, content: Message, notAfter = addressLost) => ({
    name,
    send: async () => running().post(job.address, content, `${job.id}:${name}`),
    notAfter,
  });
  const last: readonly PostVariant[] = [
    {
      name: 'late-token',
      send: () =>
        shown.length > 0 ? continued(running(), job, pending, byToken) : settled(running(), job, message),
      onlyAfter: placeShut,
    },
    {
      name: 'late-direct',
      send: async () => running().post(job.address, { ...message, mentions: [job.requester.id] }, directly),
      notAfter: [...moderated, 'too-large'],
    },
    {
      name: 'late-away',
      send: async (why) => postDirectly(running(), job, message, directly, say.sentDirectly(why)),
      onlyAfter: messageRefused,
      isBegun,
    },
  ];
  if (file)
    return [
      // The same key as the answer's first message, so that the file is posted only once.
      {
        name: 'late',
        send: unlessCarried(() =>
          formats.send(async (content) => running().post(job.address, content, firstKeyOf(job))),
        ),
      },
      ...inOthers('late', async (content, key) => running().post(job.address, content, key)),
      here('late-bare', { files: [file] }, [...addressLost, ...byFormat]),
      ...last,
    ];
  return [
    ...(shown.length > 0
      ? [{ name: 'late-rest', send: () => continued(running(), job, pending, byBot) }]
      : []),
    here('late', message, moderated),
    here('late-plain', { text: message.text ?? '' }, [...addressLost, ...moderated]),
    here('late-file', asFile(message, say), [...addressLost, ...moderated]),
    ...last,
  ];
}

function firstKeyOf({ id, eventId }: Job): string {
  return eventId === undefined ? `${id}:late` : answerKey(eventId, 0);
}

/** The bot can't post here, but the interaction token may still work for a few minutes. */
const placeShut: readonly PlatformErrorKind[] = ['no-permission', 'not-a-member'];

/** Content blocked by moderation isn't posted there in any other form. */
const moderated: readonly PlatformErrorKind[] = ['moderated'];

async function settled(adapter: PlatformAdapter, job: Job, message: Message): Promise<MessageAddress> {
  if (!job.acknowledgement || !adapter.answerInterrupted) throw new PlatformError('expired');
  await adapter.answerInterrupted(job.acknowledgement, message);
  return { ...job.address, message: settledHere };
}

/** Stands for a message id when the answer replaced the "still working" indicator. */
export const settledHere = '';

/** Posts a further message of an answer. */
type PostFurther = (
  adapter: PlatformAdapter,
  job: Job,
  last: MessageAddress,
  content: Message,
  key: string,
) => Promise<MessageAddress>;

const byBot: PostFurther = (adapter, _, { message: __, ...place }, content, key) =>
  adapter.post(place, content, key);
const byToken: PostFurther = (adapter, job, _, content) => settled(adapter, job, content);

/**
 * Continues below the messages already shown: completes the last one and posts the rest. If the last one can't be
 * edited, its missing part follows below, without repeating its start.
 */
async function continued(
  adapter: PlatformAdapter,
  job: Job,
  { message, shown = [], shownText = '' }: PendingDelivery,
  postFurther: PostFurther,
): Promise<MessageAddress> {
  const { text = '', buttons } = message;
  const from = shown.length - 1;
  let last = shown[from] as MessageAddress;
  const pieces = await messagesOf(adapter, text, last);
  for (const [index, piece] of pieces.entries()) {
    if (index < from) continue;
    const content = { text: piece, ...(index === pieces.length - 1 && buttons && { buttons }) };
    if (index === from) {
      const fate = await edited(adapter, last, content);
      if (fate === 'edited') continue;
      if (fate === 'refused') content.text = markdownAfter(piece, sharedLength(shownText, piece));
      if (content.text === '') continue;
    }
    last = await postFurther(adapter, job, last, content, `${job.id}:late-rest:${index}`);
  }
  return last;
}

/** Result of an edit: some messages can't be changed any more, and some are deleted. */
async function edited(
  adapter: PlatformAdapter,
  message: MessageAddress,
  content: Message,
): Promise<'edited' | 'refused' | 'gone'> {
  try {
    await adapter.edit(message, content);
    return 'edited';
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    return error.kind;
  }
}

function asFile({ text = '' }: Message, say: DeliveryWords): Message {
  const about = {
    name: 'answer.md',
    contentType: 'text/markdown; charset=utf-8',
    kind: 'file',
    description: say.answerAsFile,
  } as const;
  return { files: [fileOf(Buffer.from(text), about)] };
}
