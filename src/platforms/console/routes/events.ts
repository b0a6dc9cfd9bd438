import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Clock } from '../../../lib/clock.ts';
import type { WireChanges } from '../api/wire.ts';
import { EventStream } from '../feed/event-stream.ts';
import type { Feed } from '../feed/feed.ts';
import { errorResponse, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface EventRoutesDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Open streams, to end them on shutdown or log-out. */
  readonly open: Set<EventStream>;
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
      const since = requests.changes.safeParse({ since: seen }).data?.since;
      if (since === undefined) return errorResponse(context, 'bad-request', 400);
      const stream = new EventStream({
        feed,
        clock,
        session,
        since,
        version: await version(),
        onEnd: () => open.delete(stream),
        onFault: (error) => log.error({ error }, 'could not read changes for the console'),
      });
      open.add(stream);
      context.req.raw.signal.addEventListener('abort', () => stream.end(), { once: true });
      return new Response(stream.body(), {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      });
    })
    .get('/changes', async (context) => {
      const query = queryOf(context, requests.changes);
      if (!query) return errorResponse(context, 'bad-request', 400);
      // Null: too much has changed; the page reloads its state.
      const changes: WireChanges | null = (await feed.changesSince(query.since, context.var.session)) ?? null;
      return context.json(changes);
    });
}
