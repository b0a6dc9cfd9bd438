import { interactionTypes } from '../serialize/interaction-metadata.ts';
import { messageBody } from '../serialize/serialize-message.ts';
import { type Answer, type Call, type Dependencies, done, fieldsOf, ok, type Route, route } from './route.ts';

/** Interactions and their messages (interactions/receiving-and-responding). */
export const interactionRoutes: readonly Route[] = [
  route('POST /interactions/{interaction_id}/{interaction_token}/callback', 'callback', acknowledge, false),
  route(
    'POST /webhooks/{webhook_id}/{webhook_token}',
    'webhook',
    ({ world, interactions }, { params, json, uploads }) =>
      ok(messageBody(world, interactions.followUp(params.webhook_token ?? '', fieldsOf(json), uploads))),
    false,
    'follow-up',
  ),
  ...(['@original', '{message_id}'] as const).flatMap((last) => [
    route(
      `GET /webhooks/{webhook_id}/{webhook_token}/messages/${last}`,
      'webhook',
      ({ world, interactions }, { params }) =>
        ok(
          messageBody(
            world,
            interactions.message(params.webhook_token ?? '', params.message_id ?? '@original'),
          ),
        ),
      false,
    ),
    route(
      `PATCH /webhooks/{webhook_id}/{webhook_token}/messages/${last}`,
      'webhook',
      ({ world, interactions }, call) =>
        ok(
          messageBody(
            world,
            interactions.edit(
              call.params.webhook_token ?? '',
              call.params.message_id ?? '@original',
              fieldsOf(call.json),
              call.uploads,
            ),
          ),
        ),
      false,
    ),
    route(
      `DELETE /webhooks/{webhook_id}/{webhook_token}/messages/${last}`,
      'webhook',
      ({ interactions }, { params }) => {
        interactions.delete(params.webhook_token ?? '', params.message_id ?? '@original');
        return done;
      },
      false,
    ),
  ]),
];

function acknowledge({ world, interactions }: Dependencies, { params, query, json, uploads }: Call): Answer {
  const body = fieldsOf(json);
  const interaction = interactions.acknowledge(
    params.interaction_id ?? '',
    params.interaction_token ?? '',
    body,
    uploads,
  );
  if (query.get('with_response') !== 'true') return done;
  const message = world.messages.get(interaction.responseMessageId ?? '');
  const withMessage = message && (body.type === 4 || body.type === 7);
  return ok({
    interaction: {
      id: interaction.id,
      type: interactionTypes[interaction.kind],
      ...(message && {
        response_message_id: message.id,
        response_message_loading: body.type === 5,
        response_message_ephemeral: message.onlyFor !== undefined,
      }),
    },
    ...(withMessage && { resource: { type: body.type, message: messageBody(world, message) } }),
  });
}
