import { isIP } from 'node:net';
import type { Parameters } from './parameters.ts';

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
    if (typeof given === 'string' && (isPublicHttps(given) || (dataUrls && imageDataUrl.test(given))))
      return given;
    throw body.invalidItem(name, index, describe(given), allowed);
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

/** An address as far as it may be repeated: what follows the host can be secret. */
function describe(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const url = URL.parse(given);
  if (!url) return 'not a URL';
  return url.protocol === 'data:' ? `${given.slice(0, 30)}…` : `${url.protocol}//${url.host}/…`;
}
