import type { UntilAlive } from '../../../lib/clock.ts';
import { type Meter, noMeter } from '../../../lib/telemetry.ts';
import { deleteButtons, type Message, PlatformError } from '../../../port/index.ts';
import type { Records } from '../../../store/index.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import type { RenderOptions } from '../markup/blocks.ts';
import { renderSections } from '../markup/sections.ts';

const labels = { platform: 'slack', kind: 'post', route: 'response_url' } as const;
/** What a `response_url` gives: five uses within half an hour. */
const maxUses = 5;
const lifetime = 30 * 60_000;

/** What is asked before people are told something; all absent in a process that nobody can take for dead. */
interface ResponseUrlGuards {
  readonly untilAlive?: UntilAlive | undefined;
  /** Rejects where others are known to have taken this process for dead: they tell people instead. */
  readonly unlessTakenOver?: (() => Promise<void>) | undefined;
}

/** Where uses are counted. */
type UseCounts = Pick<KeyValueStore, 'get'> & Pick<Records, 'change'>;

/**
 * Answers through `response_url`, which works where the bot isn’t a member, and for messages that only one person
 * sees. It takes neither `markdown` blocks (an empty 500 on webhooks: gofish-graphics#602) nor `markdown_text`
 * (`no_text`: vercel/chat#440), so text goes in sections of Slack’s own markup.
 */
export class ResponseUrls {
  readonly #records: UseCounts;
  readonly #meter: Meter;
  readonly #guards: ResponseUrlGuards;

  constructor(
    records: UseCounts,
    { meter = noMeter, ...guards }: ResponseUrlGuards & { readonly meter?: Meter | undefined } = {},
  ) {
    this.#records = records;
    this.#meter = meter;
    this.#guards = guards;
  }

  /** Uses left of a `response_url`. An expired one is only noticed when it’s used. */
  async usesLeft(url: string): Promise<number> {
    return maxUses - ((await this.#records.get<number>(usesKey(url))) ?? 0);
  }

  /**
   * Posts a message, or one in pieces, for everybody in the channel or only for the requester, in as many uses as it takes.
   * Each part has the button that deletes it: no press reaches the others. Of those that everybody sees, each but the last
   * ends with “…”: where the rest doesn't get through, that tells of it.
   * @throws {PlatformError} `expired` where too few uses are left; then nothing was posted. The same where an earlier try
   * has posted the first of some parts: another would post it twice.
   */
  async say(
    url: string,
    message: Message | readonly Message[],
    seenBy: 'channel' | 'requester',
    options: RenderOptions = {},
  ): Promise<void> {
    const parts = [message].flat().flatMap((piece, index, pieces) => {
      const goesOn = seenBy === 'channel' ? index < pieces.length - 1 : undefined;
      return renderSections(piece, index === 0 ? options : {}, deleteButtons(piece.buttons), goesOn);
    });
    // A beginning is cut to the uses that are left: at another try it may be one part.
    const isLong = Array.isArray(message) || parts.length > 1;
    const begun = isLong ? `${usesKey(url)} begun ${seenBy}` : undefined;
    const isBegun = begun !== undefined && (await this.#records.get<boolean>(begun)) === true;
    if (isBegun || parts.length > (await this.usesLeft(url)))
      throw new PlatformError('expired', 'response_url');
    for (const [index, part] of parts.entries()) {
      await this.#send(url, {
        ...part,
        response_type: seenBy === 'channel' ? 'in_channel' : 'ephemeral',
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
      });
      if (begun !== undefined && index === 0) await this.#noteBegun(begun);
    }
    // Where this can't be noted, the next long message goes another way.
    if (begun !== undefined) await this.#records.change(begun, lifetime, () => false).catch(() => undefined);
  }

  /** Tells the requester alone, without the database: the use isn't counted, and an expired one is noticed then. */
  async sayUncounted(url: string, text: string): Promise<void> {
    await this.#post(url, { text, response_type: 'ephemeral', replace_original: false });
  }

  /** Replaces the message whose button gave the `response_url`; only as much as one message takes. */
  async replace(url: string, message: Message): Promise<void> {
    const [first] = renderSections(message);
    await this.#send(url, { ...first, replace_original: true });
  }

  /** Deletes the message whose button gave the `response_url`. */
  async remove(url: string): Promise<void> {
    await this.#send(url, { delete_original: true });
  }

  /** @throws {PlatformError} `expired` where that isn't possible: nobody would know at another try. */
  async #noteBegun(key: string): Promise<void> {
    try {
      await this.#records.change(key, lifetime, () => true);
    } catch (error) {
      throw new PlatformError('expired', 'response_url', { cause: error });
    }
  }

  /** Counts a use before it's made, so that no two at the same time take the last. */
  async #count(key: string): Promise<void> {
    const counted = await this.#records.change<number>(key, lifetime, (used = 0) =>
      used < maxUses ? used + 1 : undefined,
    );
    if (counted === undefined) throw new PlatformError('expired', 'response_url');
  }

  async #send(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    // Before the count: it leaves the uses to those who took over.
    await this.#guards.unlessTakenOver?.();
    await this.#count(usesKey(url));
    await this.#post(url, body);
  }

  async #post(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#guards.untilAlive?.();
    const count = (status: string) =>
      this.#meter.count('troupe_platform_requests_total', { ...labels, status });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(15_000),
    }).catch((error: unknown) => {
      count('error');
      throw new PlatformError('unreachable', undefined, { cause: error });
    });
    count(String(response.status));
    const answer = await response.text();
    if (response.status === 404) throw new PlatformError('expired', 'response_url');
    const isBusy = response.status === 429 || response.status >= 500;
    if (isBusy) throw new PlatformError('unreachable', `response_url ${response.status}`);
    if (response.status !== 200 || answer.includes('"ok":false')) {
      throw new PlatformError('refused', `response_url ${response.status}`);
    }
  }
}

/** A `response_url` is a secret while it works: uses are counted under its random end only. */
function usesKey(url: string): string {
  return `response ${url.slice(-24)}`;
}
