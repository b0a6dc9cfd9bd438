import type { EffectAction } from '../port/index.ts';
import { words } from '../words/index.ts';
import type { CommandDependencies } from './command-dependencies.ts';

/** The button that cancels what waits for its turn: nothing has been sent and nothing is spent then. */
export const cancelRender: EffectAction<CommandDependencies> = {
  who: 'requester-or-moderator',
  answers: 'quiet',
  async run({ job, requester, reply }, { renders }) {
    if (await renders.cancel(job.id)) return;
    await reply.whisper({ text: words(requester.locale).tooLateToCancel });
  },
};
