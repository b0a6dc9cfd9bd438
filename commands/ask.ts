import { firstRoom, paidAnswer } from '../src/app/answers/metered-answer.ts';
import type { CommandDependencies } from '../src/app/command-dependencies.ts';
import { defineCommand } from '../src/app/define-command.ts';
import { explain } from '../src/app/faults/explain.ts';
import { renewal } from '../src/app/presenters/budget-sentences.ts';
import { estimateTokens, type Turn } from '../src/conversation/index.ts';
import { BudgetExceededError, chatCreditsEstimated } from '../src/credits/index.ts';
import { untilDone } from '../src/lib/backoff.ts';
import { isLocal } from '../src/lib/local-faults.ts';
import {
  actionId,
  type Button,
  channelKey,
  type Invocation,
  type Job,
  type LiveAnswer,
  placeKey,
} from '../src/port/index.ts';
import type { Ending } from '../src/reply/index.ts';
import { TruncatedStreamError } from '../src/service/index.ts';
import { type ChatModel, chatModels } from '../src/service-rules/models.ts';
import { type Words, words } from '../src/words/index.ts';

const options = {
  prompt: {
    type: 'text',
    required: true,
    description: { en: 'What you want to know or get done', 'zh-CN': '想问的或想做的事' },
  },
  model: {
    type: 'choice',
    choices: chatModels,
    description: {
      en: 'The model that answers; the pro one is for research and complex tasks',
      'zh-CN': '回答所用的模型；pro 适合研究和复杂任务',
    },
  },
} as const;

interface AskValues {
  readonly prompt: string;
  readonly model?: ChatModel;
  /** The job whose answer this one takes the place of. */
  readonly replaces?: string;
}

/** `/ask`: a chat answer that grows where people see it; the place's conversation goes on. */
export default defineCommand({
  name: 'ask',
  localNames: { 'zh-CN': '提问' },
  description: { en: 'Ask something and continue the conversation here', 'zh-CN': '提问，并继续这里的对话' },
  help: {
    en: 'I remember what was said here. `/reset` starts over.\nExample: `/ask prompt:Explain tides to a child`',
    'zh-CN': '我记得这里说过的话，用 `/reset` 可以重新开始。\n例如：`/ask prompt:给孩子讲讲潮汐`',
  },
  options,
  textOption: 'prompt',
  seenBy: 'channel',
  queues: true,
  price: ({ prompt, model = chatModels[0] }) =>
    chatCreditsEstimated(model, estimateTokens(prompt), firstRoom),
  run: answer,
  isInterim: (shown, job) => isHint(shown, words(job.requester.locale)),
  async interrupted(job, answered, parts) {
    const say = words(job.requester.locale);
    const { prompt } = job.options as unknown as AskValues;
    const question = { jobId: job.id, speaker: job.requester.name, asked: prompt };
    const whole = await parts.conversations.answerTo(placeKey(job.address), job.id);
    if (whole !== undefined) {
      // It was written to its end; only people may not have seen all of it.
      const message = { text: whole, buttons: buttons(job.id, { kind: 'done' }, say) };
      await parts.deliveries.bringLater(job, message, answered ?? { messages: [], lastText: '' });
      return 'goes-on';
    }
    if (await parts.deliveries.has(job.id)) return 'goes-on';
    const text = answered?.lastText.trim();
    const again = { id: actionId('ask', 'regenerate', job.id), label: say.tryAgain };
    // What people can read stays in the conversation, so that it can go on from there.
    await parts.conversations.restore(placeKey(job.address), question, text || undefined);
    if (!text) return [again];
    return [{ id: actionId('ask', 'continue', job.id), label: say.continue }, again];
  },
  actions: {
    stop: {
      who: 'requester-or-moderator',
      answers: 'quiet',
      run: async ({ job }, parts) => void parts.answers.stop(job.id),
    },
    regenerate: {
      who: 'requester',
      answers: 'reply',
      call: ({ job }) => ({ command: 'ask', options: { ...job.options, replaces: job.id } }),
    },
    continue: {
      who: 'requester',
      answers: 'reply',
      call: ({ job, requester }) => {
        const { model } = job.options as unknown as AskValues;
        const prompt = words(requester.locale).continuePrompt;
        return { command: 'ask', options: { prompt, ...(model && { model }) } };
      },
    },
  },
});

async function answer(invocation: Invocation<AskValues>, dependencies: CommandDependencies): Promise<void> {
  const { job, options: values, address, reply, requester } = invocation;
  const say = words(requester.locale);
  const live = reply.stream({ buttons: (ending) => buttons(job.id, ending, say) });
  const question = {
    jobId: job.id,
    speaker: requester.name,
    asked: values.prompt,
    ...(values.replaces !== undefined && { replaces: values.replaces }),
  };
  const here = dependencies.places.at(address);
  await dependencies.answers.run(job.id, async (stopped) => {
    const order = {
      person: requester.id,
      atOnce: here.then((settled) => settled.values.at_once),
      signal: stopped,
      onWait: () => live.hint(say.waitingTurn),
    };
    try {
      await dependencies.conversations.turn(placeKey(address), question, order, (turn) =>
        write(invocation, dependencies, turn, live, stopped),
      );
    } catch (error) {
      if (!stopped.aborted) dependencies.report(error, job);
      await end(invocation, dependencies, live, endingOf(error, invocation, stopped));
    }
  });
}

