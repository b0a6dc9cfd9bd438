import { Hono } from 'hono';
import type { Database } from '../../../store/index.ts';
import { commandShape } from '../command-shapes.ts';
import type { Feed } from '../feed.ts';
import { wireChannel } from '../shapes.ts';
import { newestRevision } from '../store/change.ts';
import type { Places } from '../store/places.ts';
import type { Commands } from '../taker.ts';
import type { WireState } from '../wire.ts';
import { maxUploadBytes } from './files.ts';
import { fault, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface StateParts {
  readonly database: Database;
  readonly places: Places;
  readonly feed: Feed;
  readonly commands: Commands;
  readonly needsToken: boolean;
}

/** What the page starts from. */
export function stateRoute(parts: StateParts): Hono<SessionVariables> {
  const { database, places, feed, commands, needsToken } = parts;
  return new Hono<SessionVariables>().get('/state', async (context) => {
    const query = queryOf(context, requests.state);
    if (!query) return fault(context, 'bad-request', 400);
    // Read before the rest: what changes meanwhile comes again as an event.
    const revision = await newestRevision(database);
    const channels = await places.channels();
    const state: WireState = {
      revision,
      locale: query.locale,
      channels: channels.map(wireChannel),
      threads: await feed.threads(await places.threads()),
      commands: commands.commands.map((command) => commandShape(command, query.locale)),
      maxUploadBytes,
      loggedIn: needsToken,
    };
    return context.json(state);
  });
}
