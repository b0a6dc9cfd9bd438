import { sentDirectly } from '../engine/index.ts';
import {
  afterQuestion,
  answerKey,
  type Asked,
  directKey,
  type Door,
  doorForDeleted,
  doorsUnlessDeleted,
  type FormName,
  isPrivate,
  type Job,
  type MakeForm,
  type Message,
  type MessageAddress,
  onceQuestionRead,
  type OnPosted,
  type Outgoing,
  type PlatformAdapter,
  PlatformError,
  refusalOf,
  type Rung,
  textFile,
  wholeKey,
} from '../port/index.ts';
import { firstMessages, markdownAfter, sharedLength, splitMarkdown } from '../reply/index.ts';
import type { Words } from '../words/index.ts';
import type { PendingDelivery } from './delivery-store.ts';
import { clipForms, type ConvertSound } from './other-formats.ts';

export interface LateDelivery {
  readonly job: Job;
  readonly pending: PendingDelivery;
  readonly say: Words;
  readonly convert: ConvertSound;
  /** What of the job was deleted by now: its question or its answer; nothing if left out. */
  readonly deleted?: () => Promise<Job['deleted']>;
  /** Reads whether the job's question still stands, before it comes to its place; rejects if that can't be read. */
  readonly readQuestion?: () => Promise<void>;
  readonly onPosted?: OnPosted;
  /**
   * Ends a message of the answer, which takes no edit now, as soon as it does: as `shows`, or with a part of it below if left
   * out.
   */
  readonly endLater?: (message: MessageAddress, shows?: Message) => Promise<void>;
  /** Closes the job's question, which was answered; there was none if left out. */
  readonly closeQuestion?: () => Promise<void>;
  /** Whose it is, where people need to be told. */
  readonly whose?: Asked | undefined;
  /** Undefined while the platform is not running. */
  readonly adapter: () => PlatformAdapter | undefined;
}

/** A late answer or clip in all its forms, and the ways to its people. */
export function outgoingOf(delivery: LateDelivery): Outgoing {
  const { job, pending, onPosted } = delivery;
  const isFile = Boolean(pending.message.files?.length);
  return {
    audience: isPrivate(job) ? 'requester' : isFile ? 'place' : 'anyone',
    isPaid: true,
    ...(pending.isDeleted && { tried: [{ door: 'here', form: 'whole', refusal: 'deleted' }] }),
    doors: () =>
      doorsUnlessDeleted(
        onceQuestionRead(
          doorsOf(delivery).map((door) => aloneOnceDeleted(delivery, door)),
          async () => delivery.readQuestion?.(),
        ),
        Boolean(pending.isDeleted),
      ),
    forms: isFile ? fileForms(delivery) : textForms(delivery),
    key: (rung) => keyOf(job, rung, isFile),
    ...(onPosted && { onPosted }),
    ...(!isPrivate(job) && { sentDirectly: (why) => sentDirectly(job, why) }),
  };
}

function textForms({ job, pending, say, whose }: LateDelivery): Outgoing['forms'] {
  const { message, shown = [] } = pending;
  const { persona, ...unnamed } = message;
  const { text = '', note } = message;
  // Where it was asked for by a message, or has begun, people see whose it is.
  const isUnknown = ({ name }: Door) => job.acknowledgement && (name === 'direct' || shown.length === 0);
  const isNew = ({ name }: Door) => name === 'direct' || shown.length === 0;
  const told = (door: Door) => ({
    ...(whose && isUnknown(door) && { whose }),
    ...(persona !== undefined && isNew(door) && { persona }),
  });
  return new Map<FormName, MakeForm>([
    ['whole', (door) => ({ ...unnamed, ...told(door) })],
    ['plain', (door) => ({ text, ...(note !== undefined && { note }), ...told(door) })],
    ['file', () => ({ files: [textFile(text, say.answerAsFile)] })],
  ]);
}

function fileForms({ pending: { message }, say, convert }: LateDelivery): Outgoing['forms'] {
  const { files = [] } = message;
  return new Map<FormName, MakeForm>([
    ...clipForms(message, convert, say.tooLargeAs),
    ['bare', () => ({ files })],
  ]);
}

/** The same as the answer's own, so that what it posted itself is found. */
function keyOf({ id, eventId }: Job, { door, form }: Rung, isFile: boolean): string {
  const isAlone = door === 'direct' || door === 'aside';
  if (form !== 'whole') return `${id}:${isAlone ? 'private' : 'late'}-${form}`;
  if (isAlone) return eventId === undefined ? `${id}:direct` : directKey(eventId);
  return isFile && eventId !== undefined ? answerKey(eventId, 0) : `${id}:late`;
}

