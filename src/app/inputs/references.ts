import { hasTooManyPixels, imageSize, maxImagePixels } from '../../media/index.ts';
import type { IncomingFile, PlatformAdapter } from '../../port/index.ts';
import { bytesInWords } from '../../words/index.ts';
import { InputError } from '../faults/input-error.ts';

/** The largest image that goes into a request as a data URL, in bytes; base64 makes it a third larger. */
const maxDataBytes = 10 * 1024 ** 2;

/** The files of the options `NAME_1`, `NAME_2`, …, in that order. */
export function filesOf(values: object, name: string): readonly [option: string, file: IncomingFile][] {
  return Object.entries(values)
    .filter((entry): entry is [string, IncomingFile] => isFile(entry[1]) && numbered(entry[0], name))
    .sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
}

/** URLs the service downloads itself. @throws {InputError} for a file without a public one. */
export function publicAddresses(values: object, name: string, addressesOption: string): string[] {
  return filesOf(values, name).map(([option, file]) => {
    if (file.url?.startsWith('https:')) return file.url;
    throw new InputError((say) => say.errors.needsPublicAddress(option, addressesOption));
  });
}

/** Public URLs of images, and data URLs of those without one. @throws {InputError} for what isn't an image. */
export async function addressesOrData(
  values: object,
  name: string,
  adapter: PlatformAdapter,
): Promise<string[]> {
  const references: string[] = [];
  for (const [option, file] of filesOf(values, name)) {
    references.push(file.url?.startsWith('https:') ? file.url : await dataUrl(option, file, adapter));
  }
  return references;
}

async function dataUrl(option: string, file: IncomingFile, adapter: PlatformAdapter): Promise<string> {
  if (file.size > maxDataBytes) {
    throw new InputError((say) => say.errors.fileTooLarge(option, bytesInWords(maxDataBytes)));
  }
  const bytes = await adapter.readFile(file, maxDataBytes);
  const image = imageSize(bytes);
  if (!image) throw new InputError((say) => say.errors.notAnImage(option));
  if (hasTooManyPixels(image))
    throw new InputError((say) => say.errors.tooManyPixels(option, maxImagePixels / 1e6));
  return `data:${image.type};base64,${Buffer.from(bytes).toString('base64')}`;
}

const numbered = (option: string, name: string) =>
  option.startsWith(`${name}_`) && /^\d+$/.test(option.slice(name.length + 1));

function isFile(value: unknown): value is IncomingFile {
  return typeof value === 'object' && value !== null && 'source' in value;
}
