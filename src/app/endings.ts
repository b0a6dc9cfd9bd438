import type { Explanation } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import { nowOrLater, unlessLocal } from '../lib/local-faults.ts';
import { personKey, type SettingValues } from '../place-settings/index.ts';
import {
  actionId,
  type Button,
  type ButtonAmount,
  type CommandEnd,
  commandFor,
  isPrivate,
  type Job,
  type Place,
  type PlatformAdapters,
} from '../port/index.ts';
import type { Ending } from '../reply/index.ts';
import { ContentRefusedError, TruncatedStreamError } from '../service/index.ts';
import type { Records } from '../store/index.ts';
import { type Words, words } from '../words/index.ts';
import { endOf, explain, isTheirs, worthTryingAgain } from './faults/explain.ts';
import type { Reader } from './policy/limits.ts';
import type { Refused } from './policy/moderation.ts';

/** How an answer ends by the service's `finish_reason`. */
export function endingByReason(finishReason: string | undefined, say: Words): Ending {
  if (finishReason === 'length') return { kind: 'done', note: say.endings.tooLong };
  if (isCutByService(finishReason)) return { kind: 'done', note: say.endings.filtered };
  return { kind: 'done' };
}

/** Whether the service didn't want to say more. */
export function isCutByService(finishReason: string | undefined): boolean {
  return finishReason === 'content_filter';
}

/** How an answer ends of which people can read a part when its process ends: they can go on from there. */
export function interruptedEnding({ endings }: Words): Ending {
  return { kind: 'interrupted', note: endings.interrupted };
}

/** How an answer ends by an error, of which nothing is kept. What was written stays where people read it. */
export function endingByError(
  error: unknown,
  aborted: { readonly byPerson: boolean; readonly byShutdown: boolean },
  say: Words,
  reader: Reader,
): Ending {
  if (aborted.byPerson) return { kind: 'stopped', note: say.endings.stopped };
  if (aborted.byShutdown) return { kind: 'failed', note: say.endings.interrupted };
  if (error instanceof TruncatedStreamError) return { kind: 'failed', note: say.endings.cutOff };
  // Before it has said anything, it's a refusal like any other.
  if (error instanceof ContentRefusedError && error.outcome === 'unknown')
    return { kind: 'failed', note: say.endings.filtered };
  return { kind: 'failed', note: `⚠️ ${explain(error, say, reader)}` };
}

/**
 * How an answer ends that isn't shown. What was read of one with something bad in it goes, too, since it's the same answer; what
 * passed before nobody could be asked about the rest stays.
 */
export function endingByRefusal(refused: Refused, say: Words, hasBegun: boolean): Ending {
  const { withheld } = say;
  if (refused.kind === 'unchecked') return { kind: 'failed', note: withheld.unchecked(hasBegun) };
  const note = refused.kind === 'word' ? withheld.word : withheld.flagged(refused.categories);
  return { kind: 'failed', note, instead: true };
}

/** How the command of an answer ended by an error, for those who run the bot. */
export function endByError(
  error: unknown,
  aborted: { readonly byPerson: boolean; readonly byShutdown: boolean },
): CommandEnd {
  if (aborted.byPerson) return { outcome: 'canceled' };
  return aborted.byShutdown ? { outcome: 'interrupted' } : endOf(error);
}

/** Settings that say where results tell that a machine made them. */
interface NoteSettings {
  readonly values: Pick<SettingValues, 'machine_note'>;
}

/** What stands below a job's result: that a machine made it, and at first contact that one talks to a machine. */
export async function machineNotes(
  what: 'answer' | 'media',
  job: Job,
  settings: NoteSettings,
  { firstContacts }: { readonly firstContacts: Pick<FirstContacts, 'lineFor'> },
): Promise<string | undefined> {
  const lines = [
    machineNote(what, settings, words(job.requester.locale)),
    await firstContacts.lineFor(job),
  ].filter((line) => line !== undefined);
  return lines.length > 0 ? lines.join('\n') : undefined;
}

/**
 * What stands below what a machine made, where administrators want that to be said (`machine_note`); undefined where they
 * don't.
 */
export function machineNote(
  what: 'answer' | 'media',
  { values: { machine_note: where } }: NoteSettings,
  say: Words,
): string | undefined {
  const isSaid = where === 'everything' || (where === 'media' && what === 'media');
  return isSaid ? say.machineNote : undefined;
}

