import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  type APIInteraction,
  type APIInteractionResponse,
  InteractionResponseType,
  InteractionType,
} from 'discord-api-types/v10';
import { Hono } from 'hono';
import { limitBody, LogThrottle } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { isRouteUnknown } from '../api/errors.ts';
import type { Log } from './own-application.ts';

/** The path of the Interactions Endpoint URL. */
export const interactionsPath = '/discord/interactions';

/** Bytes of a request: a command with all its options and the messages, people and files that it names is far smaller. */
const maxBody = 1024 ** 2;
/** Milliseconds after which a request is answered anyway: Discord waits for three seconds. */
const patience = 2_900;

interface EndpointDependencies {
  /** `DISCORD_PUBLIC_KEY`. */
  readonly publicKey: string;
  readonly api: Pick<DiscordApi, 'acknowledge' | 'acknowledgedInResponse'>;
  /**
   * Hands an interaction on; rejects with `unreachable` where it can't be handled yet. It ends with
   * {@link InteractionsEndpoint.acknowledge} or {@link InteractionsEndpoint.end}.
   */
  readonly receive: (raw: Exclude<APIInteraction, { type: InteractionType.Ping }>) => Promise<void>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/**
 * Receives interactions over HTTP. Each is acknowledged as one from the gateway is, with a request to Discord, and its own
 * request is answered with a 202 without a body (interactions/receiving-and-responding): so a refused response can be
 * replaced by another, what's sent right after it reaches Discord later than it (discord-api-docs#7220), and an
 * interaction that arrives in two processes is answered by one. Where that request can't get through, the response is
 * given in the answer, and suggestions always are.
 */
export class InteractionsEndpoint {
  readonly routes = new Hono();
  readonly #dependencies: EndpointDependencies;
  readonly #signature: RequestSignature;
  /** Anyone can send forged requests, as many as they like. */
  readonly #strangers: LogThrottle;
  /** Requests that wait for their answers, by the interaction's id. */
  readonly #waiting = new Map<string, PromiseWithResolvers<Response>>();
  #closed = false;

  constructor(dependencies: EndpointDependencies) {
    this.#dependencies = dependencies;
    this.#signature = new RequestSignature(dependencies.publicKey, dependencies.clock);
    this.#strangers = new LogThrottle(dependencies.clock);
    this.routes.post(interactionsPath, limitBody(maxBody), (context) => this.#handle(context.req.raw));
  }

  /**
   * Acknowledges an interaction, however it came.
   * @returns the id of the loading message, as {@link DiscordApi.acknowledge} does.
   */
  async acknowledge(
    id: string,
    token: string,
    response: APIInteractionResponse,
  ): Promise<string | undefined> {
    // Nothing follows suggestions, and there are many: they cost no request of the bot's own.
    if (isSuggestions(response) && this.#waiting.has(id)) {
      this.#answer(id, Response.json(response));
      return undefined;
    }
    let loading: string | undefined;
    try {
      loading = await this.#dependencies.api.acknowledge(id, token, response);
    } catch (error) {
      if (!this.#waiting.has(id) || !isUnanswered(error)) throw error;
      this.#dependencies.api.acknowledgedInResponse(token);
      this.#answer(id, Response.json(response));
    }
    this.end(id);
    return loading;
  }

  /** Nothing more is done about an interaction. */
  end(id: string): void {
    this.#answer(id, accepted());
  }

  /** Takes nothing more; resolves when what's waiting is answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#waiting.values()].map(({ promise }) => promise));
  }

  async #handle(request: Request): Promise<Response> {
    const { log } = this.#dependencies;
    const body = new Uint8Array(await request.arrayBuffer());
    const fault = this.#signature.fault(request.headers, body);
    if (fault) {
      this.#strangers.note((times) => log.warn({ fault, times }, faultLines[fault]));
      return new Response('invalid request signature\n', { status: 401 });
    }
    const raw = parsed(body);
    if (!raw) return new Response(null, { status: 400 });
    if (raw.type === InteractionType.Ping) return Response.json({ type: InteractionResponseType.Pong });
    if (this.#closed) return new Response(null, { status: 503 });
    // Something on its way sent it twice.
    if (this.#waiting.has(raw.id)) return accepted();
    return this.#receive(raw);
  }

  #receive(raw: Parameters<EndpointDependencies['receive']>[0]): Promise<Response> {
    const { receive, clock, log } = this.#dependencies;
    const waiting = Promise.withResolvers<Response>();
    this.#waiting.set(raw.id, waiting);
    const cancel = clock.after(patience, () => this.end(raw.id));
    receive(raw).catch((error: unknown) => {
      if (isOf(error, 'unreachable')) return this.#answer(raw.id, new Response(null, { status: 503 }));
      log.error({ error, type: raw.type }, 'an interaction from Discord cannot be read');
      this.#answer(raw.id, new Response(null, { status: 500 }));
    });
    return waiting.promise.finally(cancel);
  }

  #answer(id: string, response: Response): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(response);
  }
}

const faultLines = {
  unsigned: 'a request that Discord did not sign was refused',
  forged:
    'a request whose signature is not by DISCORD_PUBLIC_KEY was refused; Discord sends such requests now and then, to see that they are',
  stale:
    'an old request was refused: either somebody sent one of Discord’s again, or this machine’s clock is far ahead',
} as const;

function accepted(): Response {
  return new Response(null, { status: 202 });
}

function isSuggestions({ type }: APIInteractionResponse): boolean {
  return type === InteractionResponseType.ApplicationCommandAutocompleteResult;
}

/** Whether Discord may still wait for the response: it didn't get it, or doesn't take it this way. */
function isUnanswered(error: unknown): boolean {
  return isOf(error, 'unreachable') || isOf(error, 'expired') || isRouteUnknown(error);
}

function isOf(error: unknown, kind: PlatformError['kind']): boolean {
  return error instanceof PlatformError && error.kind === kind;
}

function parsed(body: Uint8Array): APIInteraction | undefined {
  try {
    const value = JSON.parse(Buffer.from(body).toString('utf8')) as APIInteraction | null;
    return typeof value === 'object' && typeof value?.id === 'string' && typeof value.type === 'number'
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** How old a request may be, in seconds: an interaction's token lives no longer, so nothing can come of an older one. */
const maxAge = 15 * 60;

/** Why a request doesn't count as Discord's. */
export type SignatureFault = 'unsigned' | 'forged' | 'stale';

/**
 * Checks that requests are Discord's: signed with the application's key (interactions/overview, validating security
 * request headers), and not sent again later. The timestamp is signed, too.
 */
class RequestSignature {
  readonly #key: KeyObject;
  readonly #clock: Pick<Clock, 'now'>;

  /** `publicKey`: 64 hexadecimal digits. */
  constructor(publicKey: string, clock: Pick<Clock, 'now'>) {
    const x = Buffer.from(publicKey, 'hex').toString('base64url');
    this.#key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    this.#clock = clock;
  }

  /** What's wrong with a request, by its body's own bytes; undefined if nothing is. */
  fault(headers: Headers, body: Uint8Array): SignatureFault | undefined {
    const signature = headers.get('x-signature-ed25519') ?? '';
    const timestamp = headers.get('x-signature-timestamp') ?? '';
    if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,12}$/.test(timestamp)) return 'unsigned';
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify(null, signed, this.#key, Buffer.from(signature, 'hex'))) return 'forged';
    return this.#clock.now() / 1_000 - Number(timestamp) > maxAge ? 'stale' : undefined;
  }
}
