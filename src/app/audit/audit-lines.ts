import { paidUnder } from '../../credits/index.ts';
import { aroundSpoilers, asCode, shortened } from '../../lib/text.ts';
import {
  type Address,
  type Button,
  type CommandEnd,
  isInDirectMessages,
  isPrivate,
  type Job,
  type Jobs,
  type JobState,
  type LiveAnswers,
  type Message,
  type NamedJob,
  type Place,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import type { Database } from '../../store/index.ts';
import type { AuditedOutcome } from '../../words/audit-words.ts';
import { creditsInWords, type Words } from '../../words/index.ts';
import { deleteReportedButton } from '../endings.ts';
import { channelNameOf, nameInLine } from '../presenters/usage-report.ts';

/** The most characters of a report's reason in its line. */
const longestReason = 500;

/** A person as a line names them. Nobody is notified. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** What an audit channel is told besides commands that are over. */
export type NoteLine =
  | { readonly kind: 'refused'; readonly person: Named; readonly command: string; readonly channel: string }
  | {
      readonly kind: 'settings';
      /** Absent where an operator did. */
      readonly person?: Named;
      readonly names: readonly string[];
      /** Absent for the whole place. */
      readonly channel?: string;
    }
  | {
      readonly kind: 'report';
      /** Absent where they don't want to be named. */
      readonly person?: Named;
      readonly reason: string;
      readonly link?: string;
      /** The job of what's reported. */
      readonly about: string;
      /** Not only its requester sees it. */
      readonly isShown?: true;
    };

export interface LineDependencies {
  readonly database: Database;
  readonly jobs: Pick<Jobs, 'find'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly renders: Pick<Renders, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  /** Lines have no words of people's own, neither names nor reasons: a platform may block them. */
  readonly isBare?: boolean;
}

/** A line for each note, or one report, and for each command; undefined where there's nothing to tell any more. */
export async function batchMessage(
  told: { readonly notes: readonly (NoteLine & Place)[]; readonly commands: readonly NamedJob[] },
  say: Words,
  dependencies: LineDependencies,
): Promise<Message | undefined> {
  const lines: string[] = [];
  let buttons: readonly Button[] = [];
  for (const note of told.notes)
    if (note.kind === 'report') {
      // It stands by itself.
      const report = await reportMessage(note, say, dependencies, async () => true);
      lines.push(report.text);
      buttons = report.buttons ?? [];
    } else lines.push(await noteLine(note, say, dependencies));
  // Whose data was deleted meanwhile isn't told of.
  for (const one of told.commands) {
    const { requester, deleted } = one.job;
    if (requester.id !== '' && deleted !== 'data' && !isInDirectMessages(requester))
      lines.push(await commandLine(one, say, dependencies));
  }
  return lines.length === 0 ? undefined : { text: lines.join('\n'), buttons };
}

/** The line about a command that's over: never what was asked for. */
async function commandLine(
  { job, state, end }: Pick<NamedJob, 'job' | 'state' | 'end'>,
  say: Words,
  dependencies: LineDependencies,
): Promise<string> {
  const cost = await costOf(job.id, dependencies);
  const isCanceled = cost.calls === 0 && state !== 'failed';
  const how = isCanceled ? 'canceled' : await outcomeOf(job, state, end, dependencies);
  // The one that answered: others may have used the budget of the one it was given.
  const model = typeof job.options.model === 'string' && (cost.model ?? job.options.model);
  const isShown = how === 'done' || how === 'stopped' || how === 'cut';
  const link = isShown && !job.deleted ? await resultLink(job, dependencies) : undefined;
  return say.audit.command({
    how,
    who: named(job.requester, dependencies),
    what: asCode(`/${job.command}${model ? ` ${model}` : ''}`, 60),
    where: await channelInLine(job.address, dependencies.adapters),
    cost: creditsInWords(cost, say.locale),
    isPrivate: isPrivate(job),
    ...(link !== undefined && { link }),
  });
}

/** The line about a refusal, a change of settings or a report, for all or one `reader`. */
async function noteLine(
  note: NoteLine & Place,
  say: Words,
  dependencies: LineDependencies,
  reader?: string,
): Promise<string> {
  const { adapters } = dependencies;
  const nameOf = (channel: string) => channelInLine({ ...note, channel }, adapters, reader);
  if (note.kind === 'refused')
    return say.audit.blocked(
      named(note.person, dependencies),
      `\`/${note.command}\``,
      await nameOf(note.channel),
    );
  if (note.kind === 'settings') {
    const names = note.names.map((name) => `\`${say.optionName(name)}\``).join(say.comma);
    const where = note.channel === undefined ? undefined : await nameOf(note.channel);
    return say.audit.settings(note.person && named(note.person, dependencies), names, where);
  }
  const job = await dependencies.jobs.find(note.about);
  const isKnown = job !== undefined && job.requester.id !== '' && job.deleted !== 'data';
  const isAlone = job !== undefined && isPrivate(job) && !note.isShown;
  const isDirect = job?.requester.direct === true;
  // Of what only one person sees, whose it is says who reports it; so does where their direct messages are.
  const isNamed = note.person !== undefined;
  const hasWhose = isKnown && (isNamed || !(isAlone || isDirect));
  const isPlaced = isNamed || !isDirect;
  return say.audit.report({
    ...(note.person && { by: named(note.person, dependencies) }),
    ...(hasWhose && { whose: named(job.requester, dependencies) }),
    ...(job && { what: `\`/${job.command}\`` }),
    ...(job && isPlaced && { where: await nameOf(job.address.channel) }),
    ...(note.link !== undefined && isPlaced && { link: note.link }),
    isPrivate: isAlone,
    ...(note.reason !== '' && !dependencies.isBare && { reason: reasonShown(note.reason) }),
  });
}

/** A report with a button that deletes what it's about, unless it's gone or only its requester sees it. */
export async function reportMessage(
  note: NoteLine & { readonly kind: 'report' } & Place,
  say: Words,
  dependencies: LineDependencies,
  mayDelete: (job: Job) => Promise<boolean>,
  reader?: string,
): Promise<Pick<Message, 'buttons'> & { readonly text: string }> {
  const text = await noteLine(note, say, dependencies, reader);
  const job = await dependencies.jobs.find(note.about);
  const stands = job && note.isShown && job.deleted !== 'left' && !(await isGone(job, dependencies));
  return { text, ...(stands && (await mayDelete(job)) && { buttons: [deleteReportedButton(job, say)] }) };
}

/** A channel for a reader, or for all in an audit channel, of whom each learns its name only if they see it. */
async function channelInLine(address: Address, adapters: PlatformAdapters, reader?: string): Promise<string> {
  const mention = reader === undefined ? adapters(address.platform)?.channelMention(address) : undefined;
  return mention ?? channelNameOf(address.channel, address, adapters, reader);
}

/** Whether nothing of what a job showed others stands any more. */
export async function isGone(job: Job, { answers }: Pick<LineDependencies, 'answers'>): Promise<boolean> {
  const known = await answers.messagesOf(job.id);
  // Its requester may have it, and not what they shared.
  if (isPrivate(job)) return !known.some(({ isShared }) => isShared);
  return job.deleted === 'answer' && known.length === 0;
}

/** A link to what a job has made, for those who may see it; none to what only its requester sees. */
export async function resultLink(
  job: Job,
  { answers, adapters }: Pick<LineDependencies, 'answers' | 'adapters'>,
): Promise<string | undefined> {
  if (isPrivate(job)) return undefined;
  const shown = (await answers.messagesOf(job.id)).find(({ message, onlyFor }) => message !== '' && !onlyFor);
  if (!shown) return undefined;
  return adapters(shown.platform)
    ?.linkTo(shown)
    .catch(() => undefined);
}

/** As code: what somebody writes there links to nothing and formats nothing but what it hides. */
function reasonShown(reason: string): string {
  const code = (words: string) => (words.trim() === '' ? '' : asCode(words, longestReason));
  return aroundSpoilers(shortened(reason, longestReason), code, (hidden) => `||${code(hidden)}||`);
}

async function outcomeOf(
  { id }: Job,
  state: JobState,
  end: CommandEnd = { outcome: 'done' },
  { renders }: LineDependencies,
): Promise<AuditedOutcome> {
  const made = await renders.ofJob(id);
  if (made.length === 0) return outcomeByEnd(state, end);
  if (made.some((one) => one.state === 'delivered')) return 'done';
  return made.every(({ fault }) => fault?.code === 'canceled') ? 'canceled' : 'failed';
}

/** People can read a part of what was stopped, by a person or a budget, or cut by the service. */
function outcomeByEnd(state: JobState, { outcome, reason }: CommandEnd): AuditedOutcome {
  if (outcome === 'canceled') return 'stopped';
  if (outcome === 'done') return reason === 'service' ? 'cut' : state === 'failed' ? 'failed' : 'done';
  if (reason === 'rules') return 'withheld';
  return reason === 'budget' ? 'stopped' : 'failed';
}

async function costOf(
  job: string,
  { database }: LineDependencies,
): Promise<CreditRange & { readonly calls: number; readonly model: string | null }> {
  const { low, high, calls, model } = await database
    .selectFrom('ledger')
    .select(({ fn }) => [
      fn.sum<number | null>('low').as('low'),
      fn.sum<number | null>('high').as('high'),
      fn.countAll<number>().as('calls'),
      fn.max<string | null>('model').as('model'),
    ])
    .where('job', 'in', paidUnder(job))
    .where('state', '<>', 'failed')
    .executeTakeFirstOrThrow();
  return { low: Number(low ?? 0) / 1e6, high: Number(high ?? 0) / 1e6, calls: Number(calls), model };
}

function named({ id, name }: Named, { isBare }: Pick<LineDependencies, 'isBare'>): string {
  return `**${(!isBare && nameInLine(name)) || id}** (${asCode(id, 64)})`;
}
