import { ComponentType } from 'discord-api-types/v10';
import { type Fields, isFields } from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { invalidField } from '../http/refusal.ts';
import type { StoredFile } from '../model.ts';
import type { Readings } from '../readings.ts';

/** The items of all media galleries of a message. */
export function galleryItems(components: readonly Fields[]): readonly Fields[] {
  return components.flatMap(({ type, items, components: children }) => {
    if (type === ComponentType.MediaGallery && Array.isArray(items)) return items.filter(isFields);
    return Array.isArray(children) ? galleryItems(children.filter(isFields)) : [];
  });
}

/** All that shows a file in a message: items of galleries, thumbnails beside texts, and files by themselves. */
export function mediaItems(components: readonly Fields[]): readonly Fields[] {
  return components.flatMap(({ type, file, accessory, components: children }) => {
    if (type === ComponentType.File) return [{ media: file } as Fields];
    const beside = isFields(accessory) && accessory.media !== undefined ? [accessory] : [];
    return [...beside, ...(Array.isArray(children) ? mediaItems(children.filter(isFields)) : [])];
  });
}

/** The texts of all text displays of a message. */
export function displayedTexts(components: readonly Fields[]): readonly string[] {
  return components.flatMap(({ type, content, components: children }) => {
    if (type === ComponentType.TextDisplay) return [String(content)];
    return Array.isArray(children) ? displayedTexts(children.filter(isFields)) : [];
  });
}

/** The file that a gallery's item shows. */
export function shownFile({ media }: Fields, files: readonly StoredFile[]): StoredFile | undefined {
  const name = isFields(media) ? /^attachment:\/\/(.+)$/.exec(String(media.url))?.[1] : undefined;
  return files.find((file) => file.name === name);
}

/** One reading of discord-api-docs#7529: the gallery of an edit doesn't find what the same edit uploads. */
export function checkGalleryByEdit(
  { galleryByEdit }: Readings,
  components: readonly Fields[] | undefined,
  uploads: readonly UploadedFile[],
): void {
  if (galleryByEdit === 'works' || uploads.length === 0 || galleryItems(components ?? []).length === 0)
    return;
  throw invalidField(
    'components.0.items.0.media.url',
    'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
    'The referenced attachment was not found',
  );
}
