import { OutletError } from '../../port/index.ts';
import type { Rendered } from './blocks.ts';
import type { Memory } from './memory.ts';

/** What a `response_url` gives: five uses within half an hour. */
const maxUses = 5;
const lifetime = 30 * 60_000;

/** Answers through `response_url`, which works where the bot is no member, and for what one person alone sees. */
export class Responder {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Uses left of an address; 0 for one that is too old. */
  async usesLeft(url: string): Promise<number> {
    return maxUses - ((await this.#memory.get<number>(usesKey(url))) ?? 0);
  }

  /** Says something to the person who made the address, alone or with everybody there. */
  async say(url: string, rendered: Rendered, seenBy: 'channel' | 'requester'): Promise<void> {
    await this.#send(url, {
      ...rendered,
      response_type: seenBy === 'channel' ? 'in_channel' : 'ephemeral',
      replace_original: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  }

  /** Shows something else in the place of the message whose button made the address. */
  async replace(url: string, rendered: Rendered): Promise<void> {
    await this.#send(url, { ...rendered, replace_original: true });
  }

  async #send(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const used = (await this.#memory.get<number>(usesKey(url))) ?? 0;
    if (used >= maxUses) throw new OutletError('expired', 'response_url');
    await this.#memory.set(usesKey(url), used + 1, lifetime);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(15_000),
    }).catch((error: unknown) => {
      throw new OutletError('unreachable', undefined, { cause: error });
    });
    const answer = await response.text();
    if (response.status === 404) throw new OutletError('expired', 'response_url');
    if (response.status !== 200) throw new OutletError('unreachable', `response_url ${response.status}`);
    if (answer.includes('"ok":false')) throw new OutletError('unreachable', 'response_url');
  }
}

/** An address is a secret while it lives: it is counted under its end alone, which is random. */
function usesKey(url: string): string {
  return `response ${url.slice(-24)}`;
}
