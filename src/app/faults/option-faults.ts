import type { OptionFault } from '../../port/index.ts';
import { type Fault, InvalidRequestError, validateImage, validateVideo } from '../../service/index.ts';

/** The option that a field of the service's request comes from, if its name is different. */
const optionNames: Readonly<Record<string, string>> = {
  input: 'text',
  reference_images: 'reference_urls',
  reference_image_urls: 'image_urls',
  reference_video_urls: 'video_urls',
};

/** @throws {InvalidRequestError} before anything is posted or sent. */
export function checkImage(request: object): void {
  const faults = validateImage(request);
  if (faults.length > 0) throw new InvalidRequestError('image', faults);
}

/** @throws {InvalidRequestError} before anything is posted or sent. */
export function checkVideo(request: object): void {
  const faults = validateVideo(request);
  if (faults.length > 0) throw new InvalidRequestError('video', faults);
}

/** Options with too many choices for a sentence: the command that lists them. */
const listedBy: Readonly<Record<string, string>> = { voice: '/voices' };

/** A value that isn't in the list that a command shows. */
export function notListed(option: string, given: string): OptionFault {
  return { option, code: 'not-listed', given, allowed: listedBy[option] ?? '' };
}

/** Broken rules of the service's description as faults of the options a person typed. */
export function optionFaults(faults: readonly Fault[]): readonly OptionFault[] {
  return faults.map((fault) => {
    const field = fault.field.replace(/[[.][\s\S]*$/, '');
    const given = fault.given === undefined ? {} : { given: String(fault.given) };
    return { option: optionNames[field] ?? field, ...given, ...rule(fault) };
  });
}

function rule(fault: Fault): Pick<OptionFault, 'code' | 'allowed'> {
  const limit = String(fault.limit);
  switch (fault.code) {
    case 'required':
      return { code: 'missing' };
    case 'range':
      return { code: 'out-of-range', allowed: `${fault.min}–${limit}` };
    case 'integer':
      return { code: 'not-an-integer', allowed: '0, 1, 2, …' };
    case 'too-long':
      return { code: fault.unit === 'bytes' ? 'too-many-bytes' : 'too-long', allowed: limit };
    case 'too-many':
      return { code: 'too-many', allowed: limit };
    case 'choice':
      return listedBy[fault.field]
        ? { code: 'not-listed', allowed: listedBy[fault.field] ?? '' }
        : { code: 'not-a-choice', allowed: fault.allowed?.join(', ') ?? '' };
    case 'https':
    case 'public':
      return { code: 'not-https', allowed: 'https://…' };
    case 'edit-needs-video':
      return { code: 'needs', allowed: 'video_1 … video_3, video_urls' };
    default:
      return { code: 'wrong-form', allowed: fault.allowed?.join(', ') ?? '?' };
  }
}
