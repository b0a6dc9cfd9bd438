import type { KeptAnswer } from '../../conversation/index.ts';
import type { ButtonPress, Invocation } from '../../engine/index.ts';
import { titleOf } from '../../lib/text.ts';
import {
  adapterOf,
  type AnyValues,
  type Job,
  type LiveAnswer,
  type LiveProgress,
  type Message,
  type MessageAddress,
  PlatformError,
  postDirectly,
  refusalOf,
  type StreamOptions,
  undefinedIfRefused,
} from '../../port/index.ts';
import { type Ending, isInstead, splitMarkdown, withNote } from '../../reply/index.ts';
import { words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import { explain } from '../faults/explain.ts';
import { rewrittenBy } from '../job-context.ts';
import type { Versions } from '../results/answer-versions.ts';
import { answerText } from './listen.ts';

type Press = Pick<ButtonPress, 'job' | 'message' | 'text'>;

/** A live answer; one that takes another's place leaves that in place if it comes to nothing. */
export interface VersionedAnswer extends LiveAnswer {
  readonly mayBeEmpty?: true;
}

/** Whether a press of Regenerate writes the new answer in the same message: only if the whole answer stands there. */
export async function isRewrite(press: Press, dependencies: CommandDependencies): Promise<boolean> {
  return (await versionsAt(press, dependencies)) !== undefined;
}

/** The options of such an answer: whose message it's written in, and which answer the conversation has of it. */
export async function rewriteOptions(press: Press, dependencies: CommandDependencies): Promise<AnyValues> {
  const versions = await versionsAt(press, dependencies);
  if (!versions) return {};
  const { answerVersions } = dependencies;
  const { message } = press;
  if (versions.all.length === 1 && versions.all[0]) await answerVersions.add(message, versions.all[0]);
  const kept = versions.all.findLast(({ ending }) => ending.kind !== 'failed');
  return { rewrites: message.message, replaces: kept?.job ?? press.job.id };
}

async function versionsAt(
  { job, message, text: shown = '' }: Press,
  dependencies: CommandDependencies,
): Promise<Versions | undefined> {
  const { adapters, answerVersions } = dependencies;
  const adapter = adapters(message.platform);
  // A direct message may show the answer to a question that was asked in a channel.
  const isThere = message.channel === job.address.channel && message.thread === job.address.thread;
  if (!isThere || adapter?.rewritesAnswers(message) !== true) return undefined;
  const known = await answerVersions.find(message);
  if (known?.all.some((version) => version.job === job.id)) return known;
  const answer = await answerText(job, undefined, dependencies);
  if (!answer) return undefined;
  const [piece = '', ...more] = splitMarkdown(answer.text, await adapter.messageLimits(message)).map((one) =>
    one.trim(),
  );
  if (piece === '' || more.length > 0 || !shown.trim().startsWith(piece)) return undefined;
  const note = shown.trim().slice(piece.length).trim();
  const mark = words(job.requester.locale).machineNote;
  const noted: Ending =
    note === mark ? { kind: 'done', mark } : { kind: 'done', ...(note !== '' && { note }) };
  const ending = answer.ending ?? noted;
  return { all: [{ job: job.id, text: answer.text, ending }], shown: 0 };
}

type Opening = Pick<Invocation, 'job' | 'reply'>;

/**
 * Opens a new version of an answer in its message, or below that if the platform lets nobody edit it any more. One whose
 * message somebody has deleted is stopped before it's written anywhere.
 */
export async function openVersion(
  { job, reply }: Opening,
  dependencies: CommandDependencies,
  message: MessageAddress,
  options: StreamOptions,
): Promise<VersionedAnswer> {
  const { answerVersions, deletions, logFailure } = dependencies;
  if (!reply.rewrite) return reply.stream(options);
  await answerVersions.begin(message);
  const end = () => answerVersions.end(message);
  try {
    const versions = await answerVersions.showUnderWay(message, job);
    if (!versions) throw new PlatformError('gone');
    const live = await reply.rewrite(message, options);
    await deletions.stopIfGone(job, [message]).catch((error: unknown) => logFailure(error, job));
    return versionOf({ job, reply }, dependencies, { message, versions, live, options, end });
  } catch (error) {
    await end();
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    if (refusal === 'deleted') await deletions.stop(job);
    return reply.rewrite(message, { ...options, isBelow: true });
  }
}

interface Rewriting {
  readonly message: MessageAddress;
  readonly versions: Versions;
  readonly live: LiveAnswer;
  readonly options: StreamOptions;
  /** It's no longer under way. */
  readonly end: () => Promise<void>;
}

function versionOf(
  opening: Opening,
  dependencies: CommandDependencies,
  rewriting: Rewriting,
): VersionedAnswer {
  const { live, end } = rewriting;
  let finished: ReturnType<LiveAnswer['finish']> | undefined;
  return {
    mayBeEmpty: true,
    append: (delta) => live.append(delta),
    get text() {
      return live.text;
    },
    // The version before is there to read meanwhile.
    hint: () => {},
    finish: (ending) => {
      finished ??= finish(opening, dependencies, rewriting, ending).finally(end);
      return finished;
    },
  };
}

/**
 * Shows the new version, below if its message takes no edits any more; if it came to nothing or failed, the one before, and its
 * requester is told why. So it does, without a word, where its question was deleted.
 */
async function finish(
  { job, reply }: Opening,
  { answerVersions, deletions, logFailure }: CommandDependencies,
  { message, versions, live, options, end }: Rewriting,
  ending: Ending,
): Promise<readonly MessageAddress[]> {
  const say = words(job.requester.locale);
  const failed = (error: unknown) => logFailure(error, job);
  const show = async (all: Versions, index: number) => {
    await end();
    const shown = answerVersions.show(message, all, index, job);
    return shown.then(() => true, failed);
  };
  const tell = (text: string) => reply.whisper({ text }).catch(failed);
  if (ending.kind === 'withdrawn') {
    const messages = await live.finish(ending);
    if ((await deletions.of(job)) === 'question') await show(versions, versions.shown);
    // Somebody deleted the message, with all versions in it.
    else await answerVersions.forget(message);
    return messages;
  }
  const isTakenBack = isInstead(ending);
  if (isTakenBack || live.text.trim() === '') {
    const messages = isTakenBack ? await live.finish({ kind: 'withdrawn' }) : [];
    await show(versions, versions.shown);
    await tell(ending.note ?? say.emptyAnswer);
    return messages;
  }
  try {
    const messages = await live.finish(ending);
    // What goes on in further messages can't be paged through.
    if (messages.length > 1) await answerVersions.forget(message);
    if (messages.length !== 1) return messages;
    const all = await answerVersions.add(message, { job: job.id, text: live.text, ending });
    await show(all, ending.kind === 'failed' ? all.shown : all.all.length - 1);
    if ((await deletions.of(job)) === 'answer') await deletions.forgetVersion(job);
    else if (ending.kind === 'failed') await tell(ending.note);
    return messages;
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.kind !== 'refused' && error.kind !== 'moderated'))
      throw error;
    failed(error);
    if (await show(versions, versions.shown)) {
      await tell(`⚠️ ${explain(error, say, job.requester)}`);
      return [];
    }
    const below = await reply.rewrite?.(message, { ...options, isBelow: true });
    if (!below) throw error;
    below.append(live.text);
    return below.finish(ending);
  }
}

