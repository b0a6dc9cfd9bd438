import { type Message, PlatformError } from '../../../port/index.ts';
import type { KeyValueStore } from '../key-value-store.ts';
import type { RenderOptions } from '../markup/blocks.ts';
import { renderSections } from '../markup/sections.ts';

/** What a `response_url` gives: five uses within half an hour. */
const maxUses = 5;
const lifetime = 30 * 60_000;

/**
 * Answers through `response_url`, which works where the bot is no member, and for what one person alone sees. It
 * takes neither `markdown` blocks (an empty 500 on webhooks: gofish-graphics#602) nor `markdown_text` (`no_text`:
 * vercel/chat#440), so words go in sections of Slack's own markup.
 */
export class ResponseUrls {
  readonly #memory: KeyValueStore;

  constructor(memory: KeyValueStore) {
    this.#memory = memory;
  }

  /** Uses left of an address; 0 for one that is too old. */
  async usesLeft(url: string): Promise<number> {
    return maxUses - ((await this.#memory.get<number>(usesKey(url))) ?? 0);
  }

  /**
   * Says something to the person who made the address, alone or with everybody there, in as many uses as it takes.
   * @throws PlatformError `expired` where not enough of them are left; then nothing was said.
   */
  async say(
    url: string,
    message: Message,
    seenBy: 'channel' | 'requester',
    options: RenderOptions = {},
  ): Promise<void> {
    const parts = renderSections(message, options);
    if (parts.length > (await this.usesLeft(url))) throw new PlatformError('expired', 'response_url');
    for (const part of parts) {
      await this.#send(url, {
        ...part,
        response_type: seenBy === 'channel' ? 'in_channel' : 'ephemeral',
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
      });
    }
  }

  /** Shows something else in the place of the message whose button made the address; only a message's worth. */
  async replace(url: string, message: Message): Promise<void> {
    const [first] = renderSections(message);
    await this.#send(url, { ...first, replace_original: true });
  }

  async #send(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const used = (await this.#memory.get<number>(usesKey(url))) ?? 0;
    if (used >= maxUses) throw new PlatformError('expired', 'response_url');
    await this.#memory.set(usesKey(url), used + 1, lifetime);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(15_000),
    }).catch((error: unknown) => {
      throw new PlatformError('unreachable', undefined, { cause: error });
    });
    const answer = await response.text();
    if (response.status === 404) throw new PlatformError('expired', 'response_url');
    const isBusy = response.status === 429 || response.status >= 500;
    if (isBusy) throw new PlatformError('unreachable', `response_url ${response.status}`);
    if (response.status !== 200 || answer.includes('"ok":false')) {
      throw new PlatformError('refused', `response_url ${response.status}`);
    }
  }
}

/** An address is a secret while it lives: it is counted under its end alone, which is random. */
function usesKey(url: string): string {
  return `response ${url.slice(-24)}`;
}
