import { type ImageResponseFormat, image } from '../../service-rules/limits.ts';
import { type Fault, typeName } from '../errors/fault.ts';
import {
  checkObject,
  httpsAddress,
  listOf,
  matching,
  oneOf,
  optional,
  type Rule,
  type Rules,
  required,
  text,
} from './rules.ts';

/** Request of `images.create` and `images.submit` (description, POST /images/generations). */
export interface ImageRequest {
  /** At most 20,000 characters (code points). */
  prompt: string;
  /** `2k`, `3k`, `4k` or a supported `WIDTHxHEIGHT`; 2k by default. */
  size?: string | undefined;
  /** `b64_json` by default. */
  response_format?: ImageResponseFormat | undefined;
  /** Up to four https addresses or `data:image/…;base64,…` URLs. */
  reference_images?: readonly string[] | undefined;
}

// Only the start is checked: scanning megabytes of base64 would block the event loop.
const imageDataUrl = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]{4}/i;
const https = httpsAddress();

const reference: Rule = (value, field) => {
  if (typeof value !== 'string' || !/^data:/i.test(value)) return https(value, field);
  if (imageDataUrl.test(value.slice(0, 100))) return [];
  return [
    { field, code: 'form', allowed: ['an https address', 'data:image/…;base64,…'], given: typeName(value) },
  ];
};

const request: Rules<ImageRequest> = {
  prompt: required(text({ maxCharacters: image.maxPromptCharacters })),
  size: optional(matching(image.sizePattern, `${image.sizes.join(', ')} or WIDTHxHEIGHT`)),
  response_format: optional(oneOf(image.responseFormats)),
  reference_images: optional(listOf(reference, { max: image.maxReferences })),
};

/** Validates an image request; returns all faults. */
export function validateImage(value: unknown): Fault[] {
  return checkObject(request, value);
}
