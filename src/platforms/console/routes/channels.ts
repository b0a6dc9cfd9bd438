import { Hono } from 'hono';
import type { WireMessage, WirePage } from '../api/wire.ts';
import type { Feed } from '../feed/feed.ts';
import { wireMessages } from '../feed/to-wire.ts';
import { type Channels, normalizeName } from '../store/channels.ts';
import type { Files } from '../store/files.ts';
import type { Drafts, Messages } from '../store/messages.ts';
import { bodyOf, errorResponse, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface ChannelRoutesDependencies {
  readonly channels: Channels;
  readonly messages: Messages;
  readonly files: Files;
  readonly drafts: Drafts;
  readonly feed: Feed;
}

/** Routes for channels, and for the messages of channels and threads. */
export function channelRoutes(dependencies: ChannelRoutesDependencies): Hono<SessionVariables> {
  const { channels, messages, files, drafts, feed } = dependencies;
  return new Hono<SessionVariables>()
    .get('/messages', async (context) => {
      const query = queryOf(context, requests.messages);
      if (!query) return errorResponse(context, 'bad-request', 400);
      const place = await channels.find(query.place);
      if (!place) return errorResponse(context, 'not-found', 404);
      const { rows, more } = await messages.page(place, context.var.session, query.before);
      const shown = await wireMessages(rows, files, drafts);
      const page: WirePage = { messages: shown as WireMessage[], more };
      return context.json(page);
    })
    .post('/channels', async (context) => {
      const name = normalizeName((await bodyOf(context, requests.channel))?.name ?? '');
      if (name === undefined) return errorResponse(context, 'bad-request', 400);
      const id = await channels.createChannel(name);
      feed.notify('changes');
      return context.json({ id }, 201);
    })
    .patch('/channels/:id', async (context) => {
      const name = normalizeName((await bodyOf(context, requests.channel))?.name ?? '');
      if (name === undefined) return errorResponse(context, 'bad-request', 400);
      if (!(await channels.renameChannel(context.req.param('id'), name)))
        return errorResponse(context, 'not-found', 404);
      feed.notify('changes');
      return context.body(null, 204);
    })
    .delete('/channels/:id', async (context) => {
      const id = context.req.param('id');
      const place = await channels.find(id);
      if (!place || place.thread !== undefined) return errorResponse(context, 'not-found', 404);
      await files.delete(await channels.removeChannel(id));
      await channels.ensureChannel();
      feed.notify('changes');
      return context.body(null, 204);
    });
}
