import { actionId, fileOf, type LiveAnswer, privateOption, type Reply } from '../../../../src/port/index.ts';
import { type AnyCommand, defineCommand } from '../../../fakes/commands.ts';
import { clip, picture } from './media.ts';

const both = (text: string) => ({ en: text, 'zh-CN': `${text}（中文）` });

/** Answers with the words it is given, and has every kind of button. */
export const echo = defineCommand({
  name: 'echo',
  description: both('Says it again'),
  help: both('`/echo hello`'),
  options: {
    words: { type: 'text', required: true, maxCharacters: 200, description: both('What to say') },
    size: { type: 'choice', choices: ['small', 'large'], description: both('How large') },
    times: { type: 'integer', min: 1, max: 3, description: both('How often') },
    voice: { type: 'text', suggest: 'voices', description: both('Whose voice') },
  },
  textOption: 'words',
  seenBy: 'channel',
  async run({ job, options, reply }) {
    const button = (action: string, label: string) => ({ id: actionId('echo', action, job.id), label });
    await reply.say({
      text: options.words,
      buttons: [
        button('again', 'Again'),
        button('form', 'Form'),
        button('hush', 'Hush'),
        button('tell', 'Tell'),
      ],
    });
  },
  actions: {
    again: {
      who: 'anyone',
      call: ({ job: { options } }) => ({ command: 'echo', options }),
    },
    form: {
      who: 'anyone',
      form: (job) => ({
        title: 'Once more',
        command: 'echo',
        fields: ['words', 'times'],
        values: { words: String(job.options.words) },
      }),
      call: ({ values }) => ({ command: 'echo', options: values }),
    },
    hush: { who: 'anyone', answers: 'quiet', run: async () => {} },
    tell: {
      who: 'anyone',
      answers: 'private',
      run: async ({ reply }) => void (await reply.say({ text: 'a secret' })),
    },
  },
});

/** What plain text is for: says it again. */
export const asking = defineCommand({
  name: 'ask',
  description: both('Answers'),
  help: both('-'),
  options: {
    prompt: { type: 'text', required: true, maxCharacters: 200, description: both('What to answer') },
    size: { type: 'choice', choices: ['small', 'large'], description: both('How large') },
  },
  textOption: 'prompt',
  seenBy: 'channel',
  run: async ({ options, reply }) => void (await reply.say({ text: options.prompt })),
});

/** Seen by its giver alone. */
export const secret = defineCommand({
  name: 'secret',
  description: both('Whispers'),
  help: both('-'),
  options: {},
  seenBy: 'requester',
  run: async ({ reply }) => void (await reply.say({ text: 'only for you' })),
});

/** Can be private, and be given from a message. */
export const dear = defineCommand({
  name: 'dear',
  description: both('Costs'),
  help: both('-'),
  options: {
    words: { type: 'text', required: true, description: both('What to say') },
    private: privateOption,
  },
  textOption: 'words',
  seenBy: 'channel',
  fromMessage: {
    label: both('Dear'),
    description: both('Costs'),
    fields: ['words', 'private'],
    begin: ({ text }) => ({ values: { words: text }, added: {} }),
  },
  run: async ({ options, reply }) => void (await reply.say({ text: options.words })),
});

/** Breaks down. */
export const broken = defineCommand({
  name: 'broken',
  description: both('Breaks'),
  help: both('-'),
  options: {},
  seenBy: 'channel',
  run: async () => {
    throw new Error('inside');
  },
});

/** Takes files of both kinds. */
export const look = defineCommand({
  name: 'look',
  description: both('Looks at files'),
  help: both('-'),
  options: {
    words: { type: 'text', description: both('What to look for') },
    image_1: { type: 'file', media: 'image', reach: 'data', description: both('An image') },
    image_2: { type: 'file', media: 'image', reach: 'data', description: both('An image') },
    film_1: { type: 'file', media: 'video', reach: 'address', description: both('A film') },
    film_urls: { type: 'addresses', media: 'video', max: 2, description: both('Films by address') },
  },
  textOption: 'words',
  seenBy: 'channel',
  async run({ options, reply }) {
    const names = [options.image_1, options.image_2].flatMap((file) => file?.name ?? []);
    await reply.say({ text: `${names.length}: ${names.join(', ')}` });
  },
});

/** Posts what it is given as if a model had written it, with an image and a clip where it is asked to. */
export const post = defineCommand({
  name: 'post',
  description: both('Posts'),
  help: both('-'),
  options: {
    words: { type: 'text', description: both('What to post') },
    media: { type: 'boolean', description: both('With an image and a clip') },
  },
  textOption: 'words',
  seenBy: 'channel',
  async run({ options, reply }) {
    const files = options.media ? [picture, clip] : [];
    await reply.say({ text: options.words ?? '', files });
  },
});

/** Says what it is given by the test, when the test says so. */
export class Writer {
  readonly command: AnyCommand;
  readonly #answers: ((given: { live: LiveAnswer; reply: Reply; done: () => void }) => void)[] = [];

  constructor() {
    this.command = defineCommand({
      name: 'ask',
      description: both('Writes'),
      help: both('-'),
      options: { prompt: { type: 'text', required: true, description: both('What to write') } },
      textOption: 'prompt',
      seenBy: 'channel',
      run: async ({ reply, job }) => {
        const live = reply.stream({
          buttons: (ending) => [
            { id: actionId('ask', 'stop', job.id), label: ending ? `Ended ${ending.kind}` : 'Stop' },
          ],
        });
        await new Promise<void>((done) => this.#answers.shift()?.({ live, reply, done }));
      },
      actions: { stop: { who: 'anyone', answers: 'quiet', run: async () => {} } },
    });
  }

  /** The next answer that is begun. */
  next(): Promise<{ live: LiveAnswer; reply: Reply; done: () => void }> {
    return new Promise((resolve) => this.#answers.push(resolve));
  }
}

/** A file of `size` bytes whose byte at n is n modulo 251. */
export function patternFile(size: number, about: Parameters<typeof fileOf>[1]) {
  return fileOf(
    Uint8Array.from({ length: size }, (_, index) => index % 251),
    about,
  );
}
