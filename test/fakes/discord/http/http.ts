import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fault, Faults } from '../faults.ts';
import { Journal } from '../journal.ts';
import { isFields } from './fields.ts';
import { decodeBody, type DecodedBody, maxRequestBytes } from './form-data.ts';
import type { OpenApi } from './open-api.ts';
import { rateLimited, type RateLimits } from './rate-limits.ts';
import { Refusal, refusals } from './refusal.ts';
import type { Answer, Dependencies, Route } from './route.ts';
import { routes } from './routes.ts';

const root = '/api/v10';
const largestChunk = 1024 * 1024;

interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

interface Outcome extends Answer {
  readonly headers: Readonly<Record<string, string>>;
}

/** The REST half: authentication, faults, rate limits, decoding, checks against the description. */
export class Http {
  readonly server: Server;
  readonly journal = new Journal();
  readonly faults = new Faults();
  readonly #dependencies: Dependencies;
  readonly #limits: RateLimits;
  readonly #openApi: OpenApi | undefined;
  readonly #token: string;
  /** While true, every route with the bot's token responds with 401, as after a reset of the token. */
  tokenRevoked = false;
  /** Changes answers before they are sent, as Discord never does. */
  spoil: (body: unknown) => unknown = (body) => body;

  constructor(dependencies: Dependencies, limits: RateLimits, openApi: OpenApi | undefined, token: string) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    this.#openApi = openApi;
    this.#token = token;
    this.server = createServer((request, response) => void this.#handle(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method ?? 'GET';
    const match = findRoute(method, url.pathname);
    const name = match ? `${method} ${match.route.template}` : `${method} ${url.pathname}`;
    const at = this.#dependencies.world.clock.now();
    const bytes = await readAll(request);
    if (bytes === undefined) return void request.destroy();
    const fault = this.faults.take(name, url.pathname);
    if (fault?.kind === 'hold') await fault.until;
    let body: DecodedBody = { json: undefined, files: [] };
    let outcome: Outcome;
    if (fault?.kind === 'close') {
      request.socket.destroy();
      outcome = { status: 0, headers: {} };
    } else {
      try {
        body = await decodeBody(request.headers, bytes);
        outcome = this.#answer(request, url, match, body, fault);
      } catch (error) {
        outcome = this.#refused(error);
      }
      if (match) this.#check(match.route, body, outcome);
      this.#send(request, response, outcome, fault);
    }
    this.journal.requests.push({
      route: name,
      method,
      path: url.pathname + url.search,
      params: match?.params ?? {},
      json: body.json,
      files: body.files,
      at,
      status: fault?.kind === 'close-after' ? 0 : outcome.status,
      answer: outcome.body,
    });
    this.#dependencies.world.changed();
  }

