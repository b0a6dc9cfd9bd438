import type { MessageAddress } from '../address.ts';
import type { Job } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import type { PlatformAdapter } from './platform-adapter.ts';

/** Posts to the requester's direct messages. */
export async function postDirectly(
  adapter: PlatformAdapter,
  { address, requester }: Job,
  message: Message,
  key: string,
): Promise<MessageAddress> {
  const direct = await adapter.directMessages(address.workspace, requester.id, address);
  return adapter.post(direct, message, key);
}
