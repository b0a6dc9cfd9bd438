import type { ButtonPress } from '../engine/index.ts';
import { plainName, quoted, titleOf } from '../lib/text.ts';
import { adapterOf, fileOf, type Message, type OutgoingFile, undefinedIfFailed } from '../port/index.ts';
import { noteOf, withNote } from '../reply/index.ts';
import { words } from '../words/index.ts';
import type { CommandAction, CommandDependencies, EffectAction } from './define-command.ts';
import { answerButtons, deleteReportedId, machineNote, noted, removeButton, shareId } from './endings.ts';
import { InputError } from './faults/explain.ts';
import { privateConversation, promptOf, spokenBy } from './job-context.ts';
import { spoilerOf } from './presenters/image-presenter.ts';
import type { SharedContent } from './sharing.ts';

/** So many characters of a name are on a button. */
const mostNamed = 40;

/** *Delete* under an answer, for its requester and moderators: takes all of it away. */
export const deleteAnswer: EffectAction = {
  who: 'requester-or-moderator',
  answers: 'quiet',
  staysWhenDeleted: true,
  staysWhenShared: true,
  async run({ job, message, requester, reply }, { answerDeletion }) {
    await answerDeletion.delete(job, message, requester, async () => {
      await reply.whisper({ text: words(requester.locale).notAllDeleted });
    });
  },
};

/** *Report*: the form of the menu item of the same name, about what the button's job made. */
export const reportResult: CommandAction = {
  who: 'anyone',
  // What stands though its question was deleted others still see.
  staysWhenDeleted: true,
  form: (_, locale) => ({
    title: words(locale).reporting.this,
    command: 'report',
    fields: ['reason', 'anonymous'],
    values: {},
  }),
  call: ({ job, values }) => ({ command: 'report', options: { ...values, reported_job: job.id } }),
};

/**
 * *Delete it* beside a report: takes away what's reported, for whoever may do that where it stands, and says who did. Pressed
 * again, it says so again: the process may have died in between. What the platform refuses to delete, maybe later, can be
 * tried again.
 */
export const deleteReported: EffectAction = {
  who: 'moderator',
  answers: 'quiet',
  staysWhenDeleted: true,
  async run({ job, message, requester, reply }, dependencies) {
    const { reports, answerDeletion } = dependencies;
    const { reporting, notAllDeleted } = words(requester.locale);
    const relabel = async (label: string): Promise<boolean> => {
      const work = async () =>
        adapterOf(dependencies, message).relabelButton(message, deleteReportedId(job), label);
      return (await undefinedIfFailed(work().then(() => true))) ?? false;
    };
    let labelled: Promise<boolean> | undefined;
    const wasGone = await reports.isGone(job);
    const by = await reports.deletedBy(message, wasGone ? undefined : requester);
    let isKept = false;
    if (!wasGone)
      await answerDeletion.delete(job, { ...job.address, message: '' }, requester, async () => {
        isKept = true;
        await reports.keep(message);
        await labelled;
        await relabel(reporting.delete);
        await reply.whisper({ text: notAllDeleted });
      });
    if (isKept) return;
    const name = titleOf(plainName(by ?? ''), mostNamed);
    labelled = relabel(name === '' ? reporting.isDeleted : reporting.deletedBy(name));
    const isSaid = await labelled;
    if (wasGone) await reply.whisper({ text: reporting.alreadyDeleted });
    else if (!isSaid) await reply.whisper({ text: reporting.deleted });
  },
};

/** The button that cancels what waits for its turn: nothing has been sent and nothing is spent then. */
export const cancelRender: EffectAction = {
  who: 'requester-or-moderator',
  answers: 'quiet',
  async run({ job, requester, reply }, { renders }) {
    if (await renders.cancel(job.id)) return;
    await reply.whisper({ text: words(requester.locale).tooLateToCancel });
  },
};

