import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Clock } from '../../../lib/clock.ts';
import { EventStream } from '../api/event-stream.ts';
import type { Feed } from '../api/feed.ts';
import type { WireChanges } from '../api/wire.ts';
import { fault, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface EventRoutesDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Streams that are open, so that they can be ended. */
  readonly open: Set<EventStream>;
  /** Version of the page's files. */
  readonly version: () => Promise<string>;
  readonly log: Pick<Logger, 'error'>;
}

/** What changed: as a stream of server-sent events, or once, for a page in the background. */
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
      if (since === undefined) return fault(context, 'bad-request', 400);
      const stream = new EventStream({
        feed,
        clock,
        session,
        since,
        version: await version(),
        onEnd: () => open.delete(stream),
        onFault: (error) => log.error({ error }, 'what changed could not be read'),
      });
      open.add(stream);
      context.req.raw.signal.addEventListener('abort', () => stream.end(), { once: true });
      return new Response(stream.body(), {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      });
    })
    .get('/changes', async (context) => {
      const query = queryOf(context, requests.changes);
      if (!query) return fault(context, 'bad-request', 400);
      // Null: too much has changed, start anew.
      const changes: WireChanges | null = (await feed.changesSince(query.since, context.var.session)) ?? null;
      return context.json(changes);
    });
}
