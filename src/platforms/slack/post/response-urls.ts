import type { UntilAlive } from '../../../lib/clock.ts';
import { type Meter, noMeter } from '../../../lib/telemetry.ts';
import { deleteButtons, type Message, PlatformError } from '../../../port/index.ts';
import type { KeyValueStore, Records } from '../../../store/index.ts';
import { isFailedStatus } from '../api/errors.ts';
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

/**
 * What became of a message: it may be there, though no answer came; it's there; or it certainly isn't. Kept, because what was
 * sent by a `response_url` can't be looked for.
 */
type Fate = 'begun' | 'said' | 'not there';

/** Nobody knows whether Slack took a message. */
class NoAnswerError extends PlatformError {
  constructor(detail: string, options?: ErrorOptions) {
    super('unreachable', detail, options);
  }
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
   * ends with “…”: where the rest doesn't get through, that tells of it. With a `key` it's posted once, by this process or
   * another, and so is one in several parts.
   * @throws {PlatformError} `expired` where too few uses are left; then nothing was posted. The same where an earlier try may
   * have posted it, or the first of its parts.
   */
  async say(
    url: string,
    message: Message | readonly Message[],
    seenBy: 'channel' | 'requester',
    { key, ...options }: RenderOptions & { readonly key?: string } = {},
  ): Promise<void> {
    const parts = [message].flat().flatMap((piece, index, pieces) => {
      const goesOn = seenBy === 'channel' ? index < pieces.length - 1 : undefined;
      return renderSections(piece, index === 0 ? options : {}, deleteButtons(piece.buttons), goesOn);
    });
    // A beginning is cut to the uses that are left: at another try it may be one part.
    const isLong = Array.isArray(message) || parts.length > 1;
    const record = key !== undefined || isLong ? recordOf(url, key ?? seenBy) : undefined;
    if (record !== undefined && (await this.#isSaid(record))) return;
    if (parts.length > (await this.usesLeft(url))) throw new PlatformError('expired', 'response_url');
    for (const [index, part] of parts.entries()) {
      const body = {
        ...part,
        response_type: seenBy === 'channel' ? 'in_channel' : 'ephemeral',
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
      };
      await this.#send(url, body, index === 0 ? record : undefined);
    }
    // Without a key, another message may come by it.
    if (record !== undefined) await this.#note(record, key === undefined ? 'not there' : 'said');
  }

  /**
   * Whether a message was posted under a key.
   * @throws {PlatformError} `expired` where nobody knows.
   */
  isSaid(url: string, key: string): Promise<boolean> {
    return this.#isSaid(recordOf(url, key));
  }

  async #isSaid(record: string): Promise<boolean> {
    const fate = await this.#records.get<Fate>(record);
    if (fate === 'begun') throw new PlatformError('expired', 'response_url');
    return fate === 'said';
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

  /** Where this can't be noted, it counts as begun: another try goes another way. */
  async #note(record: string, fate: Fate): Promise<void> {
    await this.#records.change<Fate>(record, lifetime, () => fate).catch(() => undefined);
  }

  /** Counts a use before it's made, so that no two at the same time take the last. */
  async #count(key: string): Promise<void> {
    const counted = await this.#records.change<number>(key, lifetime, (used = 0) =>
      used < maxUses ? used + 1 : undefined,
    );
    if (counted === undefined) throw new PlatformError('expired', 'response_url');
  }

  /** `record`: where to keep, from before it's sent, that it may be there. */
  async #send(url: string, body: Readonly<Record<string, unknown>>, record?: string): Promise<void> {
    // Before the count: it leaves the uses to those who took over.
    await this.#guards.unlessTakenOver?.();
    await this.#count(usesKey(url));
    if (record !== undefined) await this.#records.change<Fate>(record, lifetime, () => 'begun');
    try {
      await this.#post(url, body);
    } catch (error) {
      if (record !== undefined && !(error instanceof NoAnswerError)) await this.#note(record, 'not there');
      throw error;
    }
  }

  async #post(url: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#guards.untilAlive?.();
    const count = (status: string) =>
      this.#meter.count('troupe_platform_requests_total', { ...labels, status });
    const post = async () => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(15_000),
      });
      return { status: response.status, answer: await response.text() };
    };
    const { status, answer } = await post().catch((error: unknown) => {
      count('error');
      throw new NoAnswerError('response_url', { cause: error });
    });
    count(String(status));
    const isForeign = status === 200 && answer.trimStart().startsWith('<');
    if (isFailedStatus(status) || isForeign) throw new NoAnswerError(`response_url ${status}`);
    if (status === 404) throw new PlatformError('expired', 'response_url');
    if (status === 429) throw new PlatformError('unreachable', 'response_url 429');
    if (status !== 200 || answer.includes('"ok":false'))
      throw new PlatformError('refused', `response_url ${status}`);
  }
}

/** A `response_url` is a secret while it works: uses are counted under its random end only. */
function usesKey(url: string): string {
  return `response ${url.slice(-24)}`;
}

/** Where it's kept what became of a message. */
function recordOf(url: string, name: string): string {
  return `${usesKey(url)} begun ${name}`;
}
