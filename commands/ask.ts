import { endInterrupted, endWithdrawn } from '../src/app/answers/end-interrupted.ts';
import {
  type AnswerText,
  answerText,
  cutAtSentence,
  listenTo,
  speakable,
} from '../src/app/answers/listen.ts';
import { isRewrite, rewriteOptions } from '../src/app/answers/rewrite.ts';
import { askState, priceOfAnswer, writeAnswer } from '../src/app/answers/write-answer.ts';
import { defineCommand, type EffectAction } from '../src/app/define-command.ts';
import { isAlone, isWaitingHint, jobButton } from '../src/app/endings.ts';
import { askAbout, continueAnswer, replyToAnswer } from '../src/app/inputs/chosen-message.ts';
import { inItsThread } from '../src/app/job-context.ts';
import { deleteAnswer, reportResult, shareAnswer, showHeld } from '../src/app/result-actions.ts';
import { titleOf } from '../src/lib/text.ts';
import { maxPersonaName, noPersona } from '../src/place-settings/index.ts';
import { type Job, privateOption } from '../src/port/index.ts';
import { chatModels } from '../src/service-rules/models.ts';
import { words } from '../src/words/index.ts';

const options = {
  prompt: {
    type: 'text',
    required: true,
    description: { en: 'What you want to know or get done', 'zh-CN': '想问的或想做的事' },
  },
  model: {
    type: 'choice',
    choices: chatModels,
    description: {
      en: 'The model that answers; the pro one is for research and complex tasks',
      'zh-CN': '回答所用的模型；pro 适合研究和复杂任务',
    },
  },
  as: {
    type: 'text',
    maxCharacters: maxPersonaName,
    suggest: 'personas',
    description: {
      en: 'The persona that answers; none for nobody',
      'zh-CN': '由哪个角色回答，none 表示不用角色',
    },
  },
  private: privateOption,
  thread: {
    type: 'boolean',
    description: {
      en: 'Answers in a thread with a conversation of its own',
      'zh-CN': '在单独的消息列里回答，有自己的对话',
    },
  },
} as const;

/** `/ask`: a chat answer, shown while it's written, that continues the conversation of its channel or thread. */
export default defineCommand({
  name: 'ask',
  localNames: { 'zh-CN': '提问' },
  description: { en: 'Ask something and continue the conversation here', 'zh-CN': '提问，并继续这里的对话' },
  help: {
    en: 'I remember what was said here. `/reset` starts over.\nExample: `/ask prompt:Explain tides to a child`',
    'zh-CN': '我记得这里说过的话，用 `/reset` 可以重新开始。\n例如：`/ask prompt:给孩子讲讲潮汐`',
  },
  options,
  state: askState,
  textOption: 'prompt',
  seenBy: 'channel',
  queues: true,
  fromMessage: {
    label: { en: 'Ask about this', 'zh-CN': '就此提问' },
    description: { en: 'Asks a question about this message', 'zh-CN': '就这条消息提问' },
    fields: ['prompt', 'model', 'private'],
    readsFiles: true,
    begin: askAbout,
  },
  operation: () => 'chat',
  defaults: ({ values: { model, as, conversation } }) => ({
    model,
    ...(as !== '' && { as }),
    ...(conversation === 'thread' && { thread: true }),
  }),
  price: priceOfAnswer,
  run: writeAnswer,
  isInterim: (shown, job) => isWaitingHint(shown, words(job.requester.locale)),
  async interrupted(job, shown, dependencies) {
    const end = await endInterrupted(job, shown, dependencies);
    await dependencies.deletedQuestions.forgetEnded(job);
    return end;
  },
  withdrawn: endWithdrawn,
  actions: {
    share: shareAnswer,
    show: showHeld,
    stop: {
      who: 'requester-or-moderator',
      answers: 'quiet',
      async run({ job, requester, reply }, { answersInProgress }) {
        const outcome = await answersInProgress.stop(job.id);
        const { stopUnheard, notWriting } = words(requester.locale);
        if (outcome === 'no-response') await reply.whisper({ text: stopUnheard });
        if (outcome === 'not-found') await reply.whisper({ text: notWriting });
      },
    },
    regenerate: {
      who: 'requester',
      call: async ({ job }, dependencies) => {
        const { rewrites: _, ...same } = job.options;
        return {
          command: 'ask',
          options: {
            as: noPersona,
            ...same,
            replaces: job.id,
            ...(await inItsThread(job, dependencies)),
          },
        };
      },
      inPlace: isRewrite,
      addedOptions: rewriteOptions,
    },
    reply: replyToAnswer,
    remove: deleteAnswer,
    continue: continueAnswer,
    listen: { who: 'anyone', postsFiles: 'voice', call: listenTo },
    draw: {
      who: 'anyone',
      postsFiles: 'image',
      form: async (job, locale, shown, _, dependencies) => ({
        title: words(locale).drawIt,
        command: 'imagine',
        fields: ['prompt', 'size'],
        values: { prompt: pictureOf(job, await answerText(job, shown, dependencies)) },
      }),
      call: ({ job, values }) => ({ command: 'imagine', options: { ...values, made_of: [job.id] } }),
    },
    previous: pageAnswerBy(-1),
    next: pageAnswerBy(1),
    newest: pageAnswerBy(0),
    good: vote(true),
    bad: vote(false),
    report: reportResult,
  },
});

/** Shows the version so many after the one that is shown; anyone may look. */
function pageAnswerBy(by: number): EffectAction {
  return {
    who: 'anyone',
    answers: 'quiet',
    async run({ job, requester, message, reply }, { answerVersions }) {
      // What stands between the arrows only tells.
      if (by === 0) return;
      const { errors } = words(requester.locale);
      if (await answerVersions.isUnderWay(message)) return reply.whisper({ text: errors.answerUnderWay });
      if (!(await answerVersions.page(message, by, job))) await reply.whisper({ text: errors.resultGone });
    },
  };
}

/** A person's vote on the answer; the last one counts. After a bad one they can report it, too. */
function vote(isGood: boolean): EffectAction {
  return {
    who: 'anyone',
    answers: 'quiet',
    async run({ job, requester, reply }, { feedback, adapters }) {
      await feedback.vote(job, requester.id, isGood);
      if (isGood) return;
      const { feedback: said, reporting } = words(requester.locale);
      const buttons = isAlone(job, adapters) ? [] : [jobButton(job, 'report', reporting.this)];
      await reply.whisper({ text: said.thanks, buttons });
    },
  };
}

/** The most bytes of an answer in a prompt for its picture. */
const maxPicturedBytes = 400;

/** A short prompt for a picture of an answer: what was asked, and how the answer begins. */
function pictureOf({ options, requester }: Job, answer: AnswerText | undefined): string {
  const said = answer && cutAtSentence(speakable(answer.text, words(requester.locale)), maxPicturedBytes);
  return [titleOf(String(options.prompt), 150), said].filter(Boolean).join('\n');
}
