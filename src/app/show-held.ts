import type { EffectAction, Message } from '../port/index.ts';
import { words } from '../words/index.ts';
import { adapterOf } from './adapter-of.ts';
import type { CommandDependencies } from './command-dependencies.ts';

/** The button that shows a result which only its requester may see and which couldn't be sent to them. */
export const showHeld: EffectAction<CommandDependencies> = {
  who: 'requester',
  answers: 'private',
  staysWhenDeleted: true,
  async run({ job, address, requester, reply }, dependencies) {
    const { deliveries, renders } = dependencies;
    const say = (message: Message) => reply.say(message);
    if (await deliveries.bringHeld(job, say)) return;
    const adapter = adapterOf(dependencies, address);
    const limit = await adapter.maxFileBytes(address, job.command === 'imagine' ? 'image' : 'video');
    if (await renders.bringHeld(job, limit, say)) return;
    await reply.whisper({ text: words(requester.locale).nothingHeld });
  },
};
