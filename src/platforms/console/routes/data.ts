import { Hono, type MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { type ControlOutcome, type ControlRoom, platformNames } from '../../../port/index.ts';
import type { Database } from '../../../store/index.ts';
import type {
  WireChanges,
  WireControlled,
  WireMessage,
  WirePage,
  WireState,
  WireSuggestion,
  WireTrail,
} from '../api/wire.ts';
import { type Content, eventStream, type Feed, type OpenStream } from '../feed/feed.ts';
import { wireChannel, wireCommandOf, wireMessages } from '../feed/to-wire.ts';
import { workspace } from '../post/adapter.ts';
import type { CommandHandler, Commands } from '../receive/command-handler.ts';
import { newestRevision } from '../store/channels.ts';
import { maxUploadBytes } from './files.ts';
import { bodyOf, matching, queryOf, requests, type SessionVariables } from './requests.ts';

interface ChannelRoutesDependencies extends Content {
  readonly database: Database;
  readonly commands: Commands;
  readonly needsToken: boolean;
  readonly hasControlRoom: boolean;
}

/** Routes for the state a page starts with, for channels, and for the messages of channels and threads. */
export function channelRoutes(dependencies: ChannelRoutesDependencies): Hono<SessionVariables> {
  const { database, channels, messages, files, drafts, feed } = dependencies;
  const { commands, needsToken, hasControlRoom } = dependencies;
  return new Hono<SessionVariables>()
    .get('/state', async (context) => {
      const query = queryOf(context, requests.state);
      // Read first: a change made meanwhile is sent again as an event.
      const revision = await newestRevision(database);
      const rows = await channels.channels();
      const state: WireState = {
        revision,
        locale: query.locale,
        channels: rows.map(wireChannel),
        threads: await feed.threads(await channels.threads()),
        commands: commands.commands.map((command) => wireCommandOf(command, query.locale)),
        maxUploadBytes,
        loggedIn: needsToken,
        hasControlRoom,
      };
      return context.json(state);
    })
    .get('/messages', async (context) => {
      const query = queryOf(context, requests.messages);
      const place = await channels.find(query.place);
      if (!place) throw new HTTPException(404);
      const { rows, more } = await messages.page(place, context.var.session, query.before);
      const shown = await wireMessages(rows, files, drafts);
      const page: WirePage = { messages: shown as WireMessage[], more };
      return context.json(page);
    })
    .post('/channels', async (context) => {
      const { name } = await bodyOf(context, requests.channel);
      const id = await channels.createChannel(name);
      feed.notify('changes');
      return context.json({ id }, 201);
    })
    .patch('/channels/:id', async (context) => {
      const { name } = await bodyOf(context, requests.channel);
      if (!(await channels.renameChannel(context.req.param('id'), name))) throw new HTTPException(404);
      feed.notify('changes');
      return context.body(null, 204);
    })
    .delete('/channels/:id', async (context) => {
      const id = context.req.param('id');
      const place = await channels.find(id);
      if (!place || place.thread !== undefined) throw new HTTPException(404);
      await files.delete(await channels.removeChannel(id));
      await channels.ensureChannel();
      feed.notify('changes');
      return context.body(null, 204);
    });
}

/** Routes for commands, button presses and option suggestions. */
export function commandRoutes(commandHandler: CommandHandler, commands: Commands): Hono<SessionVariables> {
  return new Hono<SessionVariables>()
    .post('/commands', async (context) => {
      const request = await bodyOf(context, requests.command);
      const outcome = await commandHandler.command(context.var.session, request);
      if (!outcome) throw new HTTPException(404);
      return context.json(outcome);
    })
    .post('/presses', async (context) => {
      const request = await bodyOf(context, requests.press);
      const outcome = await commandHandler.press(context.var.session, request);
      if (!outcome) throw new HTTPException(404);
      return context.json(outcome);
    })
    .get('/suggestions', async (context) => {
      const query = queryOf(context, requests.suggestions);
      const suggestions: readonly WireSuggestion[] = await commands.suggest(
        query.command,
        query.option,
        query.typed,
        query.locale,
        { platform: 'console', workspace, channel: '' },
      );
      return context.json(suggestions);
    });
}

interface EventRoutesDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Open streams, to end them on shutdown or log-out. */
  readonly open: Set<OpenStream>;
  /** Version of the page's files. */
  readonly version: () => Promise<string>;
  readonly log: Pick<Logger, 'error'>;
}

