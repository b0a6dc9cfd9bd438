import { actionId, type LiveAnswer, type LiveProgress } from '../../../../src/port/index.ts';
import type { Ending } from '../../../../src/reply/index.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import type { Stage } from './stage.ts';

const description = { en: 'x', 'zh-CN': '甲' };

/** A growing answer that a test writes. */
export interface OpenAnswer {
  readonly live: LiveAnswer;
  readonly prompt: string;
  /** What the platform added to it, as quotes. */
  readonly context: string | undefined;
  readonly progress: LiveProgress[];
  end(ending?: Ending): Promise<void>;
}

/** The answers that were opened, in order. */
export const openAnswers: OpenAnswer[] = [];

/** Ada asks something; the answer is the test's. */
export function begun(stage: Stage): Promise<OpenAnswer> {
  stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'wait' } });
  return stage.discord.until('the stream', () => openAnswers[0]);
}

/** Ada asks for words, which are the answer. */
export const asks = (stage: Stage, words: string) => stage.ada.mentions(stage.channel, `say ${words}`);

/** The answers in the channel. */
export const answers = (stage: Stage) => stage.ofBot().map(({ content }) => content);

export const answered = (stage: Stage, words: string) =>
  stage.discord.until(words, () => answers(stage).includes(words));

/** An `/ask` whose answer is written by the test. */
export const streamingAsk = defineCommand<{
  prompt: { type: 'text'; required: true; description: typeof description };
}>({
  name: 'ask',
  description,
  help: description,
  options: { prompt: { type: 'text', required: true, description } },
  seenBy: 'channel',
  async run({ job, reply, options }) {
    const progress: LiveProgress[] = [];
    const live = reply.stream({
      buttons: (ending) => [
        { id: actionId('ask', 'stop', job.id), label: ending ? `Again ${ending.kind}` : 'Stop' },
      ],
      onProgress: (now) => void progress.push(now),
    });
    const ended = Promise.withResolvers<Ending>();
    openAnswers.push({
      live,
      prompt: options.prompt,
      context: (options as { readonly context?: string }).context,
      progress,
      end: async (ending = { kind: 'done' }) => {
        ended.resolve(ending);
        await live.finish(ending);
      },
    });
    if (options.prompt.startsWith('say ')) live.append(options.prompt.slice(4));
    await live.finish(options.prompt.startsWith('say ') ? { kind: 'done' } : await ended.promise);
  },
});
