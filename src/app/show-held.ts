import type { EffectAction } from '../port/index.ts';
import { words } from '../words/index.ts';
import { adapterOf } from './adapter-of.ts';
import type { CommandDependencies } from './command-dependencies.ts';

/** The button that shows a private result which couldn't be sent to its requester. */
export const showHeld: EffectAction<CommandDependencies> = {
  who: 'requester',
  answers: 'private',
  async run({ job, address, requester, reply }, dependencies) {
    const adapter = adapterOf(dependencies, address);
    const limit = await adapter.maxFileBytes(address, job.command === 'imagine' ? 'image' : 'video');
    if (await dependencies.renders.bringHeld(job, limit, (message) => reply.say(message))) return;
    await reply.whisper({ text: words(requester.locale).nothingHeld });
  },
};
