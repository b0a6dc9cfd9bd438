import { type APIMessage, ComponentType } from 'discord.js';
import { type MessageAddress, PlatformError } from '../../../port/index.ts';
import type { MessageBody } from '../api/message-body.ts';
import { accessTo } from './message-access.ts';
import type { DiscordServices } from './services.ts';

type Rows = NonNullable<APIMessage['components']>;

/**
 * Changes a button's label; the rest of the message stays.
 * @throws {PlatformError} `gone` if the message hasn't the button.
 */
export async function relabelButton(
  services: DiscordServices,
  at: MessageAddress,
  buttonId: string,
  label: string,
): Promise<void> {
  const access = accessTo(services, at);
  const { components = [] } = await access.get(at.message);
  const changed = components.map((row) => relabelled(row, buttonId, label));
  if (changed.every((row, index) => row === components[index])) throw new PlatformError('gone');
  // The rows that Discord sent are rows that it takes.
  const rows = changed as NonNullable<MessageBody['components']>;
  await access.edit(at.message, { components: rows, allowed_mentions: { parse: [] } }, []);
}

function relabelled(row: Rows[number], buttonId: string, label: string): Rows[number] {
  if (row.type !== ComponentType.ActionRow) return row;
  const isIt = (button: object) => 'custom_id' in button && button.custom_id === buttonId;
  if (!row.components.some(isIt)) return row;
  const components = row.components.map((button) => (isIt(button) ? { ...button, label } : button));
  return { ...row, components } as Rows[number];
}
