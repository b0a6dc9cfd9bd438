import { sentDirectly, type ShowEnd } from '../../engine/index.ts';
import { titleOf } from '../../lib/text.ts';
import {
  adapterOf,
  afterQuestion,
  type Attempt,
  climb,
  type Door,
  doorsUnlessDeleted,
  type FormName,
  isHeld,
  isPrivate,
  type Job,
  type Landed,
  type Message,
  type MessageAddress,
  onceQuestionRead,
  type OnPosted,
  type Outgoing,
  type Persistence,
  persistently,
  type PlatformAdapter,
  type PlatformAdapters,
  PlatformError,
  refusalOf,
  type Run,
  type Rung,
  undefinedIfRefused,
  unlessDeleted,
  withLateNotice,
} from '../../port/index.ts';
import type { FileStore } from '../../store/index.ts';
import { words } from '../../words/index.ts';
import { isMade, type Render, type RenderFault } from '../render.ts';
import type { EndMessage, JobRenders, Presentation, Rendered, Whereabouts } from './presenter.ts';

/** The end of a job's renders on its way to people. */
export interface Delivery extends Omit<Persistence, 'work'> {
  readonly renders: JobRenders<Render>;
  readonly job: Job;
  /** What of the job was deleted since. */
  readonly deleted: () => Promise<Job['deleted']>;
  /** Why the job's question can't be read: nothing comes to its place until it can. */
  readonly unread?: PlatformError | undefined;
  /** Something that it's made from was deleted, so its requester, who hasn't, hears also of an end without a result. */
  readonly isOfDeleted?: boolean;
  readonly adapters: PlatformAdapters;
  readonly presentation: Presentation;
  /** Told of the announcement before the platform removes it because the result takes its place. */
  readonly replaces?: ((announcement: MessageAddress) => Promise<void>) | undefined;
  /** Told of each message that's posted, so that it goes with the result if that's deleted. */
  readonly onPosted?: OnPosted | undefined;
  /** Shows in a message how it ends, now or as soon as the platform lets the bot do that. */
  readonly endMessage?: ShowEnd | undefined;
  /** Closes the job's question, which was answered; there was none if left out. */
  readonly closeQuestion?: () => Promise<void>;
  /** It may have been posted already, and a restored database has lost that. */
  readonly mayBeThere?: boolean;
  readonly spool: FileStore;
}

/**
 * Where the end was posted and by which door, or why it could not be posted anywhere. `isDeleted`: somebody deleted what
 * stood in its place. `isHeld`: it's to be tried again, and its requester can fetch it.
 */
export type Delivered =
  | { readonly at: MessageAddress; readonly door: Door['name'] }
  | { readonly fault: RenderFault; readonly isDeleted: boolean; readonly isHeld: boolean };

/** What's posted, in all its forms, and how. */
interface End
  extends Pick<Outgoing, 'forms' | 'key' | 'isPaid'>, Pick<EndMessage, 'as' | 'before' | 'root' | 'notice'> {}

/** Nothing comes there. */
const deletedHere: Attempt = { door: 'here', form: 'whole', refusal: 'deleted' };

/** Whoever waits longer does something else meanwhile, in milliseconds. */
const noticeAfter = 30_000;