/** A new version is no longer under way, if that's what a job writes: its process died. */
export async function endRewriting(job: Job, { answerVersions }: CommandDependencies): Promise<void> {
  const message = rewrittenBy(job);
  if (message) await answerVersions.end(message);
}

/** The same where somebody deleted the message, with all versions in it; or its question, and the version before stays. */
export async function withdrawRewriting(job: Job, { answerVersions }: CommandDependencies): Promise<void> {
  const message = rewrittenBy(job);
  if (!message) return;
  await answerVersions.end(message);
  const versions = job.deleted === 'question' && (await answerVersions.find(message));
  if (!versions) return answerVersions.forget(message);
  await answerVersions.show(message, versions, versions.shown, job).catch((error: unknown) => {
    if (!refusalOf(error)) throw error;
  });
}

/**
 * Ends a new version whose process died: `answer`, the whole of it or the part that was written, becomes a version;
 * without that, or where it isn't to be shown, the one before is, and its requester is told. False if it isn't one, or can't be shown there. Done
 * again, it leads to the same end.
 */
export async function recoverVersion(
  job: Job,
  shown: LiveProgress | undefined,
  answer: Required<KeptAnswer> | undefined,
  dependencies: CommandDependencies,
): Promise<boolean> {
  const { answerVersions } = dependencies;
  await endRewriting(job, dependencies);
  const message = rewrittenBy(job);
  const versions = message && (await answerVersions.find(message));
  const { messages: [first, ...more] = [] } = shown ?? {};
  if (!message || !versions || more.length > 0) return false;
  if (first && first.message !== message.message) return false;
  try {
    const takenBack = isInstead(answer?.ending) ? answer.ending : undefined;
    if (!answer || takenBack) {
      await answerVersions.show(message, versions, versions.shown, job);
      const about = titleOf(String(job.options.prompt), 80);
      const why = takenBack?.note ?? words(job.requester.locale).interrupted(about);
      await tellAlone(job, why, dependencies);
    } else {
      const all = await answerVersions.add(message, { job: job.id, ...answer });
      const { ending } = answer;
      await answerVersions.show(message, all, ending.kind === 'failed' ? all.shown : all.all.length - 1, job);
      if (ending.kind === 'failed') await tellAlone(job, ending.note, dependencies);
    }
    return true;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return false;
  }
}

/**
 * How the message of a new version ends that couldn't be finished there: it has the version before again, with its buttons and a
 * note. The new one becomes a page, where one message holds it. Undefined if it isn't a new version, or has begun (`shown`)
 * in other messages, too.
 */
export async function versionBefore(
  job: Job,
  shown: readonly MessageAddress[],
  note: string,
  dependencies: CommandDependencies,
): Promise<{ readonly message: MessageAddress; readonly shows: Message } | undefined> {
  const { answerVersions } = dependencies;
  const message = rewrittenBy(job);
  const [first, ...more] = shown;
  if (!message || more.length > 0 || (first && first.message !== message.message)) return undefined;
  let versions = await answerVersions.find(message);
  if (!versions) return undefined;
  const { text, ending } = (await answerText(job, undefined, dependencies)) ?? {};
  const limits = await adapterOf(dependencies, message).messageLimits(message);
  if (text !== undefined && ending && splitMarkdown(withNote(text, ending), limits).length === 1)
    versions = await answerVersions.add(message, { job: job.id, text, ending });
  return { message, shows: await answerVersions.withNote(message, versions, job, note) };
}

async function tellAlone(job: Job, text: string, dependencies: CommandDependencies): Promise<void> {
  const adapter = adapterOf(dependencies, job.address);
  await undefinedIfRefused(postDirectly(adapter, job, { text }, `${job.id}:version:alone`));
}
