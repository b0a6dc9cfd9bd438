import { notDoneInTime } from '../../nobody.ts';
import { refused, type Step, type StepResult, unclear, works } from '../../step.ts';
import { type Helping, label, post, type SlackContext, withHelper } from '../context.ts';
import type { Press } from '../socket-listener.ts';
import { buttonRow } from './stream-steps.ts';

const pressId = 'live-check';
/** How long a response address may take, in milliseconds. */
const patience = 15_000;

/** Steps that begin with a press, which is what gives a response address and lets a form be opened. */
export const pressSteps: readonly Step<SlackContext>[] = [
  {
    name: 'form with people and files',
    expects: 'opens within three seconds of a press',
    does: 'asks in a form for what a command line cannot hold',
    run: (context) =>
      withPress(context, async ({ trigger_id }) => {
        await context.slack.once('views.open', { trigger_id, view: form });
        return works('opened; close it again');
      }),
  },
  {
    name: 'mrkdwn over a response_url',
    expects: 'works',
    does: 'answers through it where the bot is no member',
    run: (context) =>
      withPress(context, ({ response_url }) =>
        respond(response_url, { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: label } }] }),
      ),
  },
  {
    name: 'markdown block over a response_url',
    expects: 'not documented; an empty 500 on incoming webhooks',
    does: 'sends its text there in Slack’s own markup',
    run: (context) =>
      withPress(context, ({ response_url }) =>
        respond(response_url, { blocks: [{ type: 'markdown', text: `**${label}**` }] }),
      ),
  },
  {
    name: 'markdown_text over a response_url',
    expects: 'no_text',
    does: 'never sends markdown_text there',
    run: (context) =>
      withPress(context, ({ response_url }) => respond(response_url, { markdown_text: label })),
  },
];

/** A form with the parts troupe's forms have. */
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

/** Posts to a response address what only the person who pressed sees. */
async function respond(url: string, body: object): Promise<StepResult> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...body }),
    signal: AbortSignal.timeout(patience),
  }).catch(() => undefined);
  if (!response) return unclear('no answer');
  const answer = await response.text();
  const code = /"error":"(\w+)"/.exec(answer)?.[1] ?? (/^\w+$/.test(answer) ? answer : '');
  if (response.ok && (code === 'ok' || code === '')) return works();
  return refused(`refused: ${response.status} ${code}`.trim());
}

/** Asks for a press for each step: a trigger is good for one form, and an address for five answers. */
function withPress(context: SlackContext, work: (press: Press) => Promise<StepResult>): Promise<StepResult> {
  return withHelper(context, async (company) => {
    const press = await pressIn(context, company);
    return press ? work(press) : notDoneInTime;
  });
}

async function pressIn(context: SlackContext, { helper, presses }: Helping): Promise<Press | undefined> {
  await post(context, context.inChannel, {
    text: `${label}: please press the button`,
    blocks: [buttonRow([pressId, 'Press me'])],
  });
  return helper.wait<Press>('Press “Press me” in the newest message of the thread.', (take) =>
    presses.listen('press', (press) => {
      if (press.actions.some(({ action_id }) => action_id === pressId)) take(press);
    }),
  );
}
