import { type APIMessage, ComponentType } from 'discord-api-types/v10';
import { type MessageAddress, PlatformError } from '../../../port/index.ts';
import { isRefused } from '../api/errors.ts';
import type { MessageBody } from '../api/message-body.ts';
import { fileNameIn } from '../media/shown-files.ts';
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
  // What Discord sent is what it takes.
  const edit = (rows: Rows) =>
    access.edit(
      at.message,
      { components: rows as NonNullable<MessageBody['components']>, allowed_mentions: { parse: [] } },
      [],
    );
  await edit(changed.map(withOwnFiles)).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
    return edit(changed);
  });
}

/**
 * A gallery comes with the addresses of its files, which expire. Sent back by name, it still shows the message's own
 * files; where Discord doesn't find those (uncertain), the addresses have to do.
 */
function withOwnFiles(component: Rows[number]): Rows[number] {
  if (component.type !== ComponentType.MediaGallery) return component;
  const items = component.items.map((item) => {
    const { attachment_id: id, url } = item.media;
    return id === undefined ? item : { ...item, media: { url: `attachment://${fileNameIn(url)}` } };
  });
  return { ...component, items };
}

function relabelled(row: Rows[number], buttonId: string, label: string): Rows[number] {
  if (row.type !== ComponentType.ActionRow) return row;
  const isIt = (button: object) => 'custom_id' in button && button.custom_id === buttonId;
  if (!row.components.some(isIt)) return row;
  const components = row.components.map((button) => (isIt(button) ? { ...button, label } : button));
  return { ...row, components } as Rows[number];
}
