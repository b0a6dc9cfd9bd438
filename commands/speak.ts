import { clipKind, clipMessage, isDeleted } from '../src/app/answers/clip-message.ts';
import { mayReadAgain, oncePerAnswer } from '../src/app/answers/listen.ts';
import { defineCommand } from '../src/app/define-command.ts';
import { tryAgainButton } from '../src/app/endings.ts';
import { notListed } from '../src/app/faults/explain.ts';
import { speakThis } from '../src/app/inputs/chosen-message.ts';
import { promptOf, readAnswer } from '../src/app/job-context.ts';
import { speechPrice } from '../src/app/metered-calls.ts';
import { deleteAnswer, reportResult, shareFiles, showHeld } from '../src/app/result-actions.ts';
import { quoted } from '../src/lib/text.ts';
import { privateOption, type RunEnd } from '../src/port/index.ts';
import { speech } from '../src/service-rules/limits.ts';
import { words } from '../src/words/index.ts';
import { speakForms } from '../src/words/spoken-forms.ts';

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
    description: { en: 'The voice; suggestions appear as you type', 'zh-CN': '音色，输入时有提示' },
  },
  language: {
    type: 'text',
    pattern: speech.language,
    suggest: 'languages',
    description: {
      en: 'Language such as zh-CN or en, for voices that speak several',
      'zh-CN': '语言，如 zh-CN 或 en，用于支持多种语言的音色',
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
  private: privateOption,
} as const;

/** `/speak`: a text as a voice clip. */
export default defineCommand({
  name: 'speak',
  localNames: { 'zh-CN': '朗读' },
  forms: speakForms,
  description: { en: 'Read a text aloud as a voice clip', 'zh-CN': '把文字读成语音' },
  help: {
    en: 'Without a format you get a voice message where possible.\nExample: `/speak text:Good morning! speed:0.9`',
    'zh-CN': '不选格式时，在支持的地方会是语音消息。\n例如：`/speak text:早上好！ speed:0.9`',
  },
  options,
  state: readAnswer,
  textOption: 'text',
  seenBy: 'channel',
  postsFiles: 'voice',
  fileKind: clipKind,
  check: async ({ voice }, { voiceList }) =>
    voice === undefined || (await voiceList.mayHave(voice.trim())) ? [] : [notListed('voice', voice)],
  fromMessage: {
    label: { en: 'Speak this', 'zh-CN': '朗读此消息' },
    description: { en: 'Reads this message aloud as a voice clip', 'zh-CN': '把这条消息读成语音' },
    fields: ['text', 'voice', 'language', 'private'],
    begin: speakThis,
  },
  operation: () => 'speech',
  defaults: ({ values: { voice, language } }, values) =>
    values.voice === undefined ? { voice, ...(language !== '' && { language }) } : {},
  price: ({ text, language, speed }) => speechPrice({ input: text, language, speed }),
  async run(invocation, dependencies) {
    const { job, requester, reply } = invocation;
    const { deletions, deliveries } = dependencies;
    const make = async (): Promise<RunEnd> => {
      const canceled = { outcome: 'canceled' } as const;
      const message = await clipMessage(invocation, dependencies);
      if (!message) {
        // Its requester isn't told that the command itself was deleted.
        await deletions.expectSource(job);
        return canceled;
      }
      if (await isDeleted(job, dependencies)) return deliveries.deliverAlone(job, message, canceled);
      return deliveries.deliver(job, message, () => reply.say(message));
    };
    const repeated = () => reply.whisper({ text: words(requester.locale).alreadyRead });
    return oncePerAnswer(job, dependencies, make, repeated);
  },
  async interrupted(job, _, dependencies) {
    // A clip that was made is still being delivered.
    if (await dependencies.deliveries.isPending(job.id)) return 'goes-on';
    await mayReadAgain(job, dependencies);
    return { buttons: [tryAgainButton(job, words(job.requester.locale))] };
  },
  actions: {
    share: shareFiles('audio', (job) => quoted(promptOf(job))),
    show: showHeld,
    remove: deleteAnswer,
    report: reportResult,
  },
});