function doorsOf(delivery: LateDelivery): readonly Door[] {
  const { job, pending, adapter, closeQuestion } = delivery;
  const found = adapter();
  if (!found) throw new PlatformError('unreachable', `${job.address.platform} is not running`);
  const { shown = [], message } = pending;
  const doors = afterQuestion(found.doors(job), closeQuestion);
  if (message.files?.length) return doors.map((door) => unlessCarried(found, job, message, door));
  const last = shown.at(-1);
  if (!last?.message) return doors;
  const { message: _, ...place } = last;
  const edit: Door = {
    name: 'edit',
    seenBy: isPrivate(job) ? 'requester' : 'place',
    // It's only the rest: elsewhere it would stand as if it were the whole.
    put: (...content) => found.postThere(place, ...content),
    maxFileBytes: (kind) => found.maxFileBytes(last, kind),
  };
  // What's private and shown is there already.
  const others = isPrivate(job) ? doors.filter(({ name }) => name !== 'aside') : doors;
  return [edit, ...others].map((door) =>
    door.name === 'edit' || door.name === 'token' ? continuing(found, delivery, door) : door,
  );
}

/** Whether nobody gets an answer any more: what was said to a question that's deleted; a clip was paid for. */
export function isDropped({ message: { files = [] } }: PendingDelivery, deleted: Job['deleted']): boolean {
  return deleted === 'question' && files.length === 0;
}

/** What's deleted while it waits doesn't come back to its place. */
function aloneOnceDeleted({ deleted, pending }: LateDelivery, door: Door): Door {
  if (pending.isDeleted || !deleted) return door;
  const put: Door['put'] = async (message, ...how) => {
    const what = await deleted();
    if (!what) return door.put(message, ...how);
    if (door.seenBy === 'place' || isDropped(pending, what)) throw new PlatformError('deleted');
    return doorForDeleted(door).put(message, ...how);
  };
  return { ...door, put };
}

/** The answer may have added the file by an edit, which has no key to find it by. */
function unlessCarried(adapter: PlatformAdapter, job: Job, message: Message, door: Door): Door {
  if (door.name === 'direct') return door;
  const put: Door['put'] = async (...content) =>
    (await adapter.hasFilesOf(job, message)) ? { ...job.address, message: '' } : door.put(...content);
  return { ...door, put };
}

/**
 * Goes on below the messages that are shown: completes the last one and posts the rest by a door. If the last one can't be
 * edited, its missing part follows below, without repeating its start; it loses its Stop once it takes edits again.
 */
function continuing(
  adapter: PlatformAdapter,
  { job, pending: { message: named, shown = [], shownText = '' }, say, endLater }: LateDelivery,
  door: Door,
): Door {
  const put: Door['put'] = async (message, key, onPosted) => {
    const { text = '', note, buttons, files } = message;
    if (files) return door.put(message, key, onPosted);
    const from = shown.length - 1;
    let last = shown[from] as MessageAddress;
    const parts: string[] = [];
    const post = async (content: Message, name: string) => {
      const posted = await door.put(content, name, onPosted);
      parts.push(...(posted.parts ?? []), posted.message);
      return posted;
    };
    const limits = await adapter.messageLimits(shown[0] ?? last);
    const pieces = splitMarkdown(text, limits);
    const most = Math.max(limits.most ?? Number.POSITIVE_INFINITY, shown.length);
    const { messages, rest } = firstMessages(pieces, most, note, limits);
    const restKey = (index: number) => `${job.id}:late-rest:${index}`;
    const { persona } = named;
    const missing = messages.slice(from).map((piece, index) => ({
      // Nobody may know what stands above a message whose process died before it was on record.
      ...(persona !== undefined && from + index === 0 && { persona }),
      text: piece,
      ...(from + index === messages.length - 1 && buttons && { buttons }),
    }));
    const [begun] = missing;
    let isLeft = false;
    if (begun) {
      const refused = markdownAfter(begun.text, sharedLength(shownText, begun.text), limits);
      const left = { edited: '', gone: begun.text, refused };
      const fate = await edited(adapter, last, begun, door);
      missing[0] = { ...begun, text: left[fate] };
      isLeft = fate === 'refused';
    }
    const begunIn = last;
    // Only once the rest is there: until then that edit may be tried again.
    const end = async () => {
      if (isLeft) await endLater?.(begunIn, missing[0]?.text === '' ? begun : undefined);
    };
    if (door.name === 'token') {
      // The platform splits it itself: it may take only so many messages.
      const all = [...missing.map(({ text: piece }) => piece), ...rest].filter(Boolean).join('\n\n');
      if (all !== '')
        last = await door.put({ ...message, text: all, directly: text }, restKey(from), onPosted);
      await end();
      return last;
    }
    for (const [index, content] of missing.entries())
      if (content.text !== '') last = await post(content, restKey(from + index));
    if (rest.length > 0) {
      const whole = { files: [textFile(text, say.answerAsFile)] };
      // The process that died may have posted it.
      await post(whole, wholeKey(job.eventId ?? job.id)).catch(async (error: unknown) => {
        if (!refusalOf(error)) throw error;
        for (const [index, piece] of rest.entries())
          await post({ text: piece }, `${restKey(messages.length + index)}:rest`);
      });
    }
    await end();
    const others = parts.filter((part) => part !== last.message);
    return { ...last, ...(others.length > 0 && { parts: others }) };
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
