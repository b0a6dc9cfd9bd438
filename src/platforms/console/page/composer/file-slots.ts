import type { WireCommandDefinition, WireFile, WireOption } from '../../api/wire.ts';
import { say } from '../words/index.ts';

/** Files put to a command's options, or why that is not possible. */
export type Assigned =
  | { readonly values: Readonly<Record<string, { readonly file: string }>> }
  | { readonly fault: string };

/** Options of a command that take a file from here. */
export function uploadOptions(shape: WireCommandDefinition): WireOption[] {
  return shape.options.filter((option) => option.type === 'file' && option.reach === 'data');
}

/** Puts files to a command's options, in order, each to the first free one for its kind. */
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

/** The option that takes addresses where a file cannot be taken: the service fetches those files itself. */
export function addressesInstead(
  shape: WireCommandDefinition,
  media: string | undefined,
): WireOption | undefined {
  const fetched = shape.options.filter((option) => option.type === 'file' && option.reach === 'address');
  const known = fetched.find((option) => option.media === media) ?? fetched[0];
  return known && shape.options.find((option) => option.type === 'addresses' && option.media === known.media);
}
