import { type Clock, waitAfter, type Waits } from '../../../lib/clock.ts';
import { shortened } from '../../../lib/text.ts';
import {
  type CommandOutcome,
  type CommandOutcomes,
  type MessageAddress,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { accessCodes, platformError, slackCode } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { quietMarkdown } from '../markup/mrkdwn.ts';
import type { SlackAdapter } from '../post/adapter.ts';
import { slackWords } from '../words.ts';
import type { StepRecord, StepRecords, StepSaid } from './step-records.ts';

/** How often a step is looked after, in milliseconds: soon at first, less often the longer it takes. */
const waits: Waits = { first: 2_000, longest: 30_000, factor: 1.3 };
/** An execution without a command on record after this many milliseconds was lost with its process. */
const lostAfter = 10 * 60_000;
/** Longest answer where Slack doesn’t take the whole. */
const shortAnswer = 3_000;

interface StepsDependencies {
  readonly api: SlackApi;
  readonly adapter: Pick<SlackAdapter, 'linkTo' | 'fileLinks' | 'findAnswer'>;
  readonly records: StepRecords;
  readonly outcomes: CommandOutcomes;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Steps of workflows under way. Each is on record until Slack knows how it ended: what became of its command is read
 * from the bot’s own records, so a restart in between changes nothing.
 */
export class Steps {
  readonly #dependencies: StepsDependencies;
  /** Executions under way, each with what stops its next look. */
  readonly #open = new Map<string, () => void>();
  #isClosed = false;

  constructor(dependencies: StepsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Goes on with the steps of processes that don't live any more. */
  async takeUp(): Promise<void> {
    const { records } = this.#dependencies;
    for (const record of await records.abandoned()) {
      await records.save(record);
      this.#follow(record.execution, 0);
    }
  }

  /** Records a step, once however often its event comes; from then on it’s ended whatever happens to the process. */
  async begin(record: StepRecord): Promise<void> {
    const { records } = this.#dependencies;
    if (!(await records.find(record.execution))) await records.save(record);
    this.#follow(record.execution, 0);
  }

  /** Notes what a step has said so far. */
  async note(execution: string, said: StepSaid): Promise<void> {
    const { records } = this.#dependencies;
    const record = await records.find(execution);
    if (!record) return;
    const messages = [...(record.said?.messages ?? []), ...said.messages];
    await records.save({ ...record, said: { text: said.text || (record.said?.text ?? ''), messages } });
  }

  /** A step was refused before anything was done. */
  async refuse(execution: string, refused: string): Promise<void> {
    const { records } = this.#dependencies;
    const record = await records.find(execution);
    if (record) await records.save({ ...record, refused });
    this.look(execution);
  }

  /** Looks after a step now: its command has ended, or so it seems. */
  look(execution: string): void {
    this.#open.get(execution)?.();
    this.#open.delete(execution);
    void this.#look(execution, 0);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#open.values()) cancel();
    this.#open.clear();
  }

  #follow(execution: string, looks: number): void {
    if (this.#isClosed) return;
    this.#open.get(execution)?.();
    const next = () => {
      this.#open.delete(execution);
      void this.#look(execution, looks + 1);
    };
    this.#open.set(execution, this.#dependencies.clock.after(waitAfter(looks + 1, waits), next));
  }

  async #look(execution: string, looks: number): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (!(await this.#isOver(execution))) this.#follow(execution, looks);
    } catch (error) {
      this.#dependencies.log.debug({ error: String(error) }, 'a step of a workflow could not be ended yet');
      this.#follow(execution, looks);
    }
  }

  async #isOver(execution: string): Promise<boolean> {
    const { api, records, log } = this.#dependencies;
    const record = await records.find(execution);
    // Another process that got the same event may look after it.
    if (!record || !records.isOwn(record)) return true;
    const end = await this.#endOf(record);
    if (!end) return false;
    let fate = await endStep(api, record, end);
    if (fate === 'invalid') fate = await endStep(api, record, shorter(end, record));
    if (fate !== 'ended') log.warn({ step: record.command, fate }, 'Slack doesn’t take the end of a step');
    await records.remove(execution);
    return true;
  }

  async #endOf(record: StepRecord): Promise<StepEnd | undefined> {
    if (record.refused !== undefined) return { error: record.refused };
    const { outcomes, clock } = this.#dependencies;
    const outcome = await outcomes(record.eventId);
    switch (outcome.kind) {
      case 'running':
        return undefined;
      case 'unknown': {
        const isLost = clock.now() - record.begunAt > lostAfter;
        return isLost ? { error: words(record.locale).interrupted('') } : undefined;
      }
      case 'failed':
        // The command has said why, unless its process died; the last words about a render are its announcement.
        return { error: (!outcome.onRecord && record.said?.text) || outcome.text };
      case 'done':
        return this.#resultOf(record, outcome);
    }
  }

  /** What was posted may be gone by now: the message stands for files that are. */
  async #resultOf(
    { command, said, locale }: StepRecord,
    { text, message }: CommandOutcome & { readonly kind: 'done' },
  ): Promise<StepEnd> {
    const { adapter } = this.#dependencies;
    const posted: MessageAddress | undefined = message ?? said?.messages.at(0);
    const link = posted && (await undefinedIfRefused(adapter.linkTo(posted)));
    const linked = link === undefined ? {} : { message_link: link };
    // A later step may post it.
    if (command === 'ask') return { outputs: { answer: quietMarkdown(text ?? said?.text ?? ''), ...linked } };
    const files = (posted && (await undefinedIfRefused(adapter.fileLinks(posted)))) ?? [];
    const file_link = files.join(' ') || link;
    return file_link ? { outputs: { file_link, ...linked } } : { error: words(locale).deleted };
  }
}