/** The button that shows its requester a result that could be posted nowhere. */
export const showHeld: EffectAction = {
  who: 'requester',
  answers: 'private',
  worksAnywhere: true,
  staysWhenDeleted: true,
  async run({ job, address, requester, reply }, dependencies) {
    const { deliveries, renders } = dependencies;
    const say = (message: Message) => reply.say(message);
    if (await deliveries.bringHeld(job, say)) return;
    const adapter = adapterOf(dependencies, address);
    const limit = await adapter.maxFileBytes(address, job.command === 'imagine' ? 'image' : 'video');
    if (await renders.bringHeld(job, limit, say)) return;
    await reply.whisper({ text: words(requester.locale).nothingHeld });
  },
};

/** Shares an answer in words, as the person's own conversation has it. */
export const shareAnswer: EffectAction = shareBy(
  async ({ job }, { conversations, deletedQuestions, placeSettings }) => {
    const { address, requester } = job;
    const say = words(requester.locale);
    const answered = await conversations.answerTo(privateConversation(address, requester), job.id);
    if (!answered && (await deletedQuestions.hasLostQuestion(job)))
      throw new InputError((to) => to.sharing.questionDeleted);
    if (!answered) return undefined;
    const { text, ending = { kind: 'done' } } = answered;
    const shown = withNote(text, ending);
    const asked = quoted(promptOf(job));
    const { values } = await placeSettings.at(address);
    const buttons = answerButtons(job, ending, say, values.buttons).map((button) =>
      button.id === shareId(job) ? { ...button, label: say.sharing.shared } : button,
    );
    const note = noteOf(ending);
    const message = { ...spokenBy(job), text: `${asked}\n\n${shown}`, ...(note !== undefined && { note }) };
    return { message, answered, shown: { text: shown, buttons } };
  },
);

/** Shares the files of the message with the button below what they were made from, or the link to one too large. */
export function shareFiles(
  kind: OutgoingFile['kind'],
  textOf: (job: ButtonPress['job']) => string,
): EffectAction {
  return shareBy(async (press, dependencies) => {
    const { job, message } = press;
    const adapter = adapterOf(dependencies, message);
    const shown = press.files?.length ? press.files : await adapter.attachments(message).catch(() => []);
    const settings = await dependencies.placeSettings.at(job.address);
    const text = textOf(job);
    const note = machineNote('media', settings, words(job.requester.locale));
    const about = { ...noted(text, note), ...spoilerOf(job) };
    if (shown.length > 0) {
      const limit = await adapter.maxFileBytes(job.address, kind);
      const description = titleOf(promptOf(job), 1_000);
      const files = shown.map(async (file) => {
        const { name, contentType } = file;
        return fileOf(await adapter.readFile(file, limit), { name, contentType, kind, description });
      });
      return { message: { ...about, files: await Promise.all(files) } };
    }
    const link = (await dependencies.renders.find(job.id))?.result?.link;
    return link === undefined ? undefined : { message: { ...about, link } };
  });
}

function shareBy(
  read: (
    press: ButtonPress,
    dependencies: CommandDependencies,
  ) => Promise<Omit<SharedContent, 'said'> | undefined>,
): EffectAction {
  return {
    who: 'requester',
    answers: 'reply',
    run: (press, dependencies) =>
      dependencies.sharing.share(press, async () => {
        await dependencies.deletions.expectSource(press.job);
        const content = await read(press, dependencies);
        const buttons = [removeButton(press.job, words(press.requester.locale))];
        if (!content) return undefined;
        const { message } = content;
        const said = message.text ?? '';
        return { ...content, message: { ...withName(message, press), buttons }, said };
      }),
  };
}

/** Says who shared it, in the language of who did. */
function withName(message: Message, { requester }: ButtonPress): Message {
  const line = words(requester.locale).sharing.sharedBy(plainName(requester.name) || requester.id);
  const below = (text: string | undefined) => [text, line].filter(Boolean).join('\n\n');
  const { text, note, unquoted } = message;
  return {
    ...message,
    text: below(text),
    note: below(note),
    ...(unquoted !== undefined && { unquoted: below(unquoted) }),
  };
}
