import { z } from 'zod';
import type { Conversations, Question, Turns } from '../conversation/index.ts';
import { KeyedQueue } from '../lib/clock.ts';
import { titleOf } from '../lib/text.ts';
import {
  type EffectiveSettings,
  noPersona,
  type Persona,
  personaNamed,
  type PlaceSettings,
  type SettingValues,
} from '../place-settings/index.ts';
import {
  type Address,
  type AnyValues,
  conversationKey,
  type Job,
  type Jobs,
  type MessageAddress,
  type Person,
  type PlatformAdapters,
  type ThreadsAt,
} from '../port/index.ts';

/**
 * What a command of a button, a menu or a reply is made from: a value that nobody can type. Who asks for the same again uses it
 * again.
 */
export const madeOf = z.object({
  /** Jobs of answers and images, and messages (`messageSource`). */
  made_of: z.array(z.string()).exactOptional(),
  /** The job of an image, in rows of earlier versions. */
  image_of: z.string().exactOptional(),
});

/** What a command is made from, by its values. */
export function sourcesIn(values: AnyValues = {}): readonly string[] {
  const { made_of: sources = [], image_of: image } = madeOf.safeParse(values).data ?? {};
  return image === undefined ? sources : [...sources, image];
}

/** What a clip is made from, or which answer it reads, and how much of it: values of `/speak` that nobody can type. */
export const readAnswer = madeOf.extend({
  /** The job of the answer. */
  answer: z.string().exactOptional(),
  /** `beginning`: the rest is too long for a clip; `shown`: only the text of its message is known. */
  part: z.enum(['beginning', 'shown']).exactOptional(),
});

type Options = Pick<Job, 'options'>;

/** What a job was asked for, or to speak; empty where its command has neither, or that's deleted. */
export function promptOf({ options }: Options): string {
  return String(options.prompt ?? options.text ?? '');
}

/** The question of a job, as its conversation keeps it. */
export function questionOf({ id, requester, options }: Pick<Job, 'id' | 'requester' | 'options'>): Question {
  const { prompt = '', context, replaces } = options;
  return {
    jobId: id,
    speaker: requester.name,
    asked: String(prompt),
    ...(typeof context === 'string' && { context }),
    ...(typeof replaces === 'string' && { replaces }),
  };
}

/** The job of the answer that a clip reads; undefined for other texts. */
export function answerReadBy({ options: { answer } }: Options): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}

/** The job that drew the first version of an image. */
export function rootOf({ id, options: { version_of: root } }: Pick<Job, 'id' | 'options'>): string {
  return typeof root === 'string' ? root : id;
}

/** Whose name stands above a job's answer: the persona's that answers. All versions of an answer have the same. */
export function spokenBy({ options: { as } }: Options): { readonly persona?: string } {
  return typeof as === 'string' && as !== noPersona ? { persona: as } : {};
}

/** That persona; undefined where nobody's answers, or it's gone. `isChannels`: it's what its channel has chosen, too. */
export async function personaOf(
  { address, options: { as } }: Pick<Job, 'address' | 'options'>,
  { placeSettings }: { readonly placeSettings: Pick<PlaceSettings, 'at'> },
): Promise<(Persona & { readonly isChannels: boolean }) | undefined> {
  if (typeof as !== 'string') return undefined;
  const { personas, values } = await placeSettings.at(address);
  const persona = personaNamed(as, personas);
  return persona && { ...persona, isChannels: personaNamed(values.as, personas) === persona };
}

/** The message in which a new version of an answer is written. */
export function rewrittenBy({
  address,
  options: { rewrites },
}: Pick<Job, 'address' | 'options'>): MessageAddress | undefined {
  return typeof rewrites === 'string' ? { ...address, message: rewrites } : undefined;
}

/** The job of the answer, or of the image's first version, in whose message a new version is made. */
export function replacedBy(job: Job): string | undefined {
  if (rootOf(job) !== job.id) return rootOf(job);
  const { replaces } = job.options;
  return rewrittenBy(job) && typeof replaces === 'string' ? replaces : undefined;
}

/** What a job is made from, and whose answer it reads or replaces, or image it replaces. */
export function sourcesOf(job: Job): ReadonlySet<string> {
  const sources = [replacedBy(job), answerReadBy(job), ...sourcesIn(job.options)];
  return new Set(sources.filter((source) => source !== undefined));
}