/**
 * Posts what became of a job's renders, once no matter how often it's called: where it was requested, in the best form
 * accepted there, or else only to the requester. Nothing that was promised stays in its announcement. If somebody deleted
 * that, or what asked for it, only a result is brought, to its requester only; if what it's made from, any end is.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { job, log, presentation } = delivery;
  const isReady = delivery.renders.some(isMade);
  let isDeleted = job.deleted !== undefined;
  const run = persistently({ ...delivery, work: `render ${job.id}` });
  if (job.deleted === 'question') await showBefore(delivery, run);
  const there =
    delivery.mayBeThere && !job.deleted ? await run('progress', () => standing(delivery)) : undefined;
  if (there) return { at: there, door: 'edit' };
  // What was canceled with its own question isn't missed where something stood before it, which is shown again.
  const isMissed = !presentation.before() || !delivery.renders.every(isCanceled);
  const isTold = isReady || (delivery.isOfDeleted === true && isMissed);
  if (isDeleted && !isTold) return { fault: { code: 'delivery', kind: 'deleted' }, isDeleted, isHeld: false };
  const end = isReady ? resultOf(delivery) : endOf(delivery);
  const outgoing: Omit<Outgoing, 'doors'> = {
    ...end,
    audience: isPrivate(job) || job.deleted ? 'requester' : 'place',
    refused: ({ kind }) => {
      isDeleted ||= kind === 'deleted' && !isPrivate(job);
    },
    ...(delivery.onPosted && { onPosted: delivery.onPosted }),
    ...(!isPrivate(job) && { sentDirectly: (why) => sentDirectly(job, why) }),
  };
  let isProgressLeft = false;
  const progressLeft = () => {
    isProgressLeft = true;
  };
  const post = async () => {
    const tried = job.deleted
      ? [deletedHere]
      : await run('progress', () => endProgress(delivery, end, progressLeft));
    isDeleted ||= tried.length > 0 && !isPrivate(job);
    const doors = () => doorsUnlessDeleted(doorsOf(delivery, end.as), isDeleted);
    return climb({ ...outgoing, doors, tried }, run);
  };
  try {
    const say = words(job.requester.locale).notPostedYet;
    const late = { ...delivery, doors: () => doorsOf(delivery), say };
    const landed = await (isReady && !job.deleted ? withLateNotice(post(), late) : post());
    const delivered = { at: landed.at, door: landed.door.name };
    if (job.deleted) return delivered;
    await endAnnouncement(delivery, end, landed, isProgressLeft);
    await changeRoot(delivery, end, landed);
    await notify(delivery, end, landed);
    return delivered;
  } catch (error) {
    delivery.signal.throwIfAborted();
    if (!(error instanceof PlatformError)) throw error;
    log.warn({ render: job.id, isReady, error }, 'the end of a render can be posted nowhere');
    const { kind, detail } = error;
    const isKept = isReady && isHeld(job, kind, delivery.clock.now());
    if (!isReady && !isDeleted) await endUnseen(delivery, end);
    if (isKept && !isDeleted) {
      await endAnnouncement(delivery, end, undefined);
      await changeRoot(delivery, end, undefined);
    }
    const fault = { code: 'delivery', kind, ...(detail !== undefined && { detail }) } as const;
    return { fault, isDeleted, isHeld: isKept };
  }
}

/** The result that stands there already, or a version after it in the place of the announcement: nothing takes that away. */
async function standing(delivery: Delivery): Promise<MessageAddress | undefined> {
  const { job, presentation } = delivery;
  const [{ message }] = delivery.renders;
  const adapter = running(delivery);
  const files = await undefinedIfRefused(adapter.attachments(message));
  if (files && presentation.isShownBy(files)) return message;
  const { as, key } = resultOf(delivery);
  if (as !== 'post') return undefined;
  return undefinedIfRefused(adapter.findResult(message, job, key({ door: 'here', form: 'whole' })));
}

const isCanceled = ({ fault }: Render) => fault?.code === 'canceled';

/** What stood there before its question was deleted stays: it's shown as it was, unless that's refused. */
async function showBefore(delivery: Delivery, run: Run): Promise<void> {
  const [{ message }] = delivery.renders;
  const before = delivery.presentation.before();
  if (!before) return;
  const edit = () => running(delivery).edit(message, before);
  await run('progress', edit).catch(() => delivery.signal.throwIfAborted());
}

function resultOf(delivery: Delivery): End {
  const { renders, presentation, job } = delivery;
  const [{ kind }] = renders;
  const links = linksOf(renders);
  const elsewhere = { elsewhere: { links } };
  const within = async (door: Door) => renderedWithin(delivery, await door.maxFileBytes(kind));
  const forms = new Map<FormName, (door: Door) => Promise<Message>>([
    ['whole', async (door) => presentation.ready(await within(door)).message],
    // The true limit may be lower than the one the platform told beforehand.
    [
      'too-large',
      async (door) => presentation.ready(tooLargeFor(renders, await door.maxFileBytes(kind))).message,
    ],
  ]);
  if (links.length > 0) forms.set('link', async () => presentation.ready(elsewhere).message);
  forms.set('bare', async (door) => {
    const rendered = links.length > 0 ? elsewhere : await within(door);
    return presentation.ready(rendered, { plain: true }).message;
  });
  const { message: _, ...how } = presentation.ready(elsewhere);
  return { forms, ...how, isPaid: true, key: keyIn(job, resultKeys) };
}

