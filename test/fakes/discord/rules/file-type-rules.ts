import { checkLength, type Fields } from '../http/fields.ts';
import { invalidField } from '../http/refusal.ts';

/** The endings of Discord's groups (reference, file type filtering). */
const groups: Readonly<Record<string, readonly string[]>> = {
  image: ['.png', '.gif', '.jpg', '.jpeg', '.jfif', '.webp', '.avif'],
  video: ['.mp4', '.mov', '.qt', '.webm'],
  audio: ['.mp3', '.m4a', '.wav', '.ogg', '.opus', '.flac'],
};

function typesOf({ file_types: types }: Fields): readonly string[] {
  return Array.isArray(types) ? types.map(String) : [];
}

/** Checks the file types of an attachment option or of a form's file upload: at most 10 groups and endings. */
export function checkFileTypes(holder: Fields, path: string): void {
  const types = typesOf(holder);
  checkLength(types.length, `${path}.file_types`, 0, 10);
  types.forEach((type, index) => {
    if (!Object.hasOwn(groups, type) && !/^\.\w+$/.test(type))
      throw invalidField(`${path}.file_types.${index}`, 'FILE_TYPE_INVALID', 'Neither a group nor an ending');
  });
}

/** What people's client does: it lets them choose only these files, by their names alone. */
export function chooseFile(holder: Fields, { name }: { readonly name: string }): void {
  const endings = typesOf(holder).flatMap((type) => groups[type] ?? [type.toLowerCase()]);
  if (endings.length > 0 && !endings.some((ending) => name.toLowerCase().endsWith(ending)))
    throw new Error(`The client takes no ${name} for this`);
}
