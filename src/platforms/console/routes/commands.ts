import { Hono } from 'hono';
import type { WireSuggestion } from '../api/wire.ts';
import type { CommandHandler, Commands } from '../receive/command-handler.ts';
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