/** Writes the answer, and keeps the exchange when it has ended well or a person stopped it. */
async function write(
  invocation: Invocation<AskValues>,
  dependencies: CommandDependencies,
  turn: Turn,
  live: LiveAnswer,
  stopped: AbortSignal,
): Promise<void> {
  const { job, options: values, address, requester, signal } = invocation;
  const { model = chatModels[0] } = values;
  const say = words(requester.locale);
  const { persona } = (await dependencies.places.at(address)).values;
  const { conversationId } = turn;
  const events = paidAnswer(
    dependencies,
    { job, model, messages: turn.messages(persona), conversationId },
    {
      signal: AbortSignal.any([stopped, signal]),
      fairnessKey: channelKey(address),
      onWait: (place) => live.hint(say.waitingPlace(place)),
    },
  );
  let ending: Ending = { kind: 'done' };
  try {
    for await (const event of events) {
      if (event.type === 'text') live.append(event.text);
      else ending = endingFor(event.finishReason, say);
    }
  } catch (error) {
    if (error instanceof BudgetExceededError && live.text.trim() !== '') {
      const note = say.spending.budgetReached(renewal(error.standing, say, requester));
      ending = { kind: 'stopped', note };
    } else if (stopped.aborted) ending = { kind: 'stopped', note: say.endings.stopped };
    else throw error;
  }
  const isEmpty = live.text.trim() === '';
  if (isEmpty) live.append(say.emptyAnswer);
  const keep = () => turn.keep(live.text);
  const isKept = isEmpty || (await keep().then(() => true, isLocalTrouble));
  await end(invocation, dependencies, live, ending);
  if (!isKept) await keepLate(dependencies, job, keep);
}

/** What people are to read must not depend on what can be written down here; that is tried again later. */
function isLocalTrouble(error: unknown): false {
  if (!isLocal(error)) throw error;
  return false;
}

/** While this goes on the place's next turn waits, so it does not go on for long. */
async function keepLate(
  { clock, report }: CommandDependencies,
  job: Job,
  keep: () => Promise<void>,
): Promise<void> {
  const failed = (error: unknown, tries: number) => {
    if (tries >= 5) throw error;
  };
  await untilDone(keep, { clock, waits: { first: 1_000, longest: 16_000 }, failed }).catch((error: unknown) =>
    report(error, job),
  );
}

/** Ends the answer where it grew, else brings it to people in another way. */
async function end(
  { job, requester }: Invocation<AskValues>,
  dependencies: CommandDependencies,
  live: LiveAnswer,
  ending: Ending,
): Promise<void> {
  const text = [live.text, ending.note].filter(Boolean).join('\n\n');
  const message = { text, buttons: buttons(job.id, ending, words(requester.locale)) };
  await dependencies.deliveries.bring(job, message, () => live.finish(ending));
}

/** How an answer ends by the service's `finish_reason`. */
function endingFor(finishReason: string | undefined, say: Words): Ending {
  if (finishReason === 'length') return { kind: 'done', note: say.endings.tooLong };
  if (finishReason === 'content_filter') return { kind: 'done', note: say.endings.filtered };
  return { kind: 'done' };
}

/** How an answer ends that could not be written to its end. What was written stays. */
function endingOf(
  error: unknown,
  { requester, signal }: Invocation<AskValues>,
  stopped: AbortSignal,
): Ending {
  const say = words(requester.locale);
  if (stopped.aborted) return { kind: 'stopped', note: say.endings.stopped };
  if (signal.aborted) return { kind: 'interrupted', note: say.endings.interrupted };
  if (error instanceof TruncatedStreamError) return { kind: 'failed', note: say.endings.cutOff };
  return { kind: 'failed', note: `⚠️ ${explain(error, say, requester)}` };
}

/** Whether a message tells only why the answer takes long. */
function isHint(shown: string, { waitingTurn, waitingPlace }: Words): boolean {
  const bare = (text: string) => text.replace(/\d+/gu, '').trim();
  return [waitingTurn, waitingPlace(1)].some((hint) => bare(shown).endsWith(bare(hint)));
}

function buttons(jobId: string, ending: Ending | undefined, say: Words): readonly Button[] {
  const button = (action: string, label: string): Button => ({ id: actionId('ask', action, jobId), label });
  if (!ending) return [{ ...button('stop', say.stop), style: 'danger' }];
  if (ending.kind === 'failed' || ending.kind === 'interrupted') return [button('regenerate', say.tryAgain)];
  const whole = ending.kind === 'done' && !ending.note;
  return [button('regenerate', say.regenerate), ...(whole ? [] : [button('continue', say.continue)])];
}
