import { Hono } from 'hono';
import type { Database } from '../../../store/index.ts';
import type { WireState } from '../api/wire.ts';
import type { Feed } from '../feed/feed.ts';
import { wireChannel } from '../feed/to-wire.ts';
import { wireCommandOf } from '../feed/wire-commands.ts';
import type { Commands } from '../receive/command-handler.ts';
import type { Channels } from '../store/channels.ts';
import { newestRevision } from '../store/with-revision.ts';
import { maxUploadBytes } from './files.ts';
import { errorResponse, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface StateRouteDependencies {
  readonly database: Database;
  readonly channels: Channels;
  readonly feed: Feed;
  readonly commands: Commands;
  readonly needsToken: boolean;
}

/** Route for the state a page starts with. */
export function stateRoute(dependencies: StateRouteDependencies): Hono<SessionVariables> {
  const { database, channels, feed, commands, needsToken } = dependencies;
  return new Hono<SessionVariables>().get('/state', async (context) => {
    const query = queryOf(context, requests.state);
    if (!query) return errorResponse(context, 'bad-request', 400);
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
    };
    return context.json(state);
  });
}
