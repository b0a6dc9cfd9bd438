import { createHmac } from 'node:crypto';
import type { Clock } from '../../../../src/lib/clock.ts';
import type { Acknowledged, PayloadType, Retry, Transport } from '../events/delivery.ts';
import type { Json } from '../records.ts';
import type { AppSettings } from './manifest.ts';

/** Takes a request to the app; `fetch` where the app listens on a port. */
export type Send = (request: Request) => Promise<Response>;

/** HTTP mode: signed requests to the addresses of the manifest. */
export class HttpMode implements Transport {
  readonly #clock: Clock;
  readonly #secret: string;
  readonly #settings: AppSettings;
  readonly #send: Send;

  constructor(clock: Clock, secret: string, settings: AppSettings, send: Send) {
    this.#clock = clock;
    this.#secret = secret;
    this.#settings = settings;
    this.#send = send;
  }

  async send(type: PayloadType, payload: Json, retry: Retry | undefined): Promise<Acknowledged> {
    try {
      const response = await this.#send(this.request(type, payload, retry));
      const text = await response.text();
      const noRetry = response.headers.get('x-slack-no-retry') === '1';
      if (response.status !== 200) return { ok: false, detail: 'http_error', noRetry };
      return { ok: true, response: answerOf(text, response.headers.get('content-type') ?? '') };
    } catch {
      return { ok: false, detail: 'connection_failed' };
    }
  }

  /** A payload as a signed request; its time may be moved to try what the app refuses. */
  request(
    type: PayloadType,
    payload: Json,
    retry?: Retry,
    forged: { readonly timestamp?: number; readonly secret?: string; readonly body?: string } = {},
  ): Request {
    const body = bodyOf(type, payload);
    const timestamp = String(forged.timestamp ?? Math.floor(this.#clock.now() / 1_000));
    const signature = createHmac('sha256', forged.secret ?? this.#secret)
      .update(`v0:${timestamp}:${body}`)
      .digest('hex');
    return new Request(this.#address(type), {
      method: 'POST',
      body: forged.body ?? body,
      headers: {
        'content-type': type === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
        ...(retry ? { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason } : {}),
      },
    });
  }

  #address(type: PayloadType): string {
    const { requestUrl, interactivityUrl, commandUrl } = this.#settings;
    const address = { events_api: requestUrl, interactive: interactivityUrl, slash_commands: commandUrl }[
      type
    ];
    if (!address) throw new Error(`the manifest has no address for ${type}`);
    return address;
  }
}

function bodyOf(type: PayloadType, payload: Json): string {
  if (type === 'events_api') return JSON.stringify(payload);
  if (type === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(payload).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields as [string, string][]).toString();
}

function answerOf(text: string, contentType: string): unknown {
  if (text === '') return {};
  return contentType.startsWith('application/json') ? JSON.parse(text) : { text };
}
