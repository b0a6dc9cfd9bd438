import type { Conversations } from '../conversation/index.ts';
import type { Coordination } from '../coordination/index.ts';
import type { Deliveries } from '../deliveries/index.ts';
import { type CommandWatch, questionLife } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import { titleOf } from '../lib/text.ts';
import type { PlaceSettings } from '../place-settings/index.ts';
import type { CommandOutcome, CommandOutcomes, Job, Jobs, LiveAnswers, Removal } from '../port/index.ts';
import type { Renders } from '../renders/index.ts';
import { withNote } from '../reply/index.ts';
import { words } from '../words/index.ts';
import { renderFaults } from './faults/explain.ts';
import { conversationOf } from './job-context.ts';

interface UnansweredDependencies {
  readonly jobs: Pick<Jobs, 'unanswered' | 'endAsked'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly watch: Pick<CommandWatch, 'ended'>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Ends commands that nobody has confirmed in time, on record, with what becomes of their questions: they say so and lose their
 * buttons; those that are deleted, or asked anew, go. One that can't be ended keeps no other from it.
 */
export async function endUnanswered(dependencies: UnansweredDependencies): Promise<void> {
  const { jobs, watch, clock, log } = dependencies;
  for (const job of await jobs.unanswered(clock.now() - questionLife))
    try {
      const ended = await jobs.endAsked(job.id, await closing(job, dependencies));
      if (ended) watch.ended(ended, { outcome: 'unanswered' });
    } catch (error) {
      log.warn({ job: job.id, error }, 'a question that nobody answered could not be ended');
    }
}

/** Ends them by one process at a time, and takes their questions away later: the platform may take long. */
export function unansweredEnder({
  locks,
  removals,
  ...dependencies
}: UnansweredDependencies & {
  readonly locks: Coordination['locks'];
  readonly removals: { goOn(): void };
}): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const end = async () => {
    await locks.run('unanswered questions', () => endUnanswered(dependencies));
    removals.goOn();
  };
  return () => {
    underWay ??= end().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function closing(
  job: Job,
  { answers }: Pick<UnansweredDependencies, 'answers'>,
): Promise<readonly Removal[]> {
  const messages = await answers.messagesOf(job.id);
  if (job.deleted) return messages.toReversed().map((message) => ({ message }));
  const { tooOld } = words(job.requester.locale, job.address.platform).question;
  return messages.map((message) => ({ message, shows: { text: tooOld }, job: job.id }));
}

interface OutcomesDependencies {
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly jobs: Pick<Jobs, 'ofEvent'>;
  readonly renders: Pick<Renders, 'ofJob'>;
  readonly deliveries: Pick<Deliveries, 'pendingIds'>;
  readonly conversations: Pick<Conversations, 'answerTo'>;
  readonly placeSettings: PlaceSettings;
}

type Found = NonNullable<Awaited<ReturnType<Jobs['ofEvent']>>>;

/** Finds out what became of commands from what's on record about them. What somebody deleted is nobody's to hand on. */
export function commandOutcomes(dependencies: OutcomesDependencies): CommandOutcomes {
  return async (eventId) => {
    const found = await dependencies.jobs.ofEvent(eventId);
    if (!found) return { kind: 'unknown' };
    const outcome = await outcomeOf(found, dependencies);
    const { address, deleted, requester } = found.job;
    if (!deleted || outcome.kind === 'running') return outcome;
    return { kind: 'failed', text: words(requester.locale, address.platform).deleted, onRecord: true };
  };
}

async function outcomeOf({ job, state }: Found, dependencies: OutcomesDependencies): Promise<CommandOutcome> {
  const render = await ofRender(job, dependencies);
  if (render) return render;
  if (state !== 'done' && state !== 'failed') return { kind: 'running' };
  if ((await dependencies.deliveries.pendingIds()).includes(job.id)) return { kind: 'running' };
  if (state === 'failed') return { kind: 'failed', text: interrupted(job), onRecord: false };
  const text = await answerTo(job, dependencies);
  if (text !== undefined) return { kind: 'done', text };
  const [message] = await dependencies.answers.messagesOf(job.id);
  return { kind: 'done', ...(message && { message }) };
}

/** The outcome of images or a video; undefined for other commands, and where it wasn't begun. */
async function ofRender(job: Job, { renders }: OutcomesDependencies): Promise<CommandOutcome | undefined> {
  const all = await renders.ofJob(job.id);
  const [first] = all;
  if (!first) return undefined;
  if (!first.delivered) return { kind: 'running' };
  if (all.some(({ state }) => state === 'delivered')) return { kind: 'done', message: first.delivered };
  const text = renderFaults(all, words(job.requester.locale, job.address.platform));
  return { kind: 'failed', text, onRecord: true };
}

async function answerTo(
  job: Job,
  { conversations, placeSettings }: OutcomesDependencies,
): Promise<string | undefined> {
  if (job.command !== 'ask') return undefined;
  const settings = await placeSettings.at(job.address);
  const answer = await conversations.answerTo(conversationOf({ ...job, settings }), job.id);
  return answer && withNote(answer.text, answer.ending);
}

function interrupted({ options, requester }: Job): string {
  const { prompt, text } = options as { readonly prompt?: unknown; readonly text?: unknown };
  return words(requester.locale).interrupted(titleOf(String(prompt ?? text ?? ''), 80));
}
