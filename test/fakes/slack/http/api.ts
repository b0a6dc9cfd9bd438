import { executionOf } from '../events/steps.ts';
import { Faults } from '../faults.ts';
import type { Installation, Json } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { Arguments } from './arguments.ts';
import { Failure, TooMany } from './failure.ts';
import type { Method } from './methods.ts';
import type { Oauth } from './oauth.ts';
import { Rates } from './rates.ts';

/** One call of the Web API, for tests that look at what was asked. */
export interface Call {
  readonly method: string;
  readonly args: Json;
  readonly at: number;
  readonly token: string;
  /** `ok`, Slack's error, `429`, or the fault that was ordered. */
  readonly outcome: string;
}

export interface ApiRequest {
  readonly method: string;
  readonly body: string;
  readonly contentType: string;
  readonly authorization: string | undefined;
}

export type ApiAnswer =
  | { readonly status: number; readonly headers: Record<string, string>; readonly body: string }
  | 'cut';

/** The Web API: authentication, scopes, rate limits, ordered faults, then the method itself. */
export class Api {
  readonly faults = new Faults();
  readonly calls: Call[] = [];
  readonly #world: World;
  readonly #rates: Rates;
  readonly #methods: Readonly<Record<string, Method>>;
  readonly #oauth: Oauth;
  readonly #openSocket: (token: string) => Json;

  constructor(
    world: World,
    methods: Readonly<Record<string, Method>>,
    oauth: Oauth,
    openSocket: (token: string) => Json,
  ) {
    this.#world = world;
    this.#rates = new Rates(world.clock);
    this.#methods = methods;
    this.#oauth = oauth;
    this.#openSocket = openSocket;
  }

  /** Calls so far of a method, or all. */
  of(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    const args = this.#arguments(request);
    if (args instanceof Failure) return this.#note(request, {}, failed(args));
    const fault = this.faults.take(request.method, args.values);
    if (fault?.kind === 'cut' && fault.when === 'before') return this.#note(request, args.values, 'cut');
    if (fault?.kind === 'status' && fault.when === 'before') {
      return this.#note(request, args.values, page(fault.status));
    }
    if (fault?.kind === 'too-many') return this.#note(request, args.values, tooMany(fault.seconds));
    const error = fault?.kind === 'error' ? failed(new Failure(fault.code)) : undefined;
    if (error && !(fault?.kind === 'error' && fault.when === 'after'))
      return this.#note(request, args.values, error);
    if (fault?.kind === 'late') await this.#wait(fault.ms);
    const answer = this.#carryOut(request, args);
    if (fault?.kind === 'delay') await this.#wait(fault.ms);
    if (fault?.kind === 'cut') return this.#note(request, args.values, 'cut');
    if (fault?.kind === 'status') return this.#note(request, args.values, page(fault.status));
    return this.#note(request, args.values, error ?? answer);
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#world.clock.after(milliseconds, resolve));
  }

  #arguments(request: ApiRequest): Arguments | Failure {
    try {
      return Arguments.parse(request.body, request.contentType);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  #carryOut(request: ApiRequest, args: Arguments): Exclude<ApiAnswer, 'cut'> {
    try {
      return this.#answer(request, args);
    } catch (error) {
      if (error instanceof Failure) return failed(error);
      if (error instanceof TooMany) return tooMany(error.seconds);
      throw error;
    }
  }

  #answer(request: ApiRequest, args: Arguments): Exclude<ApiAnswer, 'cut'> {
    if (request.method === 'oauth.v2.access') return ok(this.#oauth.access(args, request.authorization));
    const token = tokenOf(request, args);
    if (!token) throw new Failure('not_authed');
    if (request.method === 'apps.connections.open') return ok(this.#openSocket(token));
    const method = this.#methods[request.method];
    if (!method) throw new Failure('unknown_method', { req_method: request.method });
    if (token.startsWith('xapp-')) throw new Failure('not_allowed_token_type');
    const execution = executionOf(this.#world, token);
    const installation = execution
      ? this.#installationIn(execution.teamId)
      : this.#world.installations.get(token);
    if (!installation) throw new Failure('invalid_auth');
    if (installation.state !== 'active') throw new Failure(installation.state);
    const caller = { ...this.#caller(installation, request.method), ...(execution && { execution }) };
    if (method.scope) caller.use(method.scope);
    this.#limit(method, request.method, caller, args);
    return ok(method.run(caller, args), {
      'x-oauth-scopes': [...installation.scopes].join(','),
      ...(method.scope ? { 'x-accepted-oauth-scopes': method.scope } : {}),
    });
  }

  #installationIn(teamId: string): Installation | undefined {
    const { enterpriseId } = this.#world.workspace(teamId);
    return [...this.#world.installations.values()].find(
      (one) => one.teamId === teamId || (one.enterpriseId !== undefined && one.enterpriseId === enterpriseId),
    );
  }

  #caller(installation: Installation, reason: string): Caller {
    return {
      installation,
      use: (scope) => {
        if (!installation.scopes.has(scope)) {
          const provided = [...installation.scopes].join(',');
          throw new Failure('missing_scope', { needed: scope, provided });
        }
        this.#world.useScope(scope, reason);
      },
    };
  }

  #limit(method: Method, name: string, caller: Caller, args: Arguments): void {
    const channel = args.text('channel') ?? args.text('channel_id');
    const found = channel === undefined ? undefined : this.#world.find(caller, channel);
    const { teamId, enterpriseId } = caller.installation;
    const rate = typeof method.rate === 'function' ? method.rate() : method.rate;
    this.#rates.take(rate, name, found?.workspace.id ?? teamId ?? enterpriseId ?? '', channel);
  }

  #note(request: ApiRequest, args: Json, answer: ApiAnswer): ApiAnswer {
    const { token: _, ...shown } = args;
    this.calls.push({
      method: request.method,
      args: shown,
      at: this.#world.clock.now(),
      token: request.authorization?.replace('Bearer ', '') ?? '',
      outcome: outcomeOf(answer),
    });
    return answer;
  }
}

function tokenOf(request: ApiRequest, args: Arguments): string | undefined {
  return /^Bearer (\S+)$/.exec(request.authorization ?? '')?.[1] ?? args.text('token');
}

function outcomeOf(answer: ApiAnswer): string {
  if (answer === 'cut') return 'cut';
  if (answer.status !== 200 || answer.headers['content-type'] === 'text/html') return String(answer.status);
  const body = JSON.parse(answer.body) as Json;
  return body.ok === true ? 'ok' : String(body.error);
}

function ok(result: Json, headers: Record<string, string> = {}) {
  return json(200, { ok: true, ...result }, headers);
}

function failed(failure: Failure) {
  return json(200, { ok: false, error: failure.code, ...failure.extra });
}

function tooMany(seconds: number | undefined) {
  const wait = seconds !== undefined && { 'retry-after': String(seconds) };
  return json(429, { ok: false, error: 'ratelimited' }, { ...wait });
}

function json(status: number, body: Json, headers: Record<string, string> = {}) {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

function page(status: number) {
  return { status, headers: { 'content-type': 'text/html' }, body: `<html><h1>${status}</h1></html>` };
}