/** The notice that it ended without a result. */
function endOf(delivery: Delivery): End {
  const { presentation, job } = delivery;
  const tookLong = hasTakenLong(delivery);
  // What it was to replace stands there, with its words and buttons.
  const isBeside = job.deleted !== undefined && presentation.before() !== undefined;
  const { message: _, ...how } = presentation.ended({ tookLong });
  return {
    forms: new Map([
      ['whole', () => presentation.ended({ tookLong, plain: isBeside }).message],
      ['bare', () => presentation.ended({ tookLong, plain: true }).message],
    ]),
    ...how,
    isPaid: delivery.isOfDeleted === true,
    key: keyIn(job, endKeys),
  };
}

const resultKeys: Partial<Record<FormName, string>> = { whole: 'ready', bare: 'plain' };
const endKeys: Partial<Record<FormName, string>> = { whole: 'ended', bare: 'ended-plain' };

/** In its place it has one key for all doors. */
function keyIn({ id }: Job, names: Partial<Record<FormName, string>>): (rung: Rung) => string {
  return ({ door, form }) =>
    `${id}:${names[form] ?? form}${door === 'direct' || door === 'aside' ? ':direct' : ''}`;
}

/** The ways of a job's renders: where their progress is shown, and what the command and its requester leave besides. */
function doorsOf(delivery: Delivery, as?: EndMessage['as']): readonly Door[] {
  const {
    renders: [{ message }],
    job,
    deleted,
    unread,
    replaces,
    closeQuestion,
  } = delivery;
  const found = running(delivery);
  const { message: _, ...address } = message;
  const isAnnounced = as === 'complete' || as === 'edit';
  const own = found.doors({ ...job, address }, isAnnounced ? message : undefined);
  const doors = afterQuestion(own, closeQuestion);
  const unlessGone = (door: Door) => (job.deleted ? door : unlessDeleted(door, deleted));
  const allowed = (all: readonly Door[]) =>
    onceQuestionRead(all.map(unlessGone), async () => {
      if (unread) throw unread;
    });
  if (!isAnnounced) return allowed(doors);
  const edit: Door = {
    name: 'edit',
    seenBy: isPrivate(job) ? 'requester' : 'place',
    put: async (content, key) => {
      if (as !== 'complete') {
        await found.edit(message, content);
        return message;
      }
      return found.complete(message, content, key, replaces);
    },
    maxFileBytes: (kind) => found.maxFileBytes(message, kind),
  };
  return allowed([edit, ...doors]);
}

function running(delivery: Delivery): PlatformAdapter {
  return adapterOf(delivery, delivery.renders[0].message);
}

/**
 * Progress that's shown beside the result ends before that's posted; `left` is called where that's refused. If somebody
 * deleted the message that shows it, or the thread that was opened for it, nothing is to come there.
 */
async function endProgress(
  delivery: Delivery,
  { as, before }: End,
  left: () => void,
): Promise<readonly Attempt[]> {
  const {
    renders: [{ message }],
    job,
  } = delivery;
  if (as !== 'post' || !before) return [];
  try {
    await running(delivery).edit(message, before);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const isOwnThread = running(delivery).rootOf(message, job.address) !== undefined;
    if (refusal === 'deleted' || (refusal === 'gone' && isOwnThread)) return [deletedHere];
    left();
  }
  return [];
}

/** What was announced doesn't come, and people couldn't be told: its message says so once the bot is let in again. */
async function endUnseen(delivery: Delivery, { as, before, root }: End): Promise<void> {
  const { renders, job, adapters, presentation, endMessage } = delivery;
  const [{ message }] = renders;
  const shows = as === 'post' ? before : presentation.ended().message;
  if (shows) await endMessage?.(message, shows);
  const announced = adapters(message.platform)?.rootOf(message, job.address);
  if (announced && root) await endMessage?.(announced, root({ seenBy: 'nobody' }));
}