/** Routes for changes: a stream of server-sent events, or one response for a page in the background. */
export function eventRoutes({
  feed,
  clock,
  open,
  version,
  log,
}: EventRoutesDependencies): Hono<SessionVariables> {
  return new Hono<SessionVariables>()
    .get('/events', async (context) => {
      const { session } = context.var;
      const seen = context.req.header('last-event-id') ?? context.req.query('since');
      const { since } = matching(requests.changes, { since: seen });
      const { signal } = context.req.raw;
      const events = eventStream({
        ...{ feed, clock, open, session, since, version: await version(), signal },
        onFault: (error) => log.error({ error }, 'could not read changes for the console'),
      });
      return new Response(ReadableStream.from(events), {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      });
    })
    .get('/changes', async (context) => {
      const query = queryOf(context, requests.changes);
      // Null: too much has changed; the page reloads its state.
      const changes: WireChanges | null = (await feed.changesSince(query.since, context.var.session)) ?? null;
      return context.json(changes);
    });
}

const place = { platform: z.enum(platformNames), workspace: z.string().min(1).max(64) };
const id = z.string().regex(/^[\w.-]{1,80}$/);

const trail = z.object({ job: id });

/** Schemas of what the operator does. */
const actions = {
  switch: z.strictObject({ ...place, off: z.boolean() }),
  ceiling: z.strictObject({ ...place, credits: z.number().min(0).max(999_999_999) }),
  cancel: z.strictObject({ job: id }),
  retry: z.strictObject({ job: id }),
  test: z.strictObject({ id }),
} as const;

/** Routes of the control room; without a token there's none, and they are `not-found`. */
export function controlRoutes(room: ControlRoom | undefined): Hono<SessionVariables> {
  // What no route takes is `not-found`.
  if (!room) return new Hono<SessionVariables>();
  return new Hono<SessionVariables>()
    .use('/control/*', onlyJson)
    .get('/control', async (context) => context.json(await room.state()))
    .get('/control/trail', async (context) => {
      const { job } = queryOf(context, trail);
      const found: WireTrail = { steps: await room.trail(job) };
      return context.json(found);
    })
    .post('/control/switch', (context) =>
      carriedOut(context, actions.switch, ({ off, ...at }) => room.switchPlace(at, off)),
    )
    .post('/control/ceiling', (context) =>
      carriedOut(context, actions.ceiling, ({ credits, ...at }) => room.setCeiling(at, credits)),
    )
    .post('/control/cancel', (context) => carriedOut(context, actions.cancel, ({ job }) => room.cancel(job)))
    .post('/control/retry', (context) => carriedOut(context, actions.retry, ({ job }) => room.retry(job)))
    .post('/control/test', (context) =>
      carriedOut(context, actions.test, (given) => room.sendTest(given.id)),
    );
}

/** A form of another page can't have this type: browsers ask first, and aren't told yes. */
const onlyJson: MiddlewareHandler = async (context, next) => {
  const type = context.req.header('content-type') ?? '';
  if (context.req.method !== 'GET' && !type.startsWith('application/json')) throw new HTTPException(400);
  await next();
};

async function carriedOut<Schema extends z.ZodType>(
  context: Parameters<typeof bodyOf>[0],
  schema: Schema,
  act: (given: z.output<Schema>) => Promise<ControlOutcome>,
) {
  const answer: WireControlled = { outcome: await act(await bodyOf(context, schema)) };
  return context.json(answer);
}