  #answer(
    request: IncomingMessage,
    url: URL,
    match: Match | undefined,
    body: DecodedBody,
    fault: Fault | undefined,
  ): Outcome {
    if (!match) {
      this.journal.violations.push(`no such operation: ${request.method} ${url.pathname}`);
      throw refusals.noSuchRoute();
    }
    const { route, params } = match;
    if (route.byBot && (this.tokenRevoked || request.headers.authorization !== `Bot ${this.#token}`))
      throw refusals.unauthorized();
    if (fault?.kind === 'error') throw new Refusal(fault.status, 0, `${fault.status}: on demand`);
    if (fault?.kind === 'page') return pageOf(fault.status, fault);
    if (fault?.kind === 'refuse') throw fault.refusal;
    if (this.#limits.isBanned) return pageOf(403);
    if (fault?.kind === 'rate-limit') throw rateLimited(fault.seconds, fault.scope);
    const headers = this.#limits.take(route.bucket, majorOf(params), route.byBot);
    const channel = route.inChannel && this.#dependencies.world.interactionOf(params.webhook_token ?? '');
    if (route.inChannel && channel) this.#limits.takeShared(route.inChannel, channel.channelId, headers);
    try {
      const answer = route.run(this.#dependencies, {
        params,
        query: url.searchParams,
        json: body.json,
        uploads: body.files,
      });
      return { ...answer, headers };
    } catch (error) {
      const refused = this.#refused(error, route);
      return { ...refused, headers: { ...headers, ...refused.headers } };
    }
  }

  #refused(error: unknown, route?: Route): Outcome {
    if (!(error instanceof Refusal)) throw error;
    const body = route && this.#isBare(route, error) ? error.bareBody() : error.body();
    return { status: error.status, body, headers: error.headers };
  }

  #isBare({ template }: Route, { fields }: Refusal): boolean {
    const isByToken = template.startsWith('/webhooks/');
    return isByToken && fields.size > 0 && this.#dependencies.world.readings.codedFormErrors === 'refused';
  }

  #check(route: Route, body: DecodedBody, outcome: Outcome): void {
    this.journal.violations.push(...this.#dependencies.world.misuses.splice(0));
    this.#limits.countInvalid(outcome.status, outcome.headers['x-ratelimit-scope']);
    if (!this.#openApi) return;
    const name = `${route.method} ${route.template}`;
    const open =
      this.#dependencies.world.readings.followUpNonce === 'works' ? ['nonce', 'enforce_nonce'] : [];
    const requestFault = this.#openApi.requestFault(route.method, route.template, body.json, open);
    if (requestFault) this.journal.violations.push(`request ${name}: ${requestFault}`);
    if (isPage(outcome) || isBare(outcome)) return;
    const answered =
      outcome.body === undefined ? undefined : (JSON.parse(JSON.stringify(outcome.body)) as unknown);
    const answerFault = this.#openApi.responseFault(route.method, route.template, outcome.status, answered);
    if (answerFault) this.journal.violations.push(`answer ${outcome.status} ${name}: ${answerFault}`);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    outcome: Outcome,
    fault: Fault | undefined,
  ): void {
    if (fault?.kind === 'close-after') {
      const close = () => void request.socket.destroy();
      void (fault.until ?? Promise.resolve()).then(close);
      return;
    }
    const status = fault?.kind === 'error-after' ? fault.status : outcome.status;
    if (outcome.body === undefined) return void response.writeHead(status, outcome.headers).end();
    if (isPage(outcome)) {
      response.writeHead(status, outcome.headers);
      return void response.end(outcome.body);
    }
    response.writeHead(status, { 'content-type': 'application/json', ...outcome.headers });
    response.end(JSON.stringify(this.spoil(outcome.body)));
  }
}

/** Cloudflare's own response: to clients that are banned for invalid requests, and to those it takes for a robot. */
function pageOf(
  status: number,
  { type = 'text/html', text = '<html><body>error code: 1015</body></html>' } = {},
): Outcome {
  return { status, body: text, headers: { 'content-type': type } };
}

function isPage({ body }: Outcome): boolean {
  return typeof body === 'string';
}

/** A form error without a code, which isn't as described. */
function isBare({ status, body }: Outcome): boolean {
  return status === 400 && isFields(body) && body.code === undefined;
}

/** The whole body; undefined if the client disconnected. A far too large one is cut: it's refused anyway. */
async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxRequestBytes + largestChunk) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(
    `^${route.template.replaceAll('@', '(?:@|%40)').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`,
  ),
}));

function findRoute(method: string, path: string): Match | undefined {
  if (!path.startsWith(`${root}/`)) return undefined;
  for (const { route, pattern } of patterns) {
    const match = route.method === method ? pattern.exec(path.slice(root.length)) : null;
    if (match) return { route, params: { ...match.groups } };
  }
  return undefined;
}

function majorOf(params: Readonly<Record<string, string>>): string {
  return params.channel_id ?? params.guild_id ?? params.webhook_token ?? params.interaction_token ?? '';
}
