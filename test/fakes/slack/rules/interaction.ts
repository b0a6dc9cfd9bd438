import type { Json } from '../records.ts';
import type { Rule, Trial } from '../trial.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const input = (element: Json, over: Json = {}) => ({
  type: 'input',
  block_id: 'b',
  label: plain('Text'),
  element: { action_id: 'a', ...element },
  ...over,
});
const form = (over: Json = {}): Json => ({
  type: 'modal',
  title: plain('Form'),
  submit: plain('Send'),
  blocks: [input({ type: 'plain_text_input' })],
  ...over,
});

function trigger(t: Trial): string {
  return t.slack.views.trigger(t.workspace.id, t.ada.user.id);
}

const open = (t: Trial, view: Json, trigger_id = trigger(t)) => t.call('views.open', { trigger_id, view });

function responseUrl(t: Trial): string {
  return t.slack.responseUrls.make({
    workspace: t.workspace,
    channel: t.outside,
    user: t.ada.user.id,
    about: undefined,
  });
}

async function respond(url: string, body: Json): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (text === '') return `an empty ${response.status}`;
  return response.status === 200 ? text : String((JSON.parse(text) as Json).error);
}

/** Whether a sent form is stopped by Slack's own window. */
async function sent(t: Trial, view: Json, entries: Json): Promise<string> {
  const opened = await open(t, view);
  if (opened !== 'ok') return opened;
  return t.ada.sends(entries as never).then(
    () => 'sent',
    (error: Error) => error.message,
  );
}

