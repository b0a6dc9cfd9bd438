import type { KeptAnswer } from '../../conversation/index.ts';
import type { Interruption } from '../../engine/index.ts';
import {
  adapterOf,
  type CommandEnd,
  type Job,
  type LiveProgress,
  type RefusalKind,
  refusalOf,
  type RunEnd,
} from '../../port/index.ts';
import { type Ending, isInstead, noteOf, withNote } from '../../reply/index.ts';
import { type Words, words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import {
  answerButtons,
  interruptedEnding,
  machineNotes,
  markedEnding,
  removeButton,
  tryAgainButton,
} from '../endings.ts';
import { openAnswerThread, placeOfBegun, questionOf, spokenBy } from '../job-context.ts';
import { answerText } from './listen.ts';
import { endRewriting, recoverVersion, withdrawRewriting } from './rewrite.ts';

/**
 * Ends an answer whose process died; `shown` is what people can read of it. An answer that was written to its end is
 * delivered. Of one that wasn't, the part that people can read stays in the conversation, as a part: this process may die
 * before it has told them, and the next one has to know. Done again, it leads to the same end.
 * @returns what's told with that; how it ended if people can read that; `goes-on` if a delivery shows it.
 */
export async function endInterrupted(
  job: Job,
  shown: LiveProgress | undefined,
  dependencies: CommandDependencies,
): Promise<Interruption | RunEnd> {
  const { conversations, deliveries, placeSettings } = dependencies;
  const say = words(job.requester.locale);
  const settings = await placeSettings.at(job.address);
  const place = await placeOfBegun(job, settings, dependencies);
  const [first] = shown?.messages ?? [];
  // The process may have died before the thread was there. The answer can do without.
  if (place.opensThread && first) await openAnswerThread(job, place, first, dependencies).catch(() => {});
  const kept = await conversations.answerTo(place.conversation, job.id);
  const answer = await marked(answerOf(kept, shown, say), job, settings, dependencies);
  const isKept = answer && answer.ending.kind !== 'failed';
  await conversations.restore(place.conversation, questionOf(job), isKept ? answer : undefined);
  if (await deliveries.isPending(job.id)) {
    await endRewriting(job, dependencies);
    return 'goes-on';
  }
  if (shown && isInstead(shown.ending)) return takeBack(job, shown, shown.ending, dependencies);
  if (await recoverVersion(job, shown, answer, dependencies)) return endBy(answer?.ending);
  if (shown?.ending) return endBy(shown.ending);
  if (!answer) {
    await dependencies.firstContacts.unsaid(job);
    return { buttons: [tryAgainButton(job, say, 'regenerate')] };
  }
  const { text, ending } = answer;
  const buttons = answerButtons(job, ending, say, settings.values.buttons);
  if (ending.kind === 'interrupted') {
    const mark = ending.mark === undefined ? {} : { mark: ending.mark };
    if (await answerText(job, undefined, dependencies)) return { buttons, ...mark };
    // They stand apart from its words, which are forgotten if its question was deleted: it can only be tried again.
    const failed: Ending = { kind: 'failed', note: say.endings.interrupted };
    return { buttons: answerButtons(job, failed, say, settings.values.buttons), ...mark };
  }
  const note = noteOf(ending);
  const message = {
    ...spokenBy(job),
    text: withNote(text, ending),
    ...(note !== undefined && { note }),
    buttons,
  };
  await deliveries.deliverFinished(job, message, shown ?? { messages: [], lastText: '' });
  return 'goes-on';
}

/** Of an answer that isn't to be shown nothing stays, and why stands instead; its process may have died before any of that. */
async function takeBack(
  job: Job,
  { messages, ...progress }: LiveProgress,
  ending: Ending,
  dependencies: CommandDependencies,
): Promise<RunEnd> {
  await dependencies.removals.takeBack(messages.slice(1));
  const first = messages.slice(0, 1);
  if (await recoverVersion(job, { ...progress, messages: first }, { text: '', ending }, dependencies))
    return endBy(ending);
  const end: CommandEnd = { outcome: 'failed', reason: 'rules' };
  const buttons = answerButtons(job, ending, words(job.requester.locale), 'all');
  const message = { text: withNote('', ending), buttons };
  const { persona: unsaidBy } = spokenBy(job);
  for (const at of first) {
    const refusal = await adapterOf(dependencies, at)
      .edit(at, message, unsaidBy === undefined ? {} : { unsaidBy })
      .then(() => undefined, refusedAs);
    if (refusal === undefined || refusal === 'deleted') return end;
  }
  // One that takes no other words goes, too.
  await dependencies.removals.takeBack(first);
  await dependencies.deliveries.deliverFinished(job, message, { messages: [], lastText: '' }, end);
  return 'goes-on';
}

function refusedAs(error: unknown): RefusalKind {
  const refusal = refusalOf(error);
  if (!refusal) throw error;
  return refusal;
}

/**
 * Ends an answer whose process died after somebody deleted it, or its question, as one that's deleted in a living process:
 * the conversation doesn't keep it, and what was written of a deleted answer goes only to its requester.
 */
export async function endWithdrawn(
  job: Job,
  shown: LiveProgress | undefined,
  dependencies: CommandDependencies,
): Promise<RunEnd> {
  const { conversations, deliveries, placeSettings } = dependencies;
  const settings = await placeSettings.at(job.address);
  const { conversation } = await placeOfBegun(job, settings, dependencies);
  const kept = await conversations.answerTo(conversation, job.id);
  const isDropped = job.deleted === 'question' || isInstead(shown?.ending);
  const answer = !isDropped && answerOf(kept, shown, words(job.requester.locale));
  let end: RunEnd = { outcome: 'canceled' };
  if (await deliveries.isPending(job.id)) end = 'goes-on';
  else if (answer) {
    const buttons = [removeButton(job, words(job.requester.locale))];
    end = await deliveries.deliverAlone(job, { text: answer.text, buttons }, end);
  }
  // Only now, when the words are on record elsewhere.
  await conversations.forget(conversation, job.id);
  await withdrawRewriting(job, dependencies);
  return end;
}

/** The answer as it was kept when it ended, or else the part that people can read; undefined if there's neither. */
function answerOf(
  kept: KeptAnswer | undefined,
  shown: LiveProgress | undefined,
  say: Words,
): Required<KeptAnswer> | undefined {
  if (kept?.ending) return { ...kept, ending: kept.ending };
  // An earlier version kept a part as it kept an answer: the text of the last message.
  if (kept && kept.text.trim() !== shown?.lastText.trim()) return { ...kept, ending: { kind: 'done' } };
  const text = shown ? readable(shown) : '';
  return text === '' ? undefined : { text, ending: shown?.ending ?? interruptedEnding(say) };
}

/** The part that people can read says below that a machine made it, as the whole would have. */
async function marked(
  answer: Required<KeptAnswer> | undefined,
  job: Job,
  settings: Parameters<typeof machineNotes>[2],
  dependencies: CommandDependencies,
): Promise<Required<KeptAnswer> | undefined> {
  if (answer?.ending.kind !== 'interrupted') return answer;
  const notes = () => machineNotes('answer', job, settings, dependencies);
  return { ...answer, ending: await markedEnding(answer.ending, answer.text, notes) };
}

/** All that people can read of an answer, without the note of its ending. */
function readable({ lastText, pieces = [lastText], ending }: LiveProgress): string {
  const note = noteOf(ending) ?? '';
  const text = pieces
    .map((piece) => piece.trim())
    .filter(Boolean)
    .join('\n\n');
  return text.endsWith(note) ? text.slice(0, text.length - note.length).trim() : text;
}

/** How the command of an answer ended, for those who run the bot. */
function endBy(ending: Ending | undefined): CommandEnd {
  if (ending?.kind === 'stopped' || ending?.kind === 'withdrawn') return { outcome: 'canceled' };
  return { outcome: ending?.kind ?? 'interrupted' };
}