/** The same where Slack doesn’t take it: an answer cut short. */
function shorter(end: StepEnd, { locale }: StepRecord): StepEnd {
  const answer = 'outputs' in end ? end.outputs.answer : undefined;
  if (answer === undefined || answer.length <= shortAnswer || !('outputs' in end)) {
    return { error: slackWords(locale).stepRefused };
  }
  return { outputs: { ...end.outputs, answer: shortened(answer, shortAnswer) } };
}

/** How a step ends: with its outputs, or with a sentence that says why it failed. */
type StepEnd = { readonly outputs: Readonly<Record<string, string>> } | { readonly error: string };

/** Longest error; longer ones help nobody. */
const maxError = 1_000;

/**
 * Codes after which another token may do. Slack documents the step’s own token, which may live for a quarter of an
 * hour alone (reported); whether the bot’s own token does as well isn’t documented.
 */
const tokenCodes: readonly (string | undefined)[] = [
  ...accessCodes,
  'not_allowed_token_type',
  'no_permission',
  'access_denied',
  'function_execution_not_found',
];

/**
 * Tells Slack how a step ended: `ended`, once or once again. `gone`: Slack no longer knows the step. `invalid`: it
 * doesn’t take these outputs. Throws where that can be tried again later.
 */
async function endStep(
  api: SlackApi,
  { execution, workspace, token }: StepRecord,
  end: StepEnd,
): Promise<'ended' | 'gone' | 'invalid'> {
  const [method, rest] =
    'outputs' in end
      ? (['functions.completeSuccess', { outputs: end.outputs }] as const)
      : (['functions.completeError', { error: shortened(end.error, maxError) }] as const);
  const args = { function_execution_id: execution, ...rest };
  for (const own of token === undefined ? [undefined] : [token, undefined]) {
    try {
      await api.call(workspace, method, args, own === undefined ? {} : { token: own });
      return 'ended';
    } catch (error) {
      const code = slackCode(error);
      if (code === 'execution_not_in_running_state') return 'ended';
      if (code === 'parameter_validation_failed') return 'invalid';
      if (own !== undefined && tokenCodes.includes(code)) continue;
      if (platformError(error).kind === 'unreachable') throw error;
      return 'gone';
    }
  }
  return 'gone';
}
