import {
  answerKey,
  type Door,
  directKey,
  type FormName,
  fileOf,
  isPrivate,
  type Job,
  type MakeForm,
  type Message,
  type MessageAddress,
  type Outgoing,
  type PlatformAdapter,
  PlatformError,
  type Rung,
  refusalOf,
} from '../port/index.ts';
import { markdownAfter, sharedLength } from '../reply/index.ts';
import { messagesOf } from './continuation.ts';
import { type ConvertSound, clipForms } from './other-formats.ts';
import type { DeliveryWords, PendingDelivery } from './pending-delivery.ts';

export interface LateDelivery {
  readonly job: Job;
  readonly pending: PendingDelivery;
  readonly say: DeliveryWords;
  readonly convert: ConvertSound;
  /** What of the job was deleted by now: its question or its answer; nothing if left out. */
  readonly deleted?: () => Promise<Job['deleted']>;
  /** Undefined while the platform is not running. */
  readonly adapter: () => PlatformAdapter | undefined;
}

/** A late answer or clip in all its forms, and the ways to its people. */
export function outgoingOf(delivery: LateDelivery): Outgoing {
  const { job, pending, say } = delivery;
  const isFile = Boolean(pending.message.files?.length);
  return {
    audience: isPrivate(job) ? 'requester' : 'place',
    isPaid: true,
    ...(pending.isDeleted && { tried: [{ door: 'here', form: 'whole', refusal: 'deleted' }] }),
    doors: () => doorsOf(delivery).map((door) => unlessDeleted(delivery, door)),
    forms: isFile ? fileForms(delivery) : textForms(delivery),
    key: (rung) => keyOf(job, rung, isFile),
    ...(!isPrivate(job) && { sentDirectly: say.sentDirectly }),
  };
}

function textForms({ pending: { message }, say }: LateDelivery): Outgoing['forms'] {
  return new Map<FormName, MakeForm>([
    ['whole', () => message],
    ['plain', () => ({ text: message.text ?? '' })],
    ['file', () => asFile(message, say)],
  ]);
}

function fileForms({ pending: { message }, say, convert }: LateDelivery): Outgoing['forms'] {
  const { files = [] } = message;
  return new Map<FormName, MakeForm>([
    ...clipForms(message, convert, say.tooLargeAs),
    ['bare', () => ({ files })],
  ]);
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

/** The same as the answer's own, so that what it posted itself is found. */
function keyOf({ id, eventId }: Job, { door, form }: Rung, isFile: boolean): string {
  const isAlone = door === 'direct' || door === 'aside';
  if (form !== 'whole') return `${id}:${isAlone ? 'private' : 'late'}-${form}`;
  if (isAlone) return eventId === undefined ? `${id}:direct` : directKey(eventId);
  return isFile && eventId !== undefined ? answerKey(eventId, 0) : `${id}:late`;
}

function doorsOf({ job, pending, adapter }: LateDelivery): readonly Door[] {
  const found = adapter();
  if (!found) throw new PlatformError('unreachable', `${job.address.platform} is not running`);
  const { shown = [], message } = pending;
  const doors = found.doors(job);
  if (message.files?.length) return doors.map((door) => unlessCarried(found, job, message, door));
  const last = shown.at(-1);
  if (!last?.message) return doors;
  const { message: _, ...place } = last;
  const edit: Door = {
    name: 'edit',
    seenBy: isPrivate(job) ? 'requester' : 'place',
    put: (content, key) => found.post(place, content, key),
    maxFileBytes: (kind) => found.maxFileBytes(last, kind),
  };
  // What's private and shown is there already.
  const others = isPrivate(job) ? doors.filter(({ name }) => name !== 'aside') : doors;
  return [edit, ...others].map((door) =>
    door.name === 'edit' || door.name === 'token' ? continuing(found, job, pending, door) : door,
  );
}

/** Whether nobody gets an answer any more: what was said to a question that's deleted; a clip was paid for. */
export function isDropped({ message: { files = [] } }: PendingDelivery, deleted: Job['deleted']): boolean {
  return deleted === 'question' && files.length === 0;
}

/** What's deleted while it waits doesn't come back to its place; its buttons would do nothing. */
function unlessDeleted({ deleted, pending }: LateDelivery, door: Door): Door {
  if (pending.isDeleted || !deleted) return door;
  const put = async (message: Message, key: string) => {
    const what = await deleted();
    if (!what) return door.put(message, key);
    if (door.seenBy === 'place' || isDropped(pending, what)) throw new PlatformError('deleted');
    const { buttons: _, ...bare } = message;
    return door.put(bare, key);
  };
  return { ...door, put };
}

/** The answer may have added the file by an edit, which has no key to find it by. */
function unlessCarried(adapter: PlatformAdapter, job: Job, message: Message, door: Door): Door {
  if (door.name === 'direct') return door;
  const put = async (content: Message, key: string) =>
    (await adapter.hasFilesOf?.(job, message)) ? { ...job.address, message: '' } : door.put(content, key);
  return { ...door, put };
}

/**
 * Goes on below the messages that are shown: completes the last one and posts the rest by a door. If the last one can't be
 * edited, its missing part follows below, without repeating its start.
 */
function continuing(
  adapter: PlatformAdapter,
  job: Job,
  { shown = [], shownText = '' }: PendingDelivery,
  door: Door,
): Door {
  const put = async (message: Message, key: string): Promise<MessageAddress> => {
    const { text = '', buttons, files } = message;
    if (files) return door.put(message, key);
    const from = shown.length - 1;
    let last = shown[from] as MessageAddress;
    const pieces = await messagesOf(adapter, text, last);
    for (const [index, piece] of pieces.entries()) {
      if (index < from) continue;
      const content = { text: piece, ...(index === pieces.length - 1 && buttons && { buttons }) };
      if (index === from) {
        const fate = await edited(adapter, last, content, door);
        if (fate === 'edited') continue;
        if (fate === 'refused') content.text = markdownAfter(piece, sharedLength(shownText, piece));
        if (content.text === '') continue;
      }
      last = await door.put(content, `${job.id}:late-rest:${index}`);
    }
    return last;
  };
  return { ...door, put };
}

/** Result of an edit: some messages can't be changed any more, and some are gone. */
async function edited(
  adapter: PlatformAdapter,
  message: MessageAddress,
  content: Message,
  { name }: Door,
): Promise<'edited' | 'refused' | 'gone'> {
  try {
    await adapter.edit(message, content);
    return 'edited';
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === 'gone' || refusal === 'refused') return refusal;
    // What the bot may not change any more goes on by what the command left.
    if (!refusal || refusal === 'deleted' || name === 'edit') throw error;
    return 'refused';
  }
}