/** What something was made from, with that below it, which stays where a platform doesn't take people's own words. */
export function noted(about: string, note = ''): { readonly text: string; readonly unquoted: string } {
  return { text: [about, note].filter(Boolean).join('\n'), unquoted: note };
}

/** An ending of an answer of which people can read something, with that below it. */
export async function markedEnding(
  ending: Ending,
  text: string,
  notes: () => Promise<string | undefined>,
): Promise<Ending> {
  if (ending.mark !== undefined || ending.kind === 'withdrawn' || text.trim() === '') return ending;
  const mark = await notes();
  return mark === undefined ? ending : { ...ending, mark };
}

/** Whether a message only says that there’s no word of the answer yet, or why. */
export function isWaitingHint(shown: string, { thinking, waitingTurn, waitingPlace }: Words): boolean {
  // Numbers differ, and an earlier version had a space before the dots.
  const bare = (text: string) => text.replace(/[\d\s]+/gu, '');
  return [thinking, waitingTurn, waitingPlace(1)].some((hint) => bare(shown).endsWith(bare(hint)));
}

/**
 * The buttons of a chat answer: while it's being written (no ending yet), and by how it ended. `amount` is for those that
 * can be left out: what's under way can always be stopped, what was interrupted be continued or tried again, what failed be
 * tried again, and everything be deleted.
 */
export function answerButtons(
  job: Job,
  ending: Ending | undefined,
  say: Words,
  amount: ButtonAmount,
): readonly Button[] {
  const button = (action: string, label: string) => jobButton(job, action, label);
  if (!ending) return [{ ...button('stop', say.stop), style: 'danger' }];
  const remove = removeButton(job, say);
  const isBroken = ending.kind === 'failed' || ending.kind === 'interrupted';
  const again = button('regenerate', isBroken ? say.tryAgain : say.regenerate);
  if (ending.kind === 'failed') return [again, remove];
  const goOn = button('continue', say.continue);
  if (amount === 'none') return ending.kind === 'interrupted' ? [again, goOn, remove] : [remove];
  const isComplete = ending.kind === 'done' && !ending.note;
  const share = shareButtons(job, say);
  const most = [button('reply', say.reply), again, ...(isComplete ? [] : [goOn])];
  if (amount === 'few') return [...most, ...share, remove];
  const inSecondRow = [
    ...share,
    { ...button('good', '👍'), description: say.feedback.good, vote: 'good' as const },
    { ...button('bad', '👎'), description: say.feedback.bad, vote: 'bad' as const },
  ];
  return [
    ...most,
    button('listen', say.listen),
    // Five stand in a row: what isn't complete yet is rather continued than drawn.
    ...(isComplete ? [button('draw', say.drawIt)] : []),
    remove,
    ...inSecondRow.map((one) => ({ ...one, row: 1 })),
  ];
}

/** A button with which people do something about what a job made: an action of its command. */
export function jobButton(
  { command, id }: Pick<Job, 'command' | 'id'>,
  action: string,
  label: string,
  argument?: number,
): Button {
  return { id: actionId(command, action, id, argument), label };
}

/** *Delete*, under everything the bot made. */
export function removeButton(job: Pick<Job, 'command' | 'id'>, say: Words): Button {
  return { ...jobButton(job, 'remove', say.remove), style: 'danger', confirm: say.confirmRemove };
}

/** The id of the button that deletes what a job made and was reported. */
export function deleteReportedId({ id }: Pick<Job, 'id'>): string {
  return actionId('report', 'delete', id);
}

/** *Delete it*, beside a report of what a job made. */
export function deleteReportedButton(job: Job, say: Words): Button {
  return { ...removeButton(job, say), id: deleteReportedId(job), label: say.reporting.delete };
}

/** *Report*, under what others see and can't vote on. */
export function reportButtons(job: Job, say: Words, adapters: PlatformAdapters): readonly Button[] {
  const isTheirs = isPrivate(job) || job.requester.direct || isAlone(job, adapters);
  return isTheirs ? [] : [jobButton(job, 'report', say.reporting.button)];
}

/** Whether who asked for it there is the only one who could report it, or be told. */
export function isAlone({ address }: Job, adapters: PlatformAdapters): boolean {
  return adapters(address.platform)?.hasOnePerson === true;
}

/** *Try again*, under what failed; `action` is what that means for its command. */
export function tryAgainButton(job: Pick<Job, 'command' | 'id'>, say: Words, action = 'again'): Button {
  return jobButton(job, action, say.tryAgain);
}

/** The id of the button that shares a job's answer. */
export function shareId({ command, id }: Pick<Job, 'command' | 'id'>): string {
  return actionId(command, 'share', id);
}