/** Triggers, forms, response addresses. */
export const interactionRules: readonly Rule[] = [
  {
    rule: 'a form more than three seconds after its trigger',
    answer: 'expired_trigger_id',
    source: 'views.open: errors',
    attempt: async (t) => {
      const id = trigger(t);
      await t.clock.advance(3_001);
      return open(t, form(), id);
    },
  },
  {
    rule: 'a second form with one trigger',
    answer: 'exchanged_trigger_id',
    source: 'views.open: errors',
    attempt: async (t) => {
      const id = trigger(t);
      await open(t, form(), id);
      return open(t, form(), id);
    },
  },
  {
    rule: 'an invented trigger',
    answer: 'invalid_trigger_id',
    source: 'views.open: errors',
    attempt: (t) => open(t, form(), '1.2.abc'),
  },
  {
    rule: "a form's title over 24 characters",
    answer: 'invalid_arguments',
    source: 'views: title',
    attempt: (t) => open(t, form({ title: plain('x'.repeat(25)) })),
  },
  {
    rule: 'inputs without a button to send them',
    answer: 'invalid_arguments',
    source: 'views: submit',
    attempt: (t) => {
      const { submit: _, ...without } = form();
      return open(t, without);
    },
  },
  {
    rule: 'more than 100 blocks in a form',
    answer: 'invalid_arguments',
    source: 'views: blocks',
    attempt: (t) => open(t, form({ blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) })),
  },
  {
    rule: 'private_metadata over 3,000 characters',
    answer: 'invalid_arguments',
    source: 'views: private_metadata',
    attempt: (t) => open(t, form({ private_metadata: 'x'.repeat(3_001) })),
  },
  {
    rule: 'an empty text put into an input before',
    answer: 'invalid_arguments',
    source: 'reported: Netflix/dispatch#6144',
    attempt: (t) => open(t, form({ blocks: [input({ type: 'plain_text_input', initial_value: '' })] })),
  },
  {
    rule: 'a text longer than its input takes, put in before',
    answer: 'invalid_arguments',
    source: 'Block Kit: plain text input',
    attempt: (t) =>
      open(t, form({ blocks: [input({ type: 'plain_text_input', initial_value: 'x'.repeat(3_001) })] })),
  },
  {
    rule: 'a number input that does not say whether it takes fractions',
    answer: 'invalid_arguments',
    source: 'Block Kit: number input',
    attempt: (t) => open(t, form({ blocks: [input({ type: 'number_input' })] })),
  },
  {
    rule: 'a chosen option that is none of the options',
    answer: 'invalid_arguments',
    source: 'Block Kit: select menus',
    attempt: (t) => {
      const option = (value: string) => ({ text: plain(value), value });
      const select = { type: 'static_select', options: [option('a')], initial_option: option('b') };
      return open(t, form({ blocks: [input(select)] }));
    },
  },
  {
    rule: 'a file input without files:read',
    answer: 'missing_scope',
    source: 'Block Kit: file input',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['commands']);
      const view = form({ blocks: [input({ type: 'file_input' })] });
      return t.call('views.open', { trigger_id: trigger(t), view }, token);
    },
  },
  {
    rule: 'a file input for eleven files',
    answer: 'invalid_arguments',
    source: 'Block Kit: file input',
    attempt: (t) => open(t, form({ blocks: [input({ type: 'file_input', max_files: 11 })] })),
  },
  {
    rule: 'sending a form with a required input left empty',
    answer: 'form: Text is required',
    source: 'Block Kit: input block',
    attempt: (t) => sent(t, form(), {}),
  },
  {
    rule: 'sending a number outside its bounds',
    answer: 'form: too large',
    source: 'Block Kit: number input',
    attempt: (t) => {
      const number = { type: 'number_input', is_decimal_allowed: false, max_value: '15' };
      return sent(t, form({ blocks: [input(number)] }), { b: '16' });
    },
  },
  {
    rule: 'sending more files than an input takes',
    answer: 'form: too many files',
    source: 'Block Kit: file input',
    attempt: (t) => {
      const files = [t.ada.file('a.png', new Uint8Array(1)), t.ada.file('b.png', new Uint8Array(1))];
      return sent(t, form({ blocks: [input({ type: 'file_input', max_files: 1 })] }), { b: files } as never);
    },
  },
  {
    rule: 'sending a file of a kind an input does not take',
    answer: 'form: a.gif is not among png',
    source: 'Block Kit: file input',
    attempt: (t) => {
      const files = [t.ada.file('a.gif', new Uint8Array(1))];
      const view = form({ blocks: [input({ type: 'file_input', filetypes: ['png'] })] });
      return sent(t, view, { b: files } as never);
    },
  },
  {
    rule: 'a sixth use of a response address',
    answer: 'used_url',
    source: 'handling user interaction: response_url',
    attempt: async (t) => {
      const url = responseUrl(t);
      for (let use = 0; use < 5; use++) await respond(url, { text: 'x' });
      return respond(url, { text: 'x' });
    },
  },
  {
    rule: 'a response address after half an hour',
    answer: 'expired_url',
    source: 'handling user interaction: response_url',
    attempt: async (t) => {
      const url = responseUrl(t);
      await t.clock.advance(30 * 60_000 + 1);
      return respond(url, { text: 'x' });
    },
  },
  {
    rule: 'a response address into a thread',
    answer: 'invalid_thread_ts',
    source: 'handling user interaction: response_url (seen)',
    attempt: (t) => respond(responseUrl(t), { text: 'x', thread_ts: '1.000001' }),
  },
  {
    rule: 'replacing what the response address of a command has posted',
    answer: 'another message',
    source: 'bolt-js issue 2287, bolt-python issue 1268 (seen)',
    attempt: async (t) => {
      const url = responseUrl(t);
      await respond(url, { text: 'one' });
      await respond(url, { text: 'two', replace_original: true });
      return t.ada.whispers.length === 2 ? 'another message' : 'replaced';
    },
  },
  {
    rule: 'a markdown block over a response address',
    answer: 'an empty 500',
    source: 'gofish-graphics issue 602 (seen; uncertain)',
    attempt: (t) => respond(responseUrl(t), { text: 'x', blocks: [{ type: 'markdown', text: 'x' }] }),
  },
  {
    rule: 'markdown_text over a response address',
    answer: 'no_text',
    source: 'vercel/chat issue 440 (seen)',
    attempt: (t) => respond(responseUrl(t), { markdown_text: 'x' }),
  },
  {
    rule: 'a command that is not in the manifest',
    answer: '/paint is not a valid command',
    source: 'slash commands',
    attempt: (t) => t.ada.types('/paint', t.general).then(String, (error: Error) => error.message),
  },
];
