import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formCallback } from '../../../src/platforms/slack/commands/form.ts';
import { settle } from '../../fakes/clock.ts';
import type { Json } from '../../fakes/slack/index.ts';
import { type Stage, startStage } from '../../platforms/slack/support/stage.ts';
import { anyText, type Edge } from '../edge.ts';

const anyJson = fc.jsonValue({ maxDepth: 3 });
const fields = fc.constantFrom(
  ...'team team_id user user_id channel channel_id channel_type text ts thread_ts event_ts bot_id subtype files'.split(
    ' ',
  ),
  ...'actions action_id block_id value view state values private_metadata callback_id trigger_id message'.split(
    ' ',
  ),
  ...'response_url response_urls container enterprise is_enterprise_install authorizations command api_app_id'.split(
    ' ',
  ),
  '__proto__',
);

/** Payloads with the kinds and some ids Slack has, and everything in them as it may not be. */
function payloadsOf(team: string, user: string, channel: string) {
  const usual = { team_id: team, channel_type: 'channel', ts: '1.2', event_ts: '1.2', trigger_id: '1.2.3' };
  const ofEvents = { ...usual, user, channel };
  const ofForms = { ...usual, user: { id: user }, channel: { id: channel }, team: { id: team } };
  const ofCommands = { ...usual, user_id: user, channel_id: channel };
  const ids = fc.oneof(fc.constantFrom(team, user, channel, 'U1', 'C1', 'D1', '1.2', ''), anyText, anyJson);
  const part = fc.oneof(
    anyJson,
    ids.map((id) => ({ id, name: id, team_id: id })),
  );
  const body = fc.dictionary(fields, fc.oneof(ids, part, fc.array(part, { maxLength: 3 })), { maxKeys: 10 });

  return fc.oneof(
    fc.tuple(
      fc.constant('events_api' as const),
      fc
        .tuple(
          body,
          body,
          fc.constantFrom('message', 'app_mention', 'app_home_opened', 'x'),
          fc.constantFrom('event_callback', 'url_verification', 'app_rate_limited'),
        )
        .map(([outer, event, kind, type]) => ({
          ...usual,
          ...outer,
          type,
          event: { ...ofEvents, ...event, type: kind },
        })),
    ),
    fc.tuple(
      fc.constant('interactive' as const),
      fc
        .tuple(
          body,
          fc.constantFrom(
            ...'block_actions view_submission view_closed message_action shortcut x'.split(' '),
          ),
          fc.oneof(
            anyJson,
            fc.tuple(ids, body).map(([metadata, state]) => ({
              callback_id: formCallback,
              private_metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
              state: { values: state },
            })),
          ),
          fc.array(fc.record({ action_id: ids, block_id: ids, type: fc.constant('button'), value: ids }), {
            maxLength: 2,
          }),
        )
        .map(([outer, type, view, actions]) => ({ ...ofForms, ...outer, type, view, actions })),
    ),
    fc.tuple(
      fc.constant('slash_commands' as const),
      fc
        .tuple(body, fc.constantFrom('/ask', '/video', '/troupe', '/x'), anyText)
        .map(([outer, command, text]) => asFields({ ...ofCommands, ...outer, command, text })),
    ),
  );
}

/** A slash command's fields are text on the wire, whatever they are. */
function asFields(payload: object): Record<string, string> {
  const fields = Object.entries(payload).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(fields);
}

/** Signed requests that make no sense: each is answered in time, and what it breaks is said to the log alone. */
export const slackRequests: Edge = {
  name: 'Slack’s requests',
  async open() {
    const stage = await startStage({ mode: 'http' });
    let time = 0;
    const { workspace, ada, general } = stage;
    const payloads = payloadsOf(workspace.id, ada.user.id, general.id);
    const property = fc.asyncProperty(payloads, async ([kind, payload]) => {
      time += 1;
      const request = stage.slack.http.request(kind, { ...payload, fuzz: time } as unknown as Json);
      const { status } = await answered(stage, request);
      assert.ok([200, 400, 401, 500].includes(status), String(status));
    });
    return { property };
  },
};

async function answered(stage: Stage, request: Request): Promise<Response> {
  let response: Response | undefined;
  const waiting = Promise.resolve(stage.platform.routes.fetch(request)).then((one) => {
    response = one;
  });
  for (let turns = 0; turns < 20 && !response; turns++) await settle();
  // Slack waits three seconds.
  if (!response) await stage.clock.advance(3_000);
  await waiting;
  assert.ok(response);
  return response;
}
