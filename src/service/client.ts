import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { systemClock } from '../lib/clock.ts';
import { noTelemetry } from '../lib/telemetry.ts';
import { type RateGroup, ratesPerMinute } from '../service-rules/limits.ts';
import { Calls, type Context, KeyHealth } from './calls.ts';
import { ShapeReporter } from './decode/answer.ts';
import type { MediaResult } from './decode/media.ts';
import { InvalidRequestError, scrubbed } from './errors.ts';
import { connecting, readWhenAsked } from './http/connecting.ts';
import { publicAgent } from './http/public-address.ts';
import { Chat } from './operations/chat.ts';
import { type DownloadOptions, Downloads } from './operations/download.ts';
import { Images } from './operations/images.ts';
import type { Download } from './operations/result-stream.ts';
import { Speech } from './operations/speech.ts';
import { Videos } from './operations/videos.ts';
import { Voices } from './operations/voices.ts';
import { type ClientOptions, defaultLimits, defaultTimeouts } from './options.ts';
import { MemoryRateWindows, RateGate } from './rate-gate/rate-gate.ts';
import { validateApiKey, validateBaseUrl } from './validation.ts';

const connectTimeout = 10_000;

/**
 * Client for the media-and-chat service with one API key. Requests are validated against the service's description
 * before anything is sent (`InvalidRequestError`); every other failure is a `ServiceError` whose `outcome` tells
 * whether the request may have been processed. Calls queue for the key's rate limits, and are retried only if that
 * can't cost twice.
 *
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { ServiceClient, ServiceError } from './index.ts';
 *
 * const client = new ServiceClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'sk-svc-…' });
 * try {
 *   const messages = [{ role: 'user', content: 'A haiku about the sea' }];
 *   for await (const event of client.chat.stream({ model: 'svc-llm-1.5', messages }))
 *     if (event.type === 'text') process.stdout.write(event.text);
 *   const { id = '' } = await client.videos.submit({ prompt: 'A cat surfing', duration: 8, ratio: '9:16' });
 *   const { results, error } = await client.videos.wait(id, { onProgress: console.log });
 *   if (results[0]) await writeFile('cat.mp4', (await client.download(results[0])).stream);
 *   else console.log(error);
 * } catch (error) {
 *   if (!(error instanceof ServiceError)) throw error;
 *   console.error(error.message, error.outcome);
 * } finally {
 *   await client.close();
 * }
 * ```
 */
export class ServiceClient {
  readonly chat: Chat;
  readonly voices: Voices;
  readonly speech: Speech;
  readonly images: Images;
  readonly videos: Videos;
  /** The key's status, from the responses so far. */
  readonly key: KeyHealth;
  /** Differs where the key or the service does: tasks are known to the account that ordered them. It doesn't give the key away. */
  readonly account: string;
  readonly #downloads: Downloads;
  readonly #rateGates: Readonly<Record<RateGroup, RateGate>>;
  readonly #closing = new AbortController();
  readonly #agents: Agent[] = [];

  constructor(options: ClientOptions) {
    const faults = [...validateBaseUrl(options.baseUrl), ...validateApiKey(options.apiKey)];
    if (faults.length > 0) throw new InvalidRequestError('client', faults);
    const { apiKey, clock = systemClock, random = Math.random, telemetry = noTelemetry } = options;
    const base = new URL(options.baseUrl);
    const log = scrubbed(options.log);
    const limits = { ...defaultLimits, ...options.limits };
    const timeouts = { ...defaultTimeouts, ...options.timeouts };
    const windows = options.windows ?? new MemoryRateWindows(clock);
    const closed = this.#closing.signal;
    const connect = connecting(connectTimeout, readWhenAsked);
    const dispatcher = options.dispatcher ?? this.#own(new Agent({ connect }));
    const resultDispatcher = options.resultDispatcher ?? this.#own(publicAgent(connectTimeout));
    const rateGate = (group: RateGroup) =>
      new RateGate({
        group,
        windows,
        clock,
        log,
        limit: ratesPerMinute[group],
        room: limits.waiting[group],
      });
    const rateGates = byGroup(rateGate);
    this.#rateGates = rateGates;
    const key = new KeyHealth(clock);
    const shared = { clock, log, telemetry, random, limits, timeouts, closed, base, apiKey, dispatcher };
    const context: Context = {
      ...shared,
      calls: new Calls({ ...shared, rateGates, key }),
      shapes: new ShapeReporter(log),
    };
    this.key = key;
    this.account = createHash('sha256').update(`${base.href} ${apiKey}`).digest('base64url').slice(0, 12);
    this.chat = new Chat(context);
    this.voices = new Voices(context);
    this.speech = new Speech(context, this.voices);
    this.images = new Images(context);
    this.videos = new Videos(context);
    this.#downloads = new Downloads({
      ...context,
      rules: { base, hosts: options.resultHosts ?? [] },
      resultDispatcher,
    });
  }

  /** How many calls of each group wait for the key's limits. */
  waiting(): Readonly<Record<RateGroup, number>> {
    return byGroup((group) => this.#rateGates[group].waiting);
  }

  /** Starts fetching a finished image or video; see {@link Downloads.fetch}. */
  async download(result: MediaResult, options: DownloadOptions = {}): Promise<Download> {
    return this.#downloads.fetch(result, options);
  }

  /**
   * Closes the client at once: rejects waiting calls and aborts running requests (`ClientClosedError`). Let them
   * finish first if they should.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
  }

  #own(agent: Agent): Agent {
    this.#agents.push(agent);
    return agent;
  }
}

function byGroup<T>(make: (group: RateGroup) => T): Readonly<Record<RateGroup, T>> {
  const groups = Object.keys(ratesPerMinute) as RateGroup[];
  return Object.fromEntries(groups.map((group) => [group, make(group)])) as Record<RateGroup, T>;
}
