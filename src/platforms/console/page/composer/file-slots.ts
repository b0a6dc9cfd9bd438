import type { WireCommandDefinition, WireFile, WireOption } from '../../api/wire.ts';
import { say } from '../words/index.ts';

/** Files assigned to a command's options, or why that isn't possible. */
export type Assigned =
  | { readonly values: Readonly<Record<string, { readonly file: string }>> }
  | { readonly fault: string };

/** A command's options that take an uploaded file. */
export function uploadOptions(shape: WireCommandDefinition): WireOption[] {
  return shape.options.filter((option) => option.type === 'file' && option.reach === 'data');
}

/** Assigns files to a command's options, each to the first free one of its media type. */
export function assignFiles(
  shape: WireCommandDefinition,
  files: readonly WireFile[],
  commands: readonly WireCommandDefinition[],
): Assigned {
  const free = uploadOptions(shape);
  const values: Record<string, { file: string }> = {};
  for (const file of files) {
    const family = file.contentType.split('/')[0];
    const fits = free.findIndex((option) => option.media === family);
    const slot = free.splice(Math.max(0, fits), 1)[0];
    if (!slot) return { fault: whyNot(shape, family, commands) };
    values[slot.name] = { file: file.id };
  }
  return { values };
}

function whyNot(
  shape: WireCommandDefinition,
  family: string | undefined,
  commands: readonly WireCommandDefinition[],
): string {
  const all = uploadOptions(shape);
  const [first] = all;
  if (first) return say.tooManyFiles(shape.name, all.length, `${first.media}/*`);
  const instead = addressesInstead(shape, family);
  if (instead) return say.addressInstead(shape.name, `--${instead.name}`);
  const able = commands.filter((command) => uploadOptions(command).length > 0);
  return say.noFilesHere(able.map((command) => `/${command.name}`).join(', '));
}

/** The option that takes links, for files that the service fetches itself. */
export function addressesInstead(
  shape: WireCommandDefinition,
  media: string | undefined,
): WireOption | undefined {
  const fetched = shape.options.filter((option) => option.type === 'file' && option.reach === 'address');
  const known = fetched.find((option) => option.media === media) ?? fetched[0];
  return known && shape.options.find((option) => option.type === 'addresses' && option.media === known.media);
}
