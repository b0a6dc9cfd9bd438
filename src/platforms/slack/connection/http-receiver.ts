import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { LogThrottle } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../api/log.ts';
import { SignatureCheck } from './signature.ts';

/** Slack sends no larger requests, in bytes. */
export const maxSlackBody = 4 * 1024 ** 2;
/** When a request without acknowledgement is given up, in milliseconds: Slack waits three seconds. */
export const acknowledgeLimit = 2_900;

type Body = ReceiverEvent['body'];

/**
 * Receives Slack’s requests in HTTP mode, as fetch-style requests, so that the bot’s one HTTP server can pass them
 * on.
 */
export class HttpReceiver implements Receiver {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #check: SignatureCheck;
  /** Anyone can send forged requests, as many as they like. */
  readonly #strangers: LogThrottle;
  #app: App | undefined;
  #open = false;

  constructor(dependencies: { signingSecret: string; clock: Clock; log: Log }) {
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#strangers = new LogThrottle(dependencies.clock);
    this.#check = new SignatureCheck(dependencies.signingSecret, dependencies.clock);
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

  /** None: Slack opens a connection for each request. */
  readonly sockets = { ready: 0, wanted: 0 };

  /** Why nothing is received; undefined while requests are accepted. */
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
        // It won’t be acknowledged any more: Slack may send it again at once.
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
