import type { FileOption } from '../../port/index.ts';

/** The same file option several times, as `NAME_1`, `NAME_2`, …: platforms take one file per option. */
export function numbered<Name extends string, O extends FileOption>(
  name: Name,
  count: number,
  option: O,
): Readonly<Record<`${Name}_${number}`, O>> {
  const options = Array.from({ length: count }, (_, index) => [`${name}_${index + 1}`, option]);
  return Object.fromEntries(options) as Record<`${Name}_${number}`, O>;
}
