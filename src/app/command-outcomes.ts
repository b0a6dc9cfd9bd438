import type { Conversations } from '../conversation/index.ts';
import type { Deliveries } from '../deliveries/index.ts';
import { titleOf } from '../lib/text.ts';
import type { PlaceSettings } from '../place-settings/index.ts';
import type { CommandOutcome, CommandOutcomes, Job, Jobs } from '../port/index.ts';
import type { Renders } from '../renders/index.ts';
import { withNote } from '../reply/index.ts';
import { words } from '../words/index.ts';
import { renderFaults } from './faults/explain.ts';
import { conversationOf } from './policy/conversation-of.ts';

interface OutcomesDependencies {
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
  return { kind: 'done', ...(text !== undefined && { text }) };
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
