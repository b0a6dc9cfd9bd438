import { actionId, fileOf, type Localized } from '../../../../src/port/index.ts';
import { type AnyCommand, defineCommand } from '../../../fakes/commands.ts';
import type { Channel, Message as Posted } from '../../../fakes/discord/index.ts';
import type { Stage } from './stage.ts';

const description: Localized = { en: 'x', 'zh-CN': '甲' };
const help = description;
const text = { type: 'text', required: true, description } as const;

/** Commands that use a platform like the bot's own. */
export const echo = defineCommand<{
  text: typeof text;
  tone: { type: 'text'; suggest: 'voices'; description: Localized };
  loud: { type: 'boolean'; description: Localized };
}>({
  name: 'echo',
  localNames: { 'zh-CN': '回声' },
  description,
  help,
  options: {
    text,
    tone: { type: 'text', suggest: 'voices', description },
    loud: { type: 'boolean', description },
  },
  seenBy: 'channel',
  async run({ job, options, reply, requester }) {
    if (options.text === 'fault') throw new Error('a fault');
    await reply.say({
      text: `${requester.name}: ${options.text}${options.loud ? '!' : ''}`,
      buttons: [
        { id: actionId('echo', 'change', job.id), label: 'Change' },
        { id: actionId('echo', 'hush', job.id), label: 'Hush', style: 'danger' },
        { id: actionId('echo', 'tell', job.id), label: 'Tell me' },
      ],
    });
  },
  actions: {
    change: {
      who: 'requester',
      form: (job) => ({
        title: 'Change',
        command: 'echo',
        fields: ['text', 'loud'],
        values: { text: String(job.options.text), loud: true },
      }),
      call: ({ values }) => ({ command: 'echo', options: values }),
    },
    hush: {
      who: 'requester-or-moderator',
      answers: 'quiet',
      run: async ({ message, job }) => {
        hushed.push(`${job.id} ${message.message}`);
      },
    },
    tell: {
      who: 'anyone',
      answers: 'private',
      run: async ({ reply }) => void (await reply.say({ text: 'x'.repeat(2500) })),
    },
  },
});

/** Ada types `/echo`. @returns the answer. */
export function echoed(
  { ada, channel, discord }: Stage,
  text: string,
  place: Channel = channel,
): Promise<Posted> {
  ada.types(place, { name: 'echo', options: { text } });
  return discord.until(text, () =>
    discord.messagesIn(place).find(({ content }) => content.endsWith(`ada: ${text}`)),
  );
}

/** What the quiet button did. */
export const hushed: string[] = [];

export const secret = defineCommand<Record<string, never>>({
  name: 'help',
  description,
  help,
  options: {},
  seenBy: 'requester',
  mayBeRead: true,
  run: async ({ reply }) => void (await reply.say({ text: `${'secret '.repeat(400)}end` })),
});

/** A file of the requested kind and size. */
export const give = defineCommand<{
  kind: {
    type: 'choice';
    choices: readonly ['image', 'voice', 'video', 'file'];
    required: true;
    description: Localized;
  };
}>({
  name: 'give',
  description,
  help,
  options: {
    kind: { type: 'choice', choices: ['image', 'voice', 'video', 'file'], required: true, description },
  },
  seenBy: 'channel',
  async run({ options, reply }) {
    const given = gifts.get(options.kind);
    if (!given) throw new Error('nothing to give');
    await reply.say({
      text: 'Here it is',
      files: [fileOf(given.bytes, { ...given.about, kind: options.kind, description: 'Described' })],
    });
  },
});

/** What `/give` gives. */
export const gifts = new Map<
  string,
  { bytes: Uint8Array; about: { name: string; contentType: string; original?: string } }
>();

export const testCommands: readonly AnyCommand[] = [echo, secret, give];
