import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { RateGroup } from '../../service-rules/limits.ts';
import { apiKeyPattern, conversationIdHeader, conversationIdPattern } from '../../service-rules/models.ts';
import type { Account } from '../account/account.ts';
import { chat } from '../chat/chat.ts';
import { serveFile } from '../files/result-files.ts';
import { changeControl, readControl, readMeter, resetControl, resetMeter } from '../operations/control.ts';
import { createImage } from '../operations/images.ts';
import { speak } from '../operations/speech.ts';
import { createVideo } from '../operations/videos.ts';
import { listVoices } from '../operations/voices.ts';
import { imageStatus, videoStatus } from '../tasks/task-status.ts';
import { welcome } from '../welcome.ts';
import { ApiError } from './api-error.ts';
import { readBody } from './body.ts';
import { type Call, type Dependencies, NoAnswer } from './call.ts';
import { Parameters } from './parameters.ts';
import { errorAnswer } from './response-variants.ts';
import { write } from './send.ts';

type Handler = (dependencies: Dependencies, call: Call) => Promise<void>;

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Its rate limit; none for the sandbox's own endpoints. */
  readonly group?: RateGroup;
  readonly handle: Handler;
}

interface SandboxEnvironment {
  Bindings: HttpBindings;
  Variables: { account: Account; requestId: string; left: AbortSignal };
}
type SandboxContext = Context<SandboxEnvironment>;

/** The endpoints of the service's description (section 4), and the sandbox's own. */
const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/chat/completions', group: 'chat', handle: chat },
  { method: 'GET', path: '/v1/audio/voices', group: 'voice', handle: listVoices },
  { method: 'POST', path: '/v1/audio/speech', group: 'voice', handle: speak },
  { method: 'POST', path: '/v1/images/generations', group: 'images', handle: createImage },
  { method: 'GET', path: '/v1/images/generations/:id', group: 'status', handle: imageStatus },
  { method: 'POST', path: '/v1/videos', group: 'videos', handle: createVideo },
  { method: 'GET', path: '/v1/videos/:id', group: 'status', handle: videoStatus },
  { method: 'GET', path: '/v1/sandbox/meter', handle: readMeter },
  { method: 'DELETE', path: '/v1/sandbox/meter', handle: resetMeter },
  { method: 'GET', path: '/v1/sandbox/control', handle: readControl },
  { method: 'POST', path: '/v1/sandbox/control', handle: changeControl },
  { method: 'DELETE', path: '/v1/sandbox/control', handle: resetControl },
];

/** The sandbox's HTTP routes; unexpected errors go to `dependencies.report`. */
export function createApp(dependencies: Dependencies): Hono<SandboxEnvironment> {
  const app = new Hono<SandboxEnvironment>();
  app.use(async (context, next) => {
    begin(context);
    await next();
  });
  app.get('/', (context) => context.text(welcome(new URL(context.req.url).origin)));
  app.get('/files/:name', async (context) => {
    const exit = { outgoing: context.env.outgoing, left: context.get('left') };
    await serveFile(dependencies, exit, context.req.param('name'));
    return RESPONSE_ALREADY_SENT;
  });
  app.use('/v1/*', async (context, next) => {
    context.set('account', authenticate(dependencies, context));
    await next();
  });
  for (const route of routes)
    app.on(route.method, route.path, (context) => answer(dependencies, context, route));
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, () => refuseMethod(path));
  app.notFound((context) => sendError(context, unknownPath(context.req.path)));
  app.onError((error, context) => {
    const expected = error instanceof ApiError || error instanceof NoAnswer || context.get('left').aborted;
    if (!expected) dependencies.report(error);
    return sendError(context, error);
  });
  return app;
}

/** Gives every response a request id, and watches for a disconnect. */
function begin(context: SandboxContext): void {
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  const left = new AbortController();
  const { outgoing } = context.env;
  outgoing.setHeader('x-request-id', requestId);
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort(new NoAnswer());
  });
  context.set('requestId', requestId);
  context.set('left', left.signal);
}

function authenticate(dependencies: Dependencies, context: SandboxContext): Account {
  const key = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
  if (key !== undefined && apiKeyPattern.test(key)) return dependencies.accounts.get(key);
  throw new ApiError(401, "Send the header 'Authorization: Bearer sk-svc-…' with a key of that form.");
}

async function answer(dependencies: Dependencies, context: SandboxContext, route: Route): Promise<Response> {
  const account = context.get('account');
  if (route.group) limitRate(account, route.group);
  const call: Call = {
    account,
    requestId: context.get('requestId'),
    conversation: readConversation(context),
    origin: new URL(context.req.url).origin,
    id: context.req.param('id') ?? '',
    body: route.method === 'POST' ? new Parameters(await readBody(context.env.incoming)) : new Parameters({}),
    outgoing: context.env.outgoing,
    left: context.get('left'),
  };
  await route.handle(dependencies, call);
  return RESPONSE_ALREADY_SENT;
}

function limitRate(account: Account, group: RateGroup): void {
  const { limits } = account.behavior;
  if (limits === 'off') return;
  const wait = account.rates.admit(group, limits[group]);
  if (wait === 0) return;
  const seconds = Math.max(1, Math.ceil(wait / 1_000));
  throw new ApiError(429, `More than ${limits[group]} ${group} requests in a minute; wait ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function readConversation(context: SandboxContext): string | undefined {
  const id = context.req.header(conversationIdHeader);
  if (id === undefined || conversationIdPattern.test(id)) return id;
  throw new ApiError(
    400,
    `Invalid X-Svc-Conversation-Id: ${id.length} characters. Allowed: 1 to 64 letters, digits, - and _.`,
    { code: 'invalid_conversation_id', param: 'X-Svc-Conversation-Id' },
  );
}

function refuseMethod(path: string): never {
  const allowed = routes.filter((route) => route.path === path).map((route) => route.method);
  throw new ApiError(405, `Method not allowed. Allowed: ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

function unknownPath(path: string): ApiError {
  return new ApiError(404, `Unknown path ${path.slice(0, 200)}.`, { code: 'unknown_path' });
}

function sendError(context: SandboxContext, error: Error): Response {
  const { outgoing } = context.env;
  if (error instanceof NoAnswer || outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  const shown = error instanceof ApiError ? error : new ApiError(500, 'Internal error in the sandbox.');
  const shape = context.get('account')?.behavior.shapes.errors ?? 'error';
  const plain = errorAnswer(shape, shown);
  write({ outgoing }, { ...plain, headers: { ...plain.headers, ...shown.headers } });
  return RESPONSE_ALREADY_SENT;
}
