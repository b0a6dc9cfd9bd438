import { z } from 'zod';
import { type Action, type CommandDependencies, defineCommand } from '../src/app/define-command.ts';
import { InputError } from '../src/app/faults/explain.ts';
import { conversationOf } from '../src/app/job-context.ts';
import {
  describeVoice,
  listenAction,
  sampleLanguage,
  samplePrice,
  voicePage,
  voicesPerPage,
} from '../src/app/voices.ts';
import type { Invocation } from '../src/engine/index.ts';
import { fileOf, type Job } from '../src/port/index.ts';
import { speech } from '../src/service-rules/limits.ts';
import type { Voice } from '../src/service/index.ts';
import { words } from '../src/words/index.ts';

const options = {
  language: {
    type: 'text',
    pattern: speech.language,
    suggest: 'languages',
    description: { en: 'Only voices that speak this language', 'zh-CN': '只列出支持这种语言的音色' },
  },
} as const;

/** The choices of buttons. */
const state = z.object({
  /** Counted from 0. */
  page: z.int().nonnegative().exactOptional(),
  /** The voice to listen to, instead of the list. */
  sample: z.string().exactOptional(),
  /** Its sample is kept already, so it costs nothing. */
  kept: z.boolean().exactOptional(),
});

/** For how long the buttons of a list work, in milliseconds. */
const buttonsWorkFor = 30 * 86_400_000;

/** Under which key the voices a list showed are kept. */
const shownKey = ({ id }: Pick<Job, 'id'>) => `voices ${id}`;

/** `/voices`: the voices, each with a button to listen. */
export default defineCommand({
  name: 'voices',
  localNames: { 'zh-CN': '音色' },
  description: { en: 'All voices, with samples to listen to', 'zh-CN': '所有音色，可以试听' },
  help: {
    en: 'Each sample is made once and kept, so listening costs next to nothing.\nExample: `/voices language:en`',
    'zh-CN': '样音只做一次并保存，所以试听几乎不花积分。\n例如：`/voices language:en`',
  },
  options,
  state,
  textOption: 'language',
  seenBy: 'requester',
  mayBeRead: true,
  operation: ({ sample }) => (sample === undefined ? undefined : 'speech'),
  price: ({ sample, language = '', kept }) =>
    sample === undefined || kept ? undefined : samplePrice(language),
  async run(invocation, dependencies) {
    const { job, options: values, requester, reply } = invocation;
    const { language, page = 0, sample } = values;
    if (sample !== undefined) return play(invocation, sample, dependencies);
    const { voiceList, notes } = dependencies;
    const voices = voiceList.voices.filter((voice) => !language || speaks(voice, language));
    if (voices.length === 0) {
      const text = words(requester.locale).spending.voices.none(language ?? '');
      return void (await reply.say({ text }));
    }
    const { message, shown } = voicePage(job, voices, { page, isKnownOnly: voiceList.isKnownOnly });
    const ids = shown.map(({ id }) => id);
    await notes.set(shownKey(job), ids, buttonsWorkFor);
    await reply.say(message);
  },
  actions: {
    ...Object.fromEntries(
      Array.from({ length: voicesPerPage }, (_, index) => [listenAction(index), listenTo(index)]),
    ),
    more: {
      who: 'requester',
      call: ({ job }) => {
        const page = Number(job.options.page ?? 0) + 1;
        return { command: 'voices', options: { ...job.options, page } };
      },
    },
  },
});

/** Plays a sample: a command of its own, so that the rules and budgets of `/speak` apply to it. */
function listenTo(index: number): Action {
  return {
    who: 'requester',
    postsFiles: 'audio',
    async call({ job }, { notes, voiceList, voiceSamples }) {
      const ids = await notes.get<readonly string[]>(shownKey(job));
      const voice = voiceList.find(ids?.[index]);
      if (!voice) return undefined;
      const kept = await voiceSamples.has(voice);
      const options = { sample: voice.id, language: sampleLanguage(voice), ...(kept && { kept }) };
      return { command: 'voices', options };
    },
  };
}

async function play(invocation: Invocation, id: string, dependencies: CommandDependencies): Promise<void> {
  const { job, settings, requester, reply } = invocation;
  const voice = dependencies.voiceList.find(id);
  if (!voice) throw new InputError((say) => say.buttonExpired);
  const conversationId = await dependencies.conversations.id(conversationOf(invocation));
  const {
    bytes,
    text: spoken,
    ...about
  } = await dependencies.voiceSamples.of(voice, {
    job,
    ...dependencies.limitsFor(requester, settings),
    conversationId,
  });
  const file = fileOf(bytes, {
    name: `${voice.id}.${about.format}`,
    contentType: about.contentType,
    kind: 'audio',
    description: spoken,
    seconds: about.seconds,
  });
  const { sample } = words(requester.locale).spending.voices;
  await reply.say({ text: sample(voice.id, describeVoice(voice, requester.locale)), files: [file] });
}

function speaks(voice: Voice, language: string): boolean {
  const wanted = language.toLowerCase();
  return voice.languages.some((tag) => {
    const spoken = tag.toLowerCase();
    return spoken === wanted || spoken.startsWith(`${wanted}-`) || wanted.startsWith(`${spoken}-`);
  });
}
