import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { RateGroup } from '../../service-rules/limits.ts';
import { apiKeyPattern, conversationIdHeader, conversationIdPattern } from '../../service-rules/models.ts';
import type { Account } from '../account/account.ts';
import { chat } from '../chat/chat.ts';
import { faultError } from '../faults/faults.ts';
import { changeControl, readControl, readMeter, resetControl, resetMeter } from '../operations/control.ts';
import { createImage } from '../operations/images.ts';
import { listVoices, speak } from '../operations/speech.ts';
import { showTask } from '../operations/tasks.ts';
import { createVideo } from '../operations/videos.ts';
import type { FileStore } from '../tasks/files.ts';
import { type Call, cut, type Exit, findFault, NoAnswer, type Services, stall, write } from './call.ts';
import { ApiError, Parameters, readBody } from './parameters.ts';
import { errorAnswers } from './response-variants.ts';

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Its rate limit; none for the sandbox's own endpoints. */
  readonly group?: RateGroup;
  readonly handle: (call: Call) => Promise<void>;
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
  { method: 'GET', path: '/v1/images/generations/:id', group: 'status', handle: showTask('image') },
  { method: 'POST', path: '/v1/videos', group: 'videos', handle: createVideo },
  { method: 'GET', path: '/v1/videos/:id', group: 'status', handle: showTask('video') },
  { method: 'GET', path: '/v1/sandbox/meter', handle: readMeter },
  { method: 'DELETE', path: '/v1/sandbox/meter', handle: resetMeter },
  { method: 'GET', path: '/v1/sandbox/control', handle: readControl },
  { method: 'POST', path: '/v1/sandbox/control', handle: changeControl },
  { method: 'DELETE', path: '/v1/sandbox/control', handle: resetControl },
];

/** The text shown when the sandbox is opened in a browser. */
const welcome = (origin: string) =>
  `This is the sandbox of the media and chat service. It answers like the service, with media made on this machine.

Base URL   ${origin}/v1
API key    any key of the form sk-svc-…; each is a separate account

${routes.map(({ method, path }) => `${method.padEnd(6)} ${path}`).join('\n')}

Ask it for “help” in a chat to see the directives that make it fail.
`;

/** The sandbox's HTTP routes; unexpected errors go to `services.report`. */
export function createApp(services: Services): Hono<SandboxEnvironment> {
  const app = new Hono<SandboxEnvironment>();
  app.use(async (context, next) => {
    begin(context);
    await next();
  });
  app.get('/', (context) => context.text(welcome(new URL(context.req.url).origin)));
  app.get('/files/:name', async (context) => {
    const exit = { outgoing: context.env.outgoing, left: context.get('left') };
    await serveFile(services.files, exit, context.req.param('name'));
    return RESPONSE_ALREADY_SENT;
  });
  app.use('/v1/*', async (context, next) => {
    const key = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (key === undefined || !apiKeyPattern.test(key))
      throw new ApiError(401, "Send the header 'Authorization: Bearer sk-svc-…' with a key of that form.");
    context.set('account', services.accounts.get(key));
    await next();
  });
  for (const route of routes) app.on(route.method, route.path, (context) => answer(services, context, route));
  for (const { path } of routes) app.all(path, () => refuseMethod(path));
  app.notFound((context) => {
    const message = `Unknown path ${context.req.path.slice(0, 200)}.`;
    return sendError(context, new ApiError(404, message, { code: 'unknown_path' }));
  });
  app.onError((error, context) => {
    const expected = error instanceof ApiError || error instanceof NoAnswer || context.get('left').aborted;
    if (!expected) services.report(error);
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

async function answer(services: Services, context: SandboxContext, route: Route): Promise<Response> {
  const account = context.get('account');
  if (route.group) limitRate(account, route.group);
  await route.handle({
    ...services,
    account,
    requestId: context.get('requestId'),
    conversation: readConversation(context),
    origin: new URL(context.req.url).origin,
    id: context.req.param('id') ?? '',
    body: route.method === 'POST' ? await readBody(context.env.incoming) : new Parameters({}),
    outgoing: context.env.outgoing,
    left: context.get('left'),
  });
  return RESPONSE_ALREADY_SENT;
}

function limitRate(account: Account, group: RateGroup): void {
  const { limits } = account.behavior;
  if (limits === 'off') return;
  const wait = account.admit(group, limits[group]);
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
  const methods = routes.filter((route) => route.path === path).map((route) => route.method);
  const allow = methods.join(', ');
  throw new ApiError(405, `Method not allowed. Allowed: ${allow}.`, { headers: { allow } });
}

function sendError(context: SandboxContext, error: Error): Response {
  const { outgoing } = context.env;
  if (error instanceof NoAnswer || outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  const shown = error instanceof ApiError ? error : new ApiError(500, 'Internal error in the sandbox.');
  const variant = context.get('account')?.behavior.shapes.errors ?? 'error';
  const made = errorAnswers[variant](shown);
  write({ outgoing }, { ...made, headers: { ...made.headers, ...shown.headers } });
  return RESPONSE_ALREADY_SENT;
}

/** GET /files/{name}, with ranges. */
async function serveFile(files: FileStore, exit: Exit, name: string): Promise<void> {
  const file = await files.find(name);
  if (file === 'gone') throw new ApiError(410, 'This file is gone.');
  if (!file) throw new ApiError(404, 'This file doesn’t exist.');
  const faults = file.owner?.faults('file') ?? [];
  const wrong = faults.find((one) => one.when !== 'during' || one.kind === 'error');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'gone') throw new ApiError(410, 'This file is gone.');
  if (wrong?.kind === 'cut') cut(exit);
  if (wrong?.kind === 'stall') await stall(exit);
  const { outgoing } = exit;
  const { method, headers } = outgoing.req;
  const range = readRange(headers.range, file.size);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (start > end) {
    outgoing.writeHead(416, { 'content-range': `bytes */${file.size}`, 'content-length': 0 });
    outgoing.end();
    return;
  }
  outgoing.writeHead(range ? 206 : 200, {
    'content-type': file.contentType,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    ...(range && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  });
  if (method === 'HEAD') {
    outgoing.end();
    return;
  }
  const half = findFault(faults, 'during', 'cut', 'end', 'stall');
  const last = half ? start + Math.floor((end - start) / 2) : end;
  await pipeline(createReadStream(file.path, { start, end: last }), outgoing, { end: !half });
  if (half?.kind === 'stall') await stall(exit);
  if (half) cut(exit);
}

/**
 * Reads a `Range` header, both ends inclusive: of none if it can't be satisfied. Several ranges or another unit than
 * bytes mean the whole file.
 */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to) return { start: Math.max(0, size - Number(to)), end: size - 1 };
  if (!from) return undefined;
  return { start: Number(from), end: to ? Math.min(Number(to), size - 1) : size - 1 };
}
