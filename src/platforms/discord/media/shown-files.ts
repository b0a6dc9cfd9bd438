import {
  type APIAttachment,
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
} from 'discord-api-types/v10';

/** A file that a message shows. */
export type ShownFile = Pick<APIAttachment, 'id' | 'filename' | 'content_type' | 'url'> & {
  /** In bytes; unknown of what a gallery shows. */
  readonly size?: number;
};

/**
 * The files of a message, in order. What a gallery shows isn't among the attachments (resources/message), so it's read
 * from the gallery.
 */
export function filesShownIn({
  attachments,
  components = [],
}: Pick<APIMessage, 'attachments' | 'components'>): readonly ShownFile[] {
  const known = new Set(attachments.map(({ id }) => id));
  return [...attachments, ...components.flatMap(galleryFiles).filter(({ id }) => !known.has(id))];
}

/** The text of a message: its content, or what its components say. */
export function textShownIn({
  content,
  components = [],
}: Pick<APIMessage, 'content' | 'components'>): string {
  const texts = components.flatMap((one) => (one.type === ComponentType.TextDisplay ? [one.content] : []));
  return [content, ...texts].filter(Boolean).join('\n');
}

function galleryFiles(component: APIMessageTopLevelComponent): readonly ShownFile[] {
  if (component.type !== ComponentType.MediaGallery) return [];
  return component.items.flatMap(({ media: { url, attachment_id: id, content_type } }) => {
    if (id === undefined) return [];
    return [{ id, filename: fileNameIn(url), url, ...(content_type && { content_type }) }];
  });
}

/** The name of a file in its address on Discord. */
export function fileNameIn(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
}