/** *Share here* under a private answer; none under others, or where nobody else could see it. */
export function shareButtons(job: Job, say: Words): readonly Button[] {
  const { direct, unseen } = job.requester;
  return isPrivate(job) && !direct && !unseen ? [{ id: shareId(job), label: say.sharing.share }] : [];
}

/** Which version of several is shown, from 1. */
interface PageNumber {
  readonly number: number;
  readonly count: number;
}

/** Pages through the versions of a result in one message, if there are several: actions of the job's command. */
export function pageButtons(
  job: Pick<Job, 'command' | 'id'>,
  { number, count }: PageNumber,
): readonly Button[] {
  if (count < 2) return [];
  const button = (action: string, label: string) => ({ ...jobButton(job, action, label), row: 1 });
  return [button('previous', '‹'), button('newest', `${number}/${count}`), button('next', '›')];
}

/** The message that explains to a command's requester why it failed, with a button where trying again may help. */
export function explanationOf(error: unknown, job: Job): Explanation {
  const say = words(job.requester.locale, job.address.platform);
  const buttons = [tryAgainButton(job, say)];
  return {
    text: `⚠️ ${explain(error, say, job.requester)}`,
    privately: isTheirs(error),
    ...(worthTryingAgain(error) && { buttons }),
  };
}

interface FirstContactsDependencies {
  /** Who was told, and in which answer. */
  readonly keyv: Records;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
}

/** Somebody was told, or everybody in a place. */
interface FirstContact {
  /** The job whose answer says so. */
  readonly job: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * That one talks to a machine stands below the first answer that somebody gets in direct messages, or a place where the bot
 * hasn't introduced itself: once, in whichever process; after a death maybe twice, but not never.
 */
export class FirstContacts {
  readonly #dependencies: FirstContactsDependencies;

  constructor(dependencies: FirstContactsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The line below a job's answer; undefined if there's none. The same however often it's asked. */
  async lineFor(job: Job): Promise<string | undefined> {
    const { id, requester } = job;
    const { keyv, clock } = this.#dependencies;
    const met = this.#met(job);
    if (met === undefined) return undefined;
    try {
      const isFirst = await keyv.add(met, { job: id, at: clock.now() } satisfies FirstContact);
      const isSaid = isFirst || (await keyv.get<FirstContact>(met))?.job === id;
      return isSaid ? words(requester.locale).firstContact : undefined;
    } catch (error) {
      // It's said the next time.
      return unlessLocal(error);
    }
  }

  /** Nobody reads a job's answer: if it had the line, the next one has it. */
  async unsaid(job: Job): Promise<void> {
    const { keyv } = this.#dependencies;
    const met = this.#met(job);
    if (met !== undefined && (await keyv.get<FirstContact>(met))?.job === job.id) await keyv.delete(met);
  }

  /**
   * A command that went on by a record of its own has ended. Media that isn't done came to nobody; of an answer, people may have
   * read a part.
   */
  ended(job: Job, { outcome, reason }: CommandEnd): void {
    const isUnseen = job.command === commandFor.chat ? reason === 'platform' : outcome !== 'done';
    if (isUnseen) void nowOrLater(() => this.unsaid(job), this.#dependencies).catch(() => {});
  }

  /** Whom a job's answer would tell; undefined where nobody has to be told. */
  #met(job: Job): string | undefined {
    const { address, requester } = job;
    const whom = requester.bot ? undefined : this.#dependencies.adapters(address.platform)?.meets(address);
    if (!whom) return undefined;
    // What only its requester sees tells nobody else.
    const isForAll = whom === 'place' && !isPrivate(job);
    return keyOf(isForAll ? { ...address, person: '' } : personKey(address, requester.id));
  }

  /** Somebody isn't known any more whom the bot met by then. */
  async forget(owner: ReturnType<typeof personKey>, before: number): Promise<void> {
    const { keyv } = this.#dependencies;
    const met = await keyv.get<FirstContact>(keyOf(owner));
    if (met && met.at <= before) await keyv.delete(keyOf(owner));
  }

  /** A workspace isn't, with those whom it has its own ids for. */
  async forgetPlace({ platform, workspace }: Place): Promise<void> {
    await this.#dependencies.keyv.deleteStartingWith(keyOf({ platform, workspace, person: '' }));
  }
}

function keyOf({ platform, workspace, person }: ReturnType<typeof personKey>): string {
  return `${platform} ${workspace} ${person}`;
}
