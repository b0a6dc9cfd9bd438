import type { WireCommandDefinition, WireFile, WireOption } from '../../api/wire.ts';
import { strings } from '../words/index.ts';

/** Files assigned to a command's options, or why that isn't possible. */
export type FileAssignment =
  | { readonly values: Readonly<Record<string, { readonly file: string }>> }
  | { readonly fault: string };

/** A command's options that take an uploaded file. */
export function uploadOptions(definition: WireCommandDefinition): WireOption[] {
  return definition.options.filter((option) => option.type === 'file' && option.reach === 'data');
}

/** Assigns files to a command's options, each to the first free one of its media type. */
export function assignFiles(
  definition: WireCommandDefinition,
  files: readonly WireFile[],
  commands: readonly WireCommandDefinition[],
): FileAssignment {
  const free = uploadOptions(definition);
  const values: Record<string, { file: string }> = {};
  for (const file of files) {
    const family = file.contentType.split('/')[0];
    const fits = free.findIndex((option) => option.media === family);
    const slot = free.splice(Math.max(0, fits), 1)[0];
    if (!slot) return { fault: assignmentFault(definition, family, commands) };
    values[slot.name] = { file: file.id };
  }
  return { values };
}

function assignmentFault(
  definition: WireCommandDefinition,
  family: string | undefined,
  commands: readonly WireCommandDefinition[],
): string {
  const all = uploadOptions(definition);
  const [first] = all;
  if (first) return strings.tooManyFiles(definition.name, all.length, `${first.media}/*`);
  const instead = addressesInstead(definition, family);
  if (instead) return strings.addressInstead(definition.name, `--${instead.name}`);
  const able = commands.filter((command) => uploadOptions(command).length > 0);
  return strings.noFilesHere(able.map((command) => `/${command.name}`).join(', '));
}

/** The option that takes links, for files that the service fetches itself. */
export function addressesInstead(
  definition: WireCommandDefinition,
  media: string | undefined,
): WireOption | undefined {
  const fetched = definition.options.filter((option) => option.type === 'file' && option.reach === 'address');
  const known = fetched.find((option) => option.media === media) ?? fetched[0];
  return (
    known && definition.options.find((option) => option.type === 'addresses' && option.media === known.media)
  );
}
