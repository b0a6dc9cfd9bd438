import type { APIMessage } from 'discord-api-types/v10';

/** What can be read of a message or of one that's forwarded. */
export type ReadableMessage = Partial<
  Pick<
    APIMessage,
    | 'author'
    | 'content'
    | 'attachments'
    | 'embeds'
    | 'components'
    | 'sticker_items'
    | 'poll'
    | 'message_snapshots'
  >
>;

/** The words of a message, wherever they stand: content, embeds, components, a poll, forwarded messages. */
export function textOfMessage(message: ReadableMessage): string {
  const { content, embeds = [], components = [], poll, message_snapshots: snapshots = [] } = message;
  const pieces = [
    content,
    ...textsIn(components),
    ...embeds.flatMap(({ author, title, description, fields = [] }) => [
      author?.name,
      title,
      description,
      ...fields.map(({ name, value }) => `${name}: ${value}`),
    ]),
    ...(poll
      ? [poll.question.text, ...poll.answers.map(({ poll_media }) => `- ${poll_media.text ?? ''}`)]
      : []),
    ...snapshots.map((snapshot) => textOfMessage(snapshot.message)),
  ];
  return pieces.filter(Boolean).join('\n');
}

/** The texts of components of version 2, in their order, nested ones too. */
function textsIn(components: readonly object[]): string[] {
  return components.flatMap((component) => {
    const own = 'content' in component && typeof component.content === 'string' ? [component.content] : [];
    const nested =
      'components' in component && Array.isArray(component.components) ? component.components : [];
    return [...own, ...textsIn(nested)];
  });
}
