import { notDoneInTime, refused, type Step, type StepResult, unclear, works } from '../../step.ts';
import { type HelperSession, label, post, type SlackContext, withHelper } from '../context.ts';
import type { Press } from '../socket-listener.ts';
import { buttonRow } from './stream-steps.ts';

const pressId = 'live-check';
/** Milliseconds that a response_url may take. */
const responseTimeout = 15_000;

/** Steps that start with a button press, which provides a response_url and a trigger for a form. */
export const pressSteps: readonly Step<SlackContext>[] = [
  {
    name: 'form with people and files',
    expects: 'opens within three seconds of a press',
    does: 'asks for people and files in forms',
    run: (context) =>
      withPress(context, async ({ trigger_id }) => {
        await context.slack.once('views.open', { trigger_id, view: form });
        return works('opened; you can close it');
      }),
  },
  {
    name: 'mrkdwn over a response_url',
    expects: 'works',
    does: 'answers through it where the bot isn’t a member',
    run: (context) =>
      withPress(context, ({ response_url }) =>
        respond(response_url, { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: label } }] }),
      ),
  },
  {
    name: 'markdown block over a response_url',
    expects: 'not documented; incoming webhooks respond with an empty 500',
    does: 'sends mrkdwn instead',
    run: (context) =>
      withPress(context, ({ response_url }) =>
        respond(response_url, { blocks: [{ type: 'markdown', text: `**${label}**` }] }),
      ),
  },
  {
    name: 'markdown_text over a response_url',
    expects: 'refused (no_text)',
    does: 'never sends it',
    run: (context) =>
      withPress(context, ({ response_url }) => respond(response_url, { markdown_text: label })),
  },
];

/** A form with the kinds of input that troupe's forms have. */
const form = {
  type: 'modal',
  callback_id: 'live-check',
  title: { type: 'plain_text', text: label },
  close: { type: 'plain_text', text: 'Close' },
  submit: { type: 'plain_text', text: 'Send' },
  blocks: [
    input('people', 'People', { type: 'multi_users_select' }),
    input('files', 'Files', { type: 'file_input', max_files: 1 }),
  ],
};

function input(id: string, label: string, element: object) {
  return {
    type: 'input',
    block_id: id,
    optional: true,
    label: { type: 'plain_text', text: label },
    element: { action_id: id, ...element },
  };
}

/** Posts an ephemeral message to a response_url. */
export async function respond(url: string, body: object): Promise<StepResult> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...body }),
    signal: AbortSignal.timeout(responseTimeout),
  }).catch(() => undefined);
  if (!response) return unclear('no response');
  const answer = await response.text();
  const code = /"error":"(\w+)"/.exec(answer)?.[1] ?? (/^\w+$/.test(answer) ? answer : '');
  if (response.ok && (code === 'ok' || code === '')) return works();
  return refused(`refused: ${response.status} ${code}`.trim());
}

/** Asks for a button press for each step: a trigger opens one form, and a response_url accepts five messages. */
function withPress(context: SlackContext, work: (press: Press) => Promise<StepResult>): Promise<StepResult> {
  return withHelper(context, async (session) => {
    const press = await waitForPress(context, session);
    return press ? work(press) : notDoneInTime;
  });
}

async function waitForPress(
  context: SlackContext,
  { helper, socket }: HelperSession,
): Promise<Press | undefined> {
  await post(context, context.inChannel, {
    text: `${label}: please press the button`,
    blocks: [buttonRow([pressId, 'Press me'])],
  });
  return helper.wait<Press>('Press “Press me” in the newest message of the thread.', (resolve) =>
    socket.listen('press', (press) => {
      if (press.actions.some(({ action_id }) => action_id === pressId)) resolve(press);
    }),
  );
}