/** What decides whose conversation a command belongs to. An {@link Invocation} has it all. */
interface ConversationRequest {
  readonly address: Address;
  readonly requester: Pick<Person, 'id' | 'direct'>;
  readonly settings: { readonly values: Pick<SettingValues, 'conversation'> };
  /**
   * The command’s values. Read here are `private`, `workflow`, and `continues`: a conversation’s key that only buttons
   * give.
   */
  readonly options: object;
}

/**
 * The key of the conversation that a command belongs to. A thread always has its own; in a channel it's the channel's,
 * or each person's own if its administrators chose that. A private command never touches what others share: it
 * has a conversation for its person and place. Neither does a workflow’s: each run (`workflow`, which its platform adds)
 * has its own.
 */
export function conversationOf({ address, requester, settings, options }: ConversationRequest): string {
  if ('workflow' in options && typeof options.workflow === 'string')
    return `${conversationKey(address)}?workflow=${encodeURIComponent(options.workflow)}`;
  if ('private' in options && options.private === true) return privateConversation(address, requester);
  if ('continues' in options && typeof options.continues === 'string') return options.continues;
  return isPersonal({ address, requester, settings })
    ? personalConversation(address, requester)
    : conversationKey(address);
}

/**
 * The conversations that a command can belong to by one setting or another, the one of the place's setting first: that
 * may have been another when the command was given.
 */
export function possibleConversations(request: ConversationRequest): readonly [string, ...string[]] {
  const { address, requester, settings, options } = request;
  const bySetting = (conversation: SettingValues['conversation']) =>
    conversationOf({ address, requester, options, settings: { values: { conversation } } });
  const now = bySetting(settings.values.conversation);
  const others = new Set([bySetting('channel'), bySetting('person')]);
  others.delete(now);
  return [now, ...others];
}

/** Whether what a person says somewhere is part of a conversation of their own. */
export function isPersonal({ address, requester, settings }: Omit<ConversationRequest, 'options'>): boolean {
  return settings.values.conversation === 'person' && address.thread === undefined && !requester.direct;
}

/** The key of a person's private conversation somewhere: what only they see. */
export function privateConversation(address: Address, requester: Pick<Person, 'id'>): string {
  return `${personalConversation(address, requester)}?private`;
}

/** The key of the conversation that begins with a question and goes on in the thread under its answer. */
export function threadConversation({ id, address }: Pick<Job, 'id' | 'address'>): string {
  return `${conversationKey(address)}#${encodeURIComponent(id)}`;
}

// The parts of a key are percent-encoded: none of them has an “@”, a “?” or a “#”.

function personalConversation(address: Address, { id }: Pick<Person, 'id'>): string {
  return `${conversationKey(address)}@${encodeURIComponent(id)}`;
}

/** Characters of a thread's name; platforms may shorten it further. */
const maxNameLength = 100;

interface AnswerThreadDependencies {
  readonly conversations: Pick<Conversations, 'ownThreads' | 'exists' | 'holds'>;
  readonly adapters: PlatformAdapters;
}

type AskJob = Pick<Job, 'id' | 'address' | 'requester' | 'options'>;
type Settings = Pick<EffectiveSettings, 'values'>;

/** Where the conversation of a question goes on. */
interface AnswerPlace {
  /** The key of its conversation. */
  readonly conversation: string;
  /** It gets a thread of its own. */
  readonly opensThread: boolean;
  /** It couldn't get the one that its requester asked for: for a permission, or because the bot is no member there. */
  readonly missing?: Omit<Extract<ThreadsAt, { kind: 'missing' }>, 'kind'>;
}

/** Whether an answer gets a thread for its own conversation: if that was asked for or chosen, and is possible there. */
export async function placeOfAnswer(
  job: AskJob,
  settings: Settings,
  { adapters }: Pick<AnswerThreadDependencies, 'adapters'>,
): Promise<AnswerPlace> {
  const shared = { conversation: conversationOf({ ...job, settings }), opensThread: false };
  if (!wantsThread(job)) return shared;
  const threads = await adapters(job.address.platform)?.threadsAt(job.address);
  if (threads?.kind === 'possible') return { conversation: threadConversation(job), opensThread: true };
  // Where threads are the rule, nobody asked for this one.
  return threads?.kind === 'missing' && settings.values.conversation !== 'thread'
    ? { ...shared, missing: threads }
    : shared;
}

