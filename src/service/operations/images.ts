import { image, type ImageResponseFormat } from '../../service-rules/limits.ts';
import type { Context } from '../calls.ts';
import { errorFromAnswer } from '../decode/answer.ts';
import type { MediaResult } from '../decode/media.ts';
import { BadResponseError, type Fault, InvalidRequestError, typeName } from '../errors.ts';
import { isStreamed, type StreamedText } from '../http/json-body.ts';
import type { CallOptions } from '../options.ts';
import {
  checkObject,
  httpsAddress,
  listOf,
  matching,
  oneOf,
  optional,
  required,
  type Rule,
  type Rules,
  text,
} from '../validation.ts';
import { MediaTasks, type TaskRef } from './media-tasks.ts';

/** One finished image: the service makes one per request. */
export interface ImageResult {
  result: MediaResult;
  requestId: string | undefined;
}

/** Images (description, POST /images/generations and GET /images/generations/{id}). */
export class Images extends MediaTasks {
  constructor(context: Context) {
    super(context, { kind: 'image', path: '/images/generations', group: 'images' });
  }

  /** Makes an image in one request; if the service returns a task anyway, waits for it. */
  async create(request: ImageRequest, options: CallOptions = {}): Promise<ImageResult> {
    const { id, status, requestId } = await this.#send(request, 'image', options);
    const over = status.state === 'ready' || status.state === 'failed' || id === undefined;
    const { results, error, errorCode, state } = over ? status : await this.wait(id, options);
    const [result] = results;
    if (result) return { result, requestId };
    if (state === 'failed') {
      const body = { message: error, code: errorCode };
      throw errorFromAnswer({ operation: 'image', status: 200, body, requestId });
    }
    const facts = { operation: 'image', requestId, outcome: 'unknown', retryable: false } as const;
    throw new BadResponseError('the image is ready and not to be found', facts);
  }

  /** Creates an image task; poll its status until it is ready. */
  async submit(request: ImageRequest, options: CallOptions = {}): Promise<TaskRef> {
    return this.#send(request, 'submit', options);
  }

  async #send(request: ImageRequest, timeout: 'image' | 'submit', options: CallOptions): Promise<TaskRef> {
    const faults = validateImage(request);
    if (faults.length > 0) throw new InvalidRequestError('image', faults);
    const body = { ...request, prompt: request.prompt.toWellFormed(), async: timeout === 'submit' };
    return this.order(body, timeout, options);
  }
}

/** Request of `images.create` and `images.submit` (description, POST /images/generations). */
export interface ImageRequest {
  /** At most 20,000 characters (code points). */
  prompt: string;
  /** `2k`, `3k`, `4k` or a supported `WIDTHxHEIGHT`; 2k by default. */
  size?: string | undefined;
  /** `b64_json` by default. */
  response_format?: ImageResponseFormat | undefined;
  /** Up to four https addresses or `data:image/…;base64,…` URLs; large ones are streamed. */
  reference_images?: readonly (string | StreamedText)[] | undefined;
}

// Only the start is checked: scanning megabytes of base64 would block the event loop.
const imageDataUrl = /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]{4}/i;
const https = httpsAddress();

const reference: Rule = (value, field) => {
  if (isStreamed(value)) return [];
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
