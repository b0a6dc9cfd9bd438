import { isIP } from 'node:net';
import type { Parameters } from '../http/parameters.ts';
import { referencePicture } from '../media/drawing/unreadable-reference.ts';
import { maxReferencePixels, pictureSize } from '../media/picture-size.ts';

const imageDataUrl = /^data:image\/(?:png|jpeg|jpg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** What is allowed as reference images of an image (service description, POST /images/generations). */
export interface ReferenceRule {
  readonly max: number;
  readonly dataUrls: boolean;
}

/** Reads an array of references; where the description says public, addresses of the machine itself are refused. */
export function readReferences(body: Parameters, name: string, { max, dataUrls }: ReferenceRule): string[] {
  const allowed = dataUrls
    ? 'an HTTPS URL, or a data URL of a png, jpeg, webp or gif image in base64'
    : 'a public HTTPS URL';
  return body.list(name, max).map((given, index) => {
    if (typeof given === 'string' && isPublicHttps(given)) return given;
    if (typeof given !== 'string' || !dataUrls || !imageDataUrl.test(given))
      throw body.invalidItem(name, index, describe(given), allowed);
    const size = tooLarge(given);
    if (size) throw body.invalidItem(name, index, size, `a ${referencePicture}`);
    return given;
  });
}

/** Base64 of the beginning of a picture, where nearly all tell their size; whoever draws it looks at all of it. */
const headCharacters = 1_000_000;

/** The size of a picture with too many pixels; undefined for one that has not, or does not tell. */
function tooLarge(dataUrl: string): string | undefined {
  const start = dataUrl.indexOf(',') + 1;
  const size = pictureSize(Buffer.from(dataUrl.slice(start, start + headCharacters), 'base64'));
  if (!size || size.width * size.height <= maxReferencePixels) return undefined;
  return `${size.width} x ${size.height} pixels`;
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

/** An address as far as it may be repeated: what follows the host can be secret. */
function describe(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const url = URL.parse(given);
  if (!url) return 'not a URL';
  return url.protocol === 'data:' ? `${given.slice(0, 30)}…` : `${url.protocol}//${url.host}/…`;
}