/**
 * The same for an answer that has begun, perhaps in another process: the conversation that has it, whatever was chosen for
 * the place since. Where none has it any more, the one that it would belong to now.
 */
export async function placeOfBegun(
  job: AskJob,
  settings: Settings,
  { conversations }: Pick<AnswerThreadDependencies, 'conversations'>,
): Promise<AnswerPlace> {
  const own = threadConversation(job);
  if (await conversations.exists(own)) return { conversation: own, opensThread: true };
  const possible = possibleConversations({ ...job, settings });
  for (const conversation of possible)
    if (await conversations.holds(conversation, job.id)) return { conversation, opensThread: false };
  return { conversation: possible[0], opensThread: false };
}

/**
 * Opens the thread under the first message of an answer and lets its conversation go on there. Doing it again is no harm.
 * @returns whether it's open.
 */
export async function openAnswerThread(
  job: AskJob,
  { conversation }: AnswerPlace,
  message: MessageAddress,
  { adapters, conversations }: AnswerThreadDependencies,
): Promise<boolean> {
  const name = titleOf(String(job.options.prompt), maxNameLength);
  const adapter = adapters(message.platform);
  const own = { conversation, owner: job.requester.id };
  // People may write there the moment it's open.
  const expected = adapter?.ownThreadOf(message);
  if (expected) await conversations.ownThreads.expect(conversationKey(expected), own);
  const thread = await adapter?.openOwnThread(message, name);
  if (thread) await conversations.ownThreads.link(conversationKey(thread), own);
  return thread !== undefined;
}

/** Options with which a button goes on with the conversation in the thread under its answer, if there is one. */
export async function inItsThread(
  job: AskJob,
  dependencies: { readonly conversations: Pick<Conversations, 'ownThreads'> },
): Promise<AnyValues> {
  if (job.options.thread !== true) return {};
  const continues = threadConversation(job);
  return (await dependencies.conversations.ownThreads.isOpened(continues))
    ? { thread: false, continues }
    : {};
}

/** A private answer has no thread, and one that goes on with a conversation stays in it. */
function wantsThread({ options }: AskJob): boolean {
  return options.thread === true && options.private !== true && options.continues === undefined;
}

/** Jobs whose commands take turns: each is in the queue before it's on record, and leaves it when it ends. */
export function queuedJobs(jobs: Jobs, turns: Turns, takesTurns: (command: string) => boolean): Jobs {
  /** Two answers to a question are about the same job: each finds the place that the one before has left or kept. */
  const recording = new KeyedQueue();
  /** Has no place in the queue for a job that `record` doesn't put on record; one that it had before stays. */
  const inQueue = async (job: Job, record: () => Promise<boolean>, arrival?: number) => {
    const { id, requester, address } = job;
    const queued = { job: id, person: requester.id, place: conversationKey(address) };
    let isToLeave = true;
    try {
      isToLeave = await turns.enter(arrival === undefined ? queued : { ...queued, arrival });
      const isRecorded = await record();
      if (isRecorded) isToLeave = false;
      return isRecorded;
    } finally {
      if (isToLeave) await turns.leave(id);
    }
  };
  return {
    ...jobs,
    add(job, eventId, state = 'running', arrival) {
      const add = () => jobs.add(job, eventId, state);
      return state === 'running' && takesTurns(job.command) ? inQueue(job, add, arrival) : add();
    },
    async confirm(id, chosen, ...how) {
      const confirm = () => jobs.confirm(id, chosen, ...how);
      const job = chosen && takesTurns(chosen.command) ? await jobs.find(id) : undefined;
      return job ? recording.run(id, () => inQueue(job, confirm)) : confirm();
    },
    async reopenConfirmation(job, ...how) {
      const isReopened = await jobs.reopenConfirmation(job, ...how);
      if (isReopened) await turns.leave(job.id);
      return isReopened;
    },
    async end(id, ...how) {
      await Promise.all([jobs.end(id, ...how), turns.leave(id)]);
    },
  };
}
