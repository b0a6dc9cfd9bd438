import type { IncomingFile, OptionFault, Options, RawValues } from '../port/index.ts';

/** Values with files among them, or why the files can't be used. */
type Assigned = { readonly values: RawValues } | { readonly faults: readonly OptionFault[] };

/** Gives each file of a message to a command's first free option for its kind. */
export function assignFiles(
  options: Options,
  values: RawValues,
  files: readonly IncomingFile[] = [],
): Assigned {
  const assigned: Record<string, RawValues[string]> = { ...values };
  const faults: OptionFault[] = [];
  for (const media of ['image', 'video'] as const) {
    const ofKind = files.filter(({ contentType }) => contentType.startsWith(`${media}/`));
    const slots = Object.entries(options).filter(([, one]) => one.type === 'file' && one.media === media);
    const free = slots.filter(([name]) => (values[name] ?? '') === '');
    if (slots.length > 0 && ofKind.length > free.length)
      faults.push({
        option: media,
        code: 'too-many-files',
        given: String(ofKind.length),
        allowed: String(free.length),
      });
    for (const [index, [name]] of free.entries()) if (ofKind[index]) assigned[name] = ofKind[index];
  }
  const kinds = kindsOf(options);
  for (const { name, contentType } of files)
    if (!kinds.some((kind) => contentType.startsWith(`${kind}/`)))
      faults.push(
        kinds.length === 0
          ? { option: name, code: 'takes-no-files' }
          : { option: name, code: 'wrong-media', given: contentType, allowed: kinds.map(any).join(', ') },
      );
  return faults.length > 0 ? { faults } : { values: assigned };
}

/** The kinds of files that a command takes. */
function kindsOf(options: Options): readonly string[] {
  return [
    ...new Set(Object.values(options).flatMap((option) => (option.type === 'file' ? [option.media] : []))),
  ];
}

const any = (kind: string) => `${kind}/*`;
