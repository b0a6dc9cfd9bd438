import type { Message, MessageAddress, PlatformAdapters, Reply } from '../port/index.ts';
import { adapterOf } from './adapter-of.ts';

/** Says that work begins, and begins it; takes the message back if the work can't begin. */
export async function announced(
  { adapters }: { readonly adapters: PlatformAdapters },
  reply: Pick<Reply, 'say'>,
  message: Message,
  begin: (said: MessageAddress) => Promise<void>,
): Promise<void> {
  const said = await reply.say(message);
  try {
    await begin(said);
  } catch (error) {
    // The person is told why; what was promised must not stay above that.
    await adapterOf({ adapters }, said)
      .remove(said)
      .catch(() => {});
    throw error;
  }
}
