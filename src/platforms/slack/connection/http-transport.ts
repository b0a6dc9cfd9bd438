import { isValidSlackRequest, type ReceiverEvent } from '@slack/bolt';
import { LogThrottle } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../api/log.ts';
import { RecentEvents } from '../api/recent-events.ts';
import { appRateLimited, type Receive, type Transport } from './receiver.ts';

/** Slack sends no larger requests, in bytes. */
export const maxSlackBody = 4 * 1024 ** 2;
/** When a request without acknowledgement is given up, in milliseconds: Slack waits three seconds. */
export const acknowledgeLimit = 2_900;
/** How old a request may be, or how far in the future, in seconds (verifying requests from Slack). */
const maxAge = 300;

/** Why a request was refused, for the operator, whose own settings may be to blame. */
const faultLines = {
  unsigned: 'a request that is not Slack’s was refused',
  stale:
    'a request whose time is more than five minutes off was refused: it is not Slack’s, or this machine’s clock is wrong',
  forged: 'a request whose signature is not by SLACK_SIGNING_SECRET was refused',
  replayed: 'a request that is not Slack’s was refused: it is one that came before',
} as const;

type Body = ReceiverEvent['body'];

/** Slack’s requests in HTTP mode, as fetch-style requests, so that the bot’s one HTTP server can pass them on. */
export class HttpTransport implements Transport {
  readonly #signingSecret: string;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Signatures of the requests that may still come again. */
  readonly #seen: RecentEvents;
  /** Anyone can send forged requests, as many as they like. */
  readonly #strangers: LogThrottle;
  /** Undefined while it's closed. */
  #receive: Receive | undefined;

  constructor(signingSecret: string, clock: Clock, log: Log) {
    this.#signingSecret = signingSecret;
    this.#clock = clock;
    this.#log = log;
    this.#seen = new RecentEvents(clock, 2 * maxAge * 1_000);
    this.#strangers = new LogThrottle(clock);
  }

  async start(receive: Receive): Promise<void> {
    this.#receive = receive;
  }

  async stop(): Promise<void> {
    this.#receive = undefined;
  }

  /** None: Slack opens a connection for each request. */
  readonly sockets = { ready: 0, wanted: 0 };

  get fault(): string | undefined {
    return this.#receive ? undefined : 'not started';
  }

  /** Answers a request to `/slack/events`, its body no larger than `maxSlackBody`. */
  readonly handle = async (request: Request): Promise<Response> => {
    const receive = this.#receive;
    if (!receive) return new Response('not ready\n', { status: 503 });
    const text = await request.text();
    const contentType = request.headers.get('content-type') ?? '';
    if (isCertificateCheck(text, contentType)) return new Response();
    const fault = this.#faultOf(request.headers, text);
    if (fault) {
      this.#strangers.note((times) => this.#log.warn({ fault, times }, faultLines[fault]));
      return refused(401);
    }
    const body = readBody(text, contentType);
    if (!body) return refused(400);
    if (body.type === 'url_verification') return Response.json({ challenge: body.challenge });
    if (body.type === appRateLimited.type) {
      this.#log.warn({ workspace: body.team_id }, appRateLimited.line);
      return new Response();
    }
    const response = await this.#acknowledged(receive, body, request.headers);
    // Slack repeats what failed at once, perhaps within its second: then with the same signature.
    if (!response.ok) this.#seen.forget(request.headers.get('x-slack-signature') ?? '');
    return response;
  };

  /**
   * Why a request doesn’t count as Slack’s; undefined where it does: signed with the app’s secret, and recent and not
   * replayed, which Bolt leaves open.
   */
  #faultOf(headers: Headers, body: string): keyof typeof faultLines | undefined {
    const timestamp = headers.get('x-slack-request-timestamp') ?? '';
    const signature = headers.get('x-slack-signature') ?? '';
    if (!/^\d{1,12}$/.test(timestamp) || signature === '') return 'unsigned';
    if (Math.abs(this.#clock.now() / 1_000 - Number(timestamp)) > maxAge) return 'stale';
    const isSlacks = isValidSlackRequest({
      ...{ signingSecret: this.#signingSecret, body, nowMilliseconds: this.#clock.now() },
      headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(timestamp) },
    });
    if (!isSlacks) return 'forged';
    return this.#seen.isNew(signature) ? undefined : 'replayed';
  }

  /** Hands on a payload; resolves with its acknowledgement. */
  #acknowledged(receive: Receive, body: Body, headers: Headers): Promise<Response> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(acknowledgeLimit, () => resolve(refused(500)));
      const ack = async (response?: unknown) => {
        cancel();
        resolve(acknowledgement(response));
      };
      const retryNum = headers.get('x-slack-retry-num');
      void receive({ body, ack, ...(retryNum !== null && { retryNum: Number(retryNum) }) })
        // It won’t be acknowledged any more: Slack may send it again at once.
        .finally(() => {
          cancel();
          resolve(refused(500));
        });
    });
  }
}

/** Whether Slack checks the certificate (slash commands, `ssl_check`): it doesn’t sign that, and whatever else it says isn’t read. */
function isCertificateCheck(text: string, contentType: string): boolean {
  return !contentType.startsWith('application/json') && /(?:^|&)ssl_check=1(?:&|$)/.test(text);
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