/** What was announced is true no longer if the result is elsewhere, or nowhere yet. A failure is only logged. */
async function endAnnouncement(
  delivery: Delivery,
  { as, before }: End,
  landed: Landed | undefined,
  isProgressLeft = false,
): Promise<void> {
  const { renders, job, log, presentation, endMessage } = delivery;
  const [{ message }] = renders;
  const name = landed?.door.name;
  if (name === 'edit' || landed?.at.message === message.message) return;
  if (as === 'post' && name === 'here') {
    if (isProgressLeft && before) await endMessage?.(message, before);
    return;
  }
  const isBeside = as === 'post' && landed?.door.seenBy === 'place';
  const content = isBeside && before ? before : presentation.elsewhere(whereOf(landed));
  const left = isPrivate(job) ? 'aside' : 'token';
  let told: Landed | undefined;
  try {
    told = await climb({
      audience: 'anyone',
      isPaid: false,
      doors: () => doorsOf(delivery, 'edit').filter((door) => door.name === 'edit' || door.name === left),
      forms: new Map([['whole', () => content]]),
      key: () => `${job.id}:${landed ? 'elsewhere' : 'held'}`,
    });
  } catch (error) {
    log.warn({ render: job.id, error }, 'an announcement could not be ended yet');
  }
  // What everybody is told besides leaves it as it is. What's held may come there later: nothing is to undo that.
  if (landed && (!told || told.door.name === 'token')) await endMessage?.(message, content);
}

/** Whoever reads what was announced finds the thread's result from there, or why there's none. A failure is only logged. */
async function changeRoot(
  { renders: [{ message }], job, adapters, endMessage, log }: Delivery,
  { root }: End,
  landed: Landed | undefined,
): Promise<void> {
  const platform = adapters(message.platform);
  const announced = platform?.rootOf(message, job.address);
  if (!platform || !root || !announced) return;
  try {
    const where = whereOf(landed);
    const link = landed && where.seenBy === 'place' ? await platform.linkTo(landed.at) : undefined;
    const shows = root({ ...where, link });
    await (landed && endMessage ? endMessage(announced, shows) : platform.edit(announced, shows));
  } catch (error) {
    log.warn({ render: job.id, error }, 'an announcement could not be ended');
  }
}

function whereOf(landed: Landed | undefined): Whereabouts {
  return landed ? { seenBy: landed.door.seenBy, why: landed.why } : { seenBy: 'nobody' };
}

/** An edit notifies nobody. The end is there to be read: a failure is only logged. */
async function notify(delivery: Delivery, { notice }: End, { at, door }: Landed): Promise<void> {
  const { job, adapters, onPosted, log } = delivery;
  if (!notice || door.name !== 'edit' || !hasTakenLong(delivery)) return;
  try {
    const told = await adapters(at.platform)?.notify(at, notice, `${job.id}:notice`);
    if (told) await onPosted?.(told);
  } catch (error) {
    log.warn({ render: job.id, error }, 'nobody could be told that a render has ended');
  }
}

function hasTakenLong({ renders: [{ createdAt }], clock }: Delivery): boolean {
  return clock.now() - createdAt > noticeAfter;
}

/** What can be posted of a job's results where a file may have `limit` bytes. */
export function renderedWithin(
  { renders, job, presentation, spool }: Pick<Delivery, 'renders' | 'job' | 'presentation' | 'spool'>,
  limit: number,
): Rendered {
  const made = renders.filter(isMade);
  if (largestOf(renders) > limit) return tooLargeFor(renders, limit);
  const files = made.map((render, index) => {
    const { id, kind, result } = render;
    if (!result) throw new Error('a render is ready without a result');
    return {
      name: presentation.fileName(render, made.length > 1 ? index + 1 : undefined),
      contentType: result.contentType,
      kind,
      // Read to people who can't see it.
      description: titleOf(String(job.options.prompt ?? ''), 1_000),
      size: result.bytes,
      ...(result.link !== undefined && { original: result.link }),
      open: () => spool.read(id),
    };
  });
  return { files };
}

function tooLargeFor(renders: JobRenders<Render>, limit: number): Rendered {
  return { tooLarge: { bytes: largestOf(renders), limit, links: linksOf(renders) } };
}

function largestOf(renders: JobRenders<Render>): number {
  return Math.max(...renders.map(({ result }) => result?.bytes ?? 0));
}

function linksOf(renders: JobRenders<Render>): readonly string[] {
  return renders.filter(isMade).flatMap(({ result }) => result?.link ?? []);
}
