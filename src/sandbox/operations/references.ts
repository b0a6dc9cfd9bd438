import { isIP } from 'node:net';
import { imageSize } from '../../media/index.ts';
import type { Parameters } from '../http/parameters.ts';
import { referencePicture, tooManyPixels } from '../media/sizes.ts';

const imageDataUrl = /^data:image\/(?:png|jpeg|jpg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Rules for a list of references (service description, POST /images/generations and POST /videos). */
export interface ReferenceRule {
  readonly max: number;
  readonly dataUrls: boolean;
}

/** Characters of base64 in which nearly all images state their size; the renderer checks the rest. */
const headCharacters = 1_000_000;

/** Validates an array of references; loopback and private addresses are refused. */
export function readReferences(body: Parameters, name: string, { max, dataUrls }: ReferenceRule): string[] {
  const allowed = dataUrls
    ? 'an HTTPS URL, or a data URL of a png, jpeg, webp or gif image in base64'
    : 'a public HTTPS URL';
  return body.list(name, max).map((given, index) => {
    if (typeof given === 'string' && isPublicHttps(given)) return given;
    if (typeof given !== 'string' || !dataUrls || !imageDataUrl.test(given))
      throw body.invalid(name, allowed, { index, given: withoutPath(given) });
    const start = given.indexOf(',') + 1;
    const size = imageSize(Buffer.from(given.slice(start, start + headCharacters), 'base64'));
    if (!size || !tooManyPixels(size)) return given;
    const pixels = `${size.width} x ${size.height} pixels`;
    throw body.invalid(name, `a ${referencePicture}`, { index, given: pixels });
  });
}

function isPublicHttps(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return false;
  const host = url.hostname;
  return host !== 'localhost' && !host.endsWith('.localhost') && !isPrivateAddress(host);
}

function isPrivateAddress(host: string): boolean {
  if (host.startsWith('[')) return /^\[(?:::1?\]|f[cd]|fe[89ab])/.test(host);
  return isIP(host) === 4 && /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
}

/** A URL for an error message, without the path, which can be secret. */
function withoutPath(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const url = URL.parse(given);
  if (!url) return 'not a URL';
  return url.protocol === 'data:' ? `${given.slice(0, 30)}…` : `${url.protocol}//${url.host}/…`;
}
