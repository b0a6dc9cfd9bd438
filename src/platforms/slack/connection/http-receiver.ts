import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { LogThrottle } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from './log.ts';
import { SignatureCheck } from './signature.ts';

/** Larger requests are not Slack's, in bytes. */
export const maxSlackBody = 4 * 1024 ** 2;
/** Slack waits three seconds; what is not acknowledged by then is let go a little before, in milliseconds. */
export const acknowledgeLimit = 2_900;

type Body = ReceiverEvent['body'];

/** Slack's requests (HTTP mode), taken as fetch-style requests so that the bot's one HTTP server can serve them. */
export class HttpReceiver implements Receiver {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #check: SignatureCheck;
  /** Anybody can send such requests, as many as they like. */
  readonly #strangers: LogThrottle;
  #app: App | undefined;
  #open = false;

  constructor(parts: { signingSecret: string; clock: Clock; log: Log }) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#strangers = new LogThrottle(parts.clock);
    this.#check = new SignatureCheck(parts.signingSecret, parts.clock);
  }

  init(app: App): void {
    this.#app = app;
  }

  async start(): Promise<void> {
    this.#open = true;
  }

  async stop(): Promise<void> {
    this.#open = false;
  }

  /** Why nothing is received; undefined while requests are taken. */
  get fault(): string | undefined {
    return this.#open ? undefined : 'not started';
  }

  /** Answers a request to `/slack/events`, its body no larger than `maxSlackBody`. */
  readonly handle = async (request: Request): Promise<Response> => {
    if (!this.#open || !this.#app) return new Response('not ready\n', { status: 503 });
    const text = await request.text();
    const fault = this.#check.fault(request.headers, text);
    if (fault) {
      this.#strangers.note((times) =>
        this.#log.warn({ fault, times }, 'a request that is not Slack’s was refused'),
      );
      return refused(401);
    }
    const body = readBody(text, request.headers.get('content-type') ?? '');
    if (!body) return refused(400);
    if (body.type === 'url_verification') return Response.json({ challenge: body.challenge });
    if (body.ssl_check) return new Response();
    return this.#process(this.#app, body, request.headers);
  };

  /** Hands a payload to Bolt; resolves with its acknowledgement. */
  #process(app: App, body: Body, headers: Headers): Promise<Response> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(acknowledgeLimit, () => resolve(refused(500)));
      const ack = async (response?: unknown) => {
        cancel();
        resolve(acknowledgement(response));
      };
      const retryNum = headers.get('x-slack-retry-num');
      const retryReason = headers.get('x-slack-retry-reason');
      app
        .processEvent({
          body,
          ack,
          ...(retryNum !== null && { retryNum: Number(retryNum) }),
          ...(retryReason !== null && { retryReason }),
        })
        .catch((error: unknown) => {
          this.#log.error({ error }, 'a request of Slack’s could not be processed');
        })
        // What was not acknowledged by now never will be: Slack may send it again at once.
        .finally(() => {
          cancel();
          resolve(refused(500));
        });
    });
  }
}

function readBody(text: string, contentType: string): Body | undefined {
  try {
    if (contentType.startsWith('application/json')) return JSON.parse(text) as Body;
    const fields = Object.fromEntries(new URLSearchParams(text));
    return fields.payload === undefined ? fields : (JSON.parse(fields.payload) as Body);
  } catch {
    return undefined;
  }
}

function acknowledgement(response: unknown): Response {
  if (response === undefined || response === '') return new Response();
  return typeof response === 'string' ? new Response(response) : Response.json(response);
}

function refused(status: number): Response {
  return new Response(null, { status });
}
