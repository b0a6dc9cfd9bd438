import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Clock } from '../../../../lib/clock.ts';

/** How old a request may be, in seconds: an interaction's token lives no longer, so nothing can come of an older one. */
const maxAge = 15 * 60;

/** Why a request doesn't count as Discord's. */
export type SignatureFault = 'unsigned' | 'forged' | 'stale';

/**
 * Checks that requests are Discord's: signed with the application's key (interactions/overview, validating security
 * request headers), and not sent again later. The timestamp is signed, too.
 */
export class RequestSignature {
  readonly #key: KeyObject;
  readonly #clock: Pick<Clock, 'now'>;

  /** `publicKey`: 64 hexadecimal digits. */
  constructor(publicKey: string, clock: Pick<Clock, 'now'>) {
    const x = Buffer.from(publicKey, 'hex').toString('base64url');
    this.#key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    this.#clock = clock;
  }

  /** What's wrong with a request, by its body's own bytes; undefined if nothing is. */
  fault(headers: Headers, body: Uint8Array): SignatureFault | undefined {
    const signature = headers.get('x-signature-ed25519') ?? '';
    const timestamp = headers.get('x-signature-timestamp') ?? '';
    if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,12}$/.test(timestamp)) return 'unsigned';
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify(null, signed, this.#key, Buffer.from(signature, 'hex'))) return 'forged';
    return this.#clock.now() / 1_000 - Number(timestamp) > maxAge ? 'stale' : undefined;
  }
}
