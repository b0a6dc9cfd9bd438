import { Hono } from 'hono';
import type { Feed } from '../api/feed.ts';
import { wireMessages } from '../api/to-wire.ts';
import type { WireMessage, WirePage } from '../api/wire.ts';
import type { Drafts } from '../reply/drafts.ts';
import type { Files } from '../store/files.ts';
import type { Messages } from '../store/messages.ts';
import { nameOf, type Places } from '../store/places.ts';
import { bodyOf, fault, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

export interface PlaceDependencies {
  readonly places: Places;
  readonly messages: Messages;
  readonly files: Files;
  readonly growing: Drafts;
  readonly feed: Feed;
}

/** Channels, and the messages of channels and threads. */
export function placeRoutes(dependencies: PlaceDependencies): Hono<SessionVariables> {
  const { places, messages, files, growing, feed } = dependencies;
  return new Hono<SessionVariables>()
    .get('/messages', async (context) => {
      const query = queryOf(context, requests.messages);
      if (!query) return fault(context, 'bad-request', 400);
      const place = await places.find(query.place);
      if (!place) return fault(context, 'not-found', 404);
      const { rows, more } = await messages.page(place, context.var.session, query.before);
      const shown = await wireMessages(rows, files, growing);
      const page: WirePage = { messages: shown as WireMessage[], more };
      return context.json(page);
    })
    .post('/channels', async (context) => {
      const name = nameOf((await bodyOf(context, requests.channel))?.name ?? '');
      if (name === undefined) return fault(context, 'bad-request', 400);
      const id = await places.createChannel(name);
      feed.tell('changes');
      return context.json({ id }, 201);
    })
    .patch('/channels/:id', async (context) => {
      const name = nameOf((await bodyOf(context, requests.channel))?.name ?? '');
      if (name === undefined) return fault(context, 'bad-request', 400);
      if (!(await places.renameChannel(context.req.param('id'), name)))
        return fault(context, 'not-found', 404);
      feed.tell('changes');
      return context.body(null, 204);
    })
    .delete('/channels/:id', async (context) => {
      const id = context.req.param('id');
      const place = await places.find(id);
      if (!place || place.thread !== undefined) return fault(context, 'not-found', 404);
      await files.delete(await places.removeChannel(id));
      await places.ensureChannel();
      feed.tell('changes');
      return context.body(null, 204);
    });
}
