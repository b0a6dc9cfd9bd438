import { Hono } from 'hono';
import type { Database } from '../../../store/index.ts';
import type { WireState, WireSuggestion } from '../api/wire.ts';
import type { Feed } from '../feed/feed.ts';
import { wireChannel, wireCommandOf } from '../feed/to-wire.ts';
import type { CommandHandler, Commands } from '../receive/command-handler.ts';
import type { Channels } from '../store/channels.ts';
import { newestRevision } from '../store/with-revision.ts';
import { maxUploadBytes } from './files.ts';
import { bodyOf, errorResponse, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

/** Routes for commands, button presses and option suggestions. */
export function commandRoutes(commandHandler: CommandHandler, commands: Commands): Hono<SessionVariables> {
  return new Hono<SessionVariables>()
    .post('/commands', async (context) => {
      const request = await bodyOf(context, requests.command);
      if (!request) return errorResponse(context, 'bad-request', 400);
      const { timeZone, replyTo, ...command } = request;
      const outcome = await commandHandler.command(context.var.session, {
        ...command,
        ...(timeZone && { timeZone }),
        ...(replyTo !== undefined && { replyTo }),
      });
      return outcome ? context.json(outcome) : errorResponse(context, 'not-found', 404);
    })
    .post('/presses', async (context) => {
      const request = await bodyOf(context, requests.press);
      if (!request) return errorResponse(context, 'bad-request', 400);
      const { values, timeZone, ...press } = request;
      const given = { ...press, ...(values && { values }), ...(timeZone && { timeZone }) };
      const outcome = await commandHandler.press(context.var.session, given);
      return outcome ? context.json(outcome) : errorResponse(context, 'not-found', 404);
    })
    .get('/suggestions', (context) => {
      const query = queryOf(context, requests.suggestions);
      if (!query) return errorResponse(context, 'bad-request', 400);
      const suggestions: readonly WireSuggestion[] = commands.suggest(
        query.command,
        query.option,
        query.typed,
        query.locale,
      );
      return context.json(suggestions);
    });
}

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
