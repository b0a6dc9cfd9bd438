import { type Message, PlatformError } from '../../../port/index.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import type { RenderOptions } from '../markup/blocks.ts';
import { renderSections } from '../markup/sections.ts';

/** What a `response_url` gives: five uses within half an hour. */
const maxUses = 5;
const lifetime = 30 * 60_000;

/**
 * Answers through `response_url`, which works where the bot isn’t a member, and for messages that only one person
 * sees. It takes neither `markdown` blocks (an empty 500 on webhooks: gofish-graphics#602) nor `markdown_text`
 * (`no_text`: vercel/chat#440), so text goes in sections of Slack’s own markup.
 */
export class ResponseUrls {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Uses left of a `response_url`. An expired one is only noticed when it’s used. */
  async usesLeft(url: string): Promise<number> {
    return maxUses - ((await this.#store.get<number>(usesKey(url))) ?? 0);
  }

  /**
   * Posts a message for everybody in the channel or for the requester alone, in as many uses as it takes.
   * @throws {PlatformError} `expired` where too few uses are left; then nothing was posted.
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

  /** Replaces the message whose button gave the `response_url`; only as much as one message takes. */
  async replace(url: string, message: Message): Promise<void> {
    const [first] = renderSections(message);
    await this.#send(url, { ...first, replace_original: true });
  }

  async #send(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const used = (await this.#store.get<number>(usesKey(url))) ?? 0;
    if (used >= maxUses) throw new PlatformError('expired', 'response_url');
    await this.#store.set(usesKey(url), used + 1, lifetime);
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

/** A `response_url` is a secret while it works: uses are counted under its random end alone. */
function usesKey(url: string): string {
  return `response ${url.slice(-24)}`;
}
