import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import type { Coordination } from '../../coordination/index.ts';
import { limitBody, LogThrottle } from '../../http/index.ts';
import { type Clock, every } from '../../lib/clock.ts';
import type { ControlRoom, Platform } from '../../port/index.ts';
import { type Database, type FileStore, isSilent, openKeyv } from '../../store/index.ts';
import { PageFiles } from './connection/page-files.ts';
import { Sessions } from './connection/session.ts';
import { Feed, type OpenStream } from './feed/feed.ts';
import { ConsoleAdapter, visitor, workspace } from './post/adapter.ts';
import { CommandHandler, type Commands } from './receive/command-handler.ts';
import { channelRoutes, commandRoutes, controlRoutes, eventRoutes } from './routes/data.ts';
import { fileRoutes, uploadRoutes } from './routes/files.ts';
import { indexRoute, pageFileRoutes } from './routes/page.ts';
import {
  errorResponse,
  maxJsonBytes,
  originCheck,
  requirePage,
  requireSession,
  securityHeaders,
  sessionRoutes,
  type SessionVariables,
  tooLarge,
} from './routes/requests.ts';
import { Channels } from './store/channels.ts';
import { Files } from './store/files.ts';
import { Drafts, Messages } from './store/messages.ts';

export interface ConsoleDependencies {
  readonly dispatcher: Commands;
  readonly database: Database;
  /** Where the content of files is. */
  readonly files: FileStore;
  /** With the other processes of the bot. */
  readonly coordination: Coordination;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** How much a message that's replied to may add to a question, in estimated tokens. */
  readonly contextTokens: number;
  /** The token to log in with; without it only requests from this machine are answered. */
  readonly token?: string;
  /** What the operator sees and does; only with a token. */
  readonly controlRoom?: ControlRoom;
}

/** Tells the other processes that a browser has logged out; the text is its session. */
const loggedOut = 'console-logged-out';

/** How often uploads that were never sent are deleted, in milliseconds. */
const sweepSpacing = 3_600_000;

/** The console platform, with its HTTP routes. */
export interface ConsolePlatform extends Platform {
  /** `/` and `/console/…`, mounted at the root of the HTTP server. */
  readonly routes: Hono;
}

/** Creates the console: a chat page served by the bot itself. */
export async function createConsole(dependencies: ConsoleDependencies): Promise<ConsolePlatform> {
  const { dispatcher, database, clock, log } = dependencies;
  const { signals } = dependencies.coordination;
  const channels = new Channels(database, clock);
  const messages = new Messages(database, clock);
  const files = new Files(database, dependencies.files, clock);
  const drafts = new Drafts();
  const feed = new Feed(database, files, drafts, dependencies.coordination);
  const content = { channels, messages, files, drafts, feed };
  const adapter = new ConsoleAdapter(content);
  const { contextTokens } = dependencies;
  const commandHandler = new CommandHandler({
    ...{ ...content, adapter, dispatcher, contextTokens, clock, log },
    isSilent: () => isSilent(database),
  });
  const wrongTokenLog = new LogThrottle(clock);
  const sessions = await Sessions.create({
    token: dependencies.token,
    memory: openKeyv(database, 'console-session', () => clock.now()),
    clock,
    onTooMany: (address) =>
      wrongTokenLog.note((times) => log.warn({ address, times }, 'too many wrong tokens for the console')),
  });
  const page = new PageFiles(fileURLToPath(new URL('../..', import.meta.url)));
  const streams = new Set<OpenStream>();
  const endStreams = (session?: string) => {
    for (const stream of streams) if (session === undefined || stream.session === session) stream.end();
  };
  const stopListening = signals.on(loggedOut, endStreams);
  const leave = (session: string) => {
    endStreams(session);
    signals.send(loggedOut, session).catch(() => {});
  };

  await files.sweep();
  const stopSweeping = every(clock, sweepSpacing, () => {
    files.sweep().catch((error: unknown) => log.warn({ error }, 'could not delete old uploads'));
  });
  await channels.ensureChannel();

  const { needsToken } = sessions;
  const controlRoom = needsToken ? dependencies.controlRoom : undefined;
  const hasControlRoom = controlRoom !== undefined;
  const version = async () => (await page.served()).version;
  const protectedRoutes = new Hono<SessionVariables>()
    .use(requireSession(sessions))
    .route('/', fileRoutes(files, log))
    .use(requirePage(sessions))
    .route('/', uploadRoutes(files))
    .use(limitBody(maxJsonBytes, tooLarge))
    .route('/', channelRoutes({ ...content, database, commands: dispatcher, needsToken, hasControlRoom }))
    .route('/', commandRoutes(commandHandler, dispatcher))
    .route('/', controlRoutes(controlRoom))
    .route('/', eventRoutes({ feed, clock, open: streams, version, log }));
  const routes = new Hono()
    .use('/', securityHeaders, originCheck(!needsToken))
    .use('/console/*', securityHeaders, originCheck(!needsToken))
    .route('/', indexRoute(page, sessions))
    .route('/console', pageFileRoutes(page))
    .route('/console', sessionRoutes(sessions, leave))
    .route('/console', protectedRoutes)
    .all('/console/*', () => {
      throw new HTTPException(404);
    })
    .onError((error, context) => {
      // The client disconnected, for instance in the middle of an upload.
      const isFault = !(error instanceof HTTPException) && !context.req.raw.signal.aborted;
      if (isFault) log.error({ error }, 'a request to the console failed');
      return errorResponse(error, context);
    });

  return {
    adapter,
    routes,
    operators: async () => [{ platform: 'console', workspace, person: visitor }],
    notReady: () => undefined,
    stopReceiving: async () => commandHandler.stop(),
    close: async () => {
      stopSweeping();
      stopListening();
      endStreams();
    },
  };
}
