import { meteredSpeech, speechPrice } from '../src/app/answers/metered-speech.ts';
import { adapterOf } from '../src/app/command-dependencies.ts';
import { defineCommand } from '../src/app/define-command.ts';
import { notListed } from '../src/app/faults/option-faults.ts';
import { quoted } from '../src/app/presenters/texts.ts';
import { mayBeWav } from '../src/app/voices/wav-size.ts';
import { speechSeconds } from '../src/credits/index.ts';
import { actionId, channelKey, fileOf, placeKey, type Reply } from '../src/port/index.ts';
import type { AudioFormat } from '../src/service/index.ts';
import { speech } from '../src/service-rules/limits.ts';
import { knownVoices } from '../src/service-rules/voices.ts';
import { type Words, words } from '../src/words/index.ts';

const options = {
  text: {
    type: 'text',
    required: true,
    maxBytes: speech.maxInputBytes,
    description: { en: 'The text to read aloud', 'zh-CN': '要朗读的文字' },
  },
  voice: {
    type: 'text',
    maxCharacters: 256,
    suggest: 'voices',
    description: { en: 'The voice; suggestions appear as you type', 'zh-CN': '声音，输入时有提示' },
  },
  language: {
    type: 'text',
    pattern: { expression: speech.languagePattern, allowed: 'zh-CN, en, …' },
    suggest: 'languages',
    description: {
      en: 'Language such as zh-CN or en, for voices that speak several',
      'zh-CN': '语言，如 zh-CN 或 en，用于会多种语言的声音',
    },
  },
  format: {
    type: 'choice',
    choices: speech.formats,
    description: {
      en: 'File format; by default, what plays best here',
      'zh-CN': '文件格式；不填则选这里播放最好的',
    },
  },
  speed: {
    type: 'number',
    min: speech.speed.min,
    max: speech.speed.max,
    description: { en: 'Speed; 1 is normal', 'zh-CN': '语速，1 为正常' },
  },
} as const;

/** `/speak`: a text as a voice clip. */
export default defineCommand({
  name: 'speak',
  localNames: { 'zh-CN': '朗读' },
  description: { en: 'Read a text aloud as a voice clip', 'zh-CN': '把文字读成语音' },
  help: {
    en: 'Without a format you get a voice message where possible.\nExample: `/speak text:Good morning! speed:0.9`',
    'zh-CN': '不选格式时，在支持的地方会是语音消息。\n例如：`/speak text:早上好！ speed:0.9`',
  },
  options,
  textOption: 'text',
  seenBy: 'channel',
  postsFiles: 'voice',
  check: async ({ voice }, { voiceList }) =>
    voice === undefined || (await voiceList.mayHave(voice.trim())) ? [] : [notListed('voice', voice)],
  operation: () => 'speech',
  defaults: ({ values: { voice, language } }, values) =>
    values.voice === undefined ? { voice, ...(language !== '' && { language }) } : {},
  price: ({ text, language, speed }) => speechPrice({ input: text, language, speed }),
  async run({ job, options: values, settings, address, requester, reply, signal }, dependencies) {
    const { conversations, deliveries, sounds, budgetsFor } = dependencies;
    const { text, voice = knownVoices[0]?.id ?? '', language, speed } = values;
    const playable = (await reply.clipFormat?.()) ?? 'mp3';
    const say = words(requester.locale);
    const seconds = speechSeconds(text, { ...(speed && { speed }), ...(language && { language }) });
    const limit = () => adapterOf(dependencies, address).maxFileBytes(address, 'audio');
    // A WAV too large to be posted here is known before it is paid for: an MP3 is made instead.
    const isTooLong = values.format === 'wav' && !mayBeWav(seconds, await limit());
    const format = isTooLong ? 'mp3' : (values.format ?? playable);
    const request = { input: text, voice: voice.trim(), format, language, speed } as const;
    const conversationId = await conversations.id(placeKey(address));
    const made = await meteredSpeech(
      dependencies,
      { job, budgets: budgetsFor(requester, settings), conversationId, request },
      { signal, fairnessKey: channelKey(address), onWait: tellOnce(reply, say) },
    );
    // The service may send another format than the one requested; a format the person chose is left as it is.
    const isPlayable = values.format !== undefined || made.format === playable;
    const clip = { ...made, ...(isPlayable ? undefined : await sounds.convert(made.bytes, playable)) };
    const file = fileOf(clip.bytes, {
      name: `speech.${extension(clip.format, values.format)}`,
      contentType: clip.contentType,
      kind: values.format === undefined ? 'voice' : 'audio',
      description: text,
      seconds: clip.seconds,
      id: job.id,
    });
    const note = isTooLong ? `\n\n${say.tooLargeAs('WAV', clip.format.toUpperCase())}` : '';
    const message = { text: `${quoted(text)}${note}`, unquoted: `${say.spoken}${note}`, files: [file] };
    await deliveries.bring(job, message, () => reply.say(message));
  },
  // A clip that was made is still being delivered.
  interrupted: async (job, _, { deliveries }) =>
    (await deliveries.has(job.id))
      ? 'goes-on'
      : [{ id: actionId('speak', 'again', job.id), label: words(job.requester.locale).tryAgain }],
});

/** Players know Opus in Ogg by the name of its container; a person who chose `opus` gets that name. */
function extension(format: AudioFormat, chosen: string | undefined): string {
  return format === 'opus' && chosen === undefined ? 'ogg' : format;
}

/** Tells the person their place in line once: a clip has no message in which it could count down. */
function tellOnce(reply: Reply, say: Words): (place: number) => void {
  let told = false;
  return (place) => {
    if (told) return;
    told = true;
    // The clip is made whether or not this message gets through.
    reply.whisper({ text: say.waitingPlace(place) }).catch(() => {});
  };
}
