import type { CommandDependencies } from '../src/app/command-dependencies.ts';
import { defineCommand } from '../src/app/define-command.ts';
import { InputError } from '../src/app/faults/input-error.ts';
import { languageName } from '../src/app/voices/suggestions.ts';
import { sampleLanguage, samplePrice } from '../src/app/voices/voice-samples.ts';
import type { EffectiveSettings } from '../src/place-settings/index.ts';
import { type Action, actionId, fileOf, type Invocation, placeKey } from '../src/port/index.ts';
import type { Voice } from '../src/service/index.ts';
import { speech } from '../src/service-rules/limits.ts';
import { words } from '../src/words/index.ts';

const options = {
  language: {
    type: 'text',
    pattern: { expression: speech.languagePattern, allowed: 'zh-CN, en, …' },
    suggest: 'languages',
    description: { en: 'Only voices that speak it', 'zh-CN': '只列出会说这种语言的声音' },
  },
} as const;

interface VoicesValues {
  readonly language?: string;
  /** Counted from 0. */
  readonly page?: number;
  /** The voice to be heard, instead of the list. */
  readonly sample?: string;
  /** There is a sample of it already, which costs nothing. */
  readonly kept?: boolean;
}

/** Voices of one message: as many as there can be buttons, with one for more. */
const pageSize = 20;
/** For how long the buttons of a list work, in milliseconds. */
const listLife = 30 * 86_400_000;

/** `/voices`: the voices, each with a button to hear it. */
export default defineCommand({
  name: 'voices',
  localNames: { 'zh-CN': '声音' },
  description: { en: 'All voices, with samples to listen to', 'zh-CN': '所有声音，可以试听' },
  help: {
    en: 'Each sample is made once and kept, so listening costs next to nothing.\nExample: `/voices language:en`',
    'zh-CN': '样音只做一次并保存，所以试听几乎不花积分。\n例如：`/voices language:en`',
  },
  options,
  textOption: 'language',
  seenBy: 'requester',
  operation: (values) => ((values as VoicesValues).sample === undefined ? undefined : 'speech'),
  price(values) {
    const { sample, language = '', kept } = values as VoicesValues;
    return sample === undefined || kept ? undefined : samplePrice(language);
  },
  async run(invocation, parts) {
    const { job, options: values, requester, reply } = invocation;
    const { locale } = requester;
    const say = words(locale).spending.voices;
    const { language, page = 0, sample } = values as VoicesValues;
    if (sample !== undefined) return play(invocation, sample, parts);
    const { voices, isKnownOnly } = parts.suggestions;
    const speaking = voices.filter((voice) => !language || speaks(voice, language));
    if (speaking.length === 0) return void (await reply.say({ text: say.none(language ?? '') }));
    const first = page * pageSize;
    const shown = speaking.slice(first, first + pageSize);
    await parts.notes.set(
      `voices ${job.id}`,
      shown.map(({ id }) => id),
      listLife,
    );
    const lines = shown.map((voice, index) => {
      const languages = voice.languages.map((tag) => languageName(tag, locale)).join(', ');
      const name = voice.name === undefined ? '' : `${voice.name} `;
      return say.line(first + index + 1, voice.id, name, languages || '?');
    });
    const listen = shown.map((_, index) => ({
      id: actionId('voices', `listen_${letterOf(index)}`, job.id),
      label: say.listen(first + index + 1),
    }));
    const hasMore = speaking.length > first + pageSize;
    await reply.say({
      text: [say.title(speaking.length), ...lines, ...(isKnownOnly ? [`-# ${say.known}`] : [])].join('\n'),
      buttons: [...listen, ...(hasMore ? [{ id: actionId('voices', 'more', job.id), label: say.more }] : [])],
    });
  },
  actions: {
    ...Object.fromEntries(
      Array.from({ length: pageSize }, (_, index) => [`listen_${letterOf(index)}`, listenTo(index)]),
    ),
    more: {
      who: 'requester',
      answers: 'private',
      call: ({ job }) => {
        const { page = 0 } = job.options as VoicesValues;
        return { command: 'voices', options: { ...job.options, page: page + 1 } };
      },
    },
  },
});

/** Names of actions are letters; a page has no more voices than there are. */
function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

/** Plays a sample: a command of its own, so that the rules and budgets of `/speak` apply to it. */
function listenTo(index: number): Action<CommandDependencies> {
  return {
    who: 'requester',
    answers: 'private',
    postsFiles: 'audio',
    async call({ job }, { notes, suggestions, voiceSamples: samples }) {
      const ids = await notes.get<readonly string[]>(`voices ${job.id}`);
      const voice = suggestions.voices.find(({ id }) => id === ids?.[index]);
      if (!voice) return undefined;
      const kept = await samples.has(voice);
      const options = { sample: voice.id, language: sampleLanguage(voice), ...(kept && { kept }) };
      return { command: 'voices', options };
    },
  };
}

async function play(
  { job, settings, address, requester, reply }: Invocation<object, EffectiveSettings>,
  id: string,
  dependencies: CommandDependencies,
): Promise<void> {
  const voice = dependencies.suggestions.voices.find((one) => one.id === id);
  if (!voice) throw new InputError((say) => say.buttonExpired);
  const conversationId = await dependencies.conversations.id(placeKey(address));
  const { bytes, format, contentType, seconds, text } = await dependencies.voiceSamples.of(voice, {
    job,
    budgets: dependencies.budgetsFor(requester, settings),
    conversationId,
  });
  const file = fileOf(bytes, {
    name: `${voice.id}.${format}`,
    contentType,
    kind: 'audio',
    description: text,
    seconds,
  });
  const say = words(requester.locale).spending.voices;
  await reply.say({ text: say.sample(voice.id), files: [file] });
}

function speaks(voice: Voice, language: string): boolean {
  const wanted = language.toLowerCase();
  return voice.languages.some((tag) => {
    const spoken = tag.toLowerCase();
    return spoken === wanted || spoken.startsWith(`${wanted}-`) || wanted.startsWith(`${spoken}-`);
  });
}
