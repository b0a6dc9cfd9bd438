import type { Conversations, KeptAnswer } from '../conversation/index.ts';
import type { Locks } from '../coordination/index.ts';
import type { ButtonPress } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { LocalFaults } from '../lib/local-faults.ts';
import type { PlaceSettings } from '../place-settings/index.ts';
import {
  adapterOf,
  type Address,
  conversationKey,
  type Job,
  type Jobs,
  type LiveAnswers,
  type Message,
  type MessageAddress,
  type OnPosted,
  persistently,
  type Person,
  type PlatformAdapters,
  PlatformError,
  refusalOf,
  undefinedIfFailed,
  undefinedIfRefused,
} from '../port/index.ts';
import type { Records } from '../store/index.ts';
import { explainPlatformError, type Words, words } from '../words/index.ts';
import type { DeletedQuestions, Deletions } from './deletions/deletions.ts';
import { shareId } from './endings.ts';
import { InputError } from './faults/explain.ts';
import { conversationOf, questionOf } from './job-context.ts';
import { whyNotShared } from './policy/command-rules.ts';

/** How long it's remembered that an answer was shared, in milliseconds: longer than any button is likely pressed. */
const rememberedFor = 90 * 86_400_000;

/** What is shared. */
export interface SharedContent {
  readonly message: Message;
  /** The words in it, without who shares it. */
  readonly said: string;
  /** The answer to a question, which becomes part of the conversation there. */
  readonly answered?: KeptAnswer;
  /** What the private answer's message shows once it's shared, if that's known. */
  readonly shown?: Message;
}

interface SharingDependencies {
  readonly answers: Pick<LiveAnswers, 'note' | 'messagesOf'>;
  readonly deletedQuestions: Pick<DeletedQuestions, 'hasLostQuestion'>;
  readonly deletions: Pick<Deletions, 'of' | 'unshare' | 'unshareIfGone'>;
  readonly jobs: Pick<Jobs, 'find'>;
  readonly adapters: PlatformAdapters;
  readonly conversations: Pick<Conversations, 'add'>;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
  readonly locks: Locks;
  /** Remembers what was shared, and what's being shared. */
  readonly notes: Pick<Records, 'get' | 'set' | 'delete' | 'startingWith'>;
  readonly troubles: LocalFaults;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** An answer that is being shared: on record until all of it is there, so that no death leaves a part of it. */
interface BegunShare {
  readonly job: string;
  readonly place: Address;
  readonly message: Message;
  readonly answered: KeptAnswer;
  /** Absent in what an earlier version kept. */
  readonly said?: string;
}

/** Shows a private answer to everybody where it was asked for: once, and at no cost. */
export class Sharing {
  readonly #dependencies: SharingDependencies;
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(dependencies: SharingDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Shares what a private answer's message shows. `read` finds that; undefined if it's gone.
   * @throws {InputError} if it's gone, can't be posted there, or is deleted there meanwhile: with a sentence that says why, to
   * the requester alone.
   */
  async share(press: ButtonPress, read: () => Promise<SharedContent | undefined>): Promise<void> {
    try {
      await this.#dependencies.locks.run(lockKey(press.job.id), () => this.#share(press, read));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new InputError((say) =>
        error.kind === 'expired' ? say.sharing.lost : explainPlatformError(error, say),
      );
    }
  }

  /** Completes what processes that died had begun to share. Call when the platforms can post. */
  async goOn(): Promise<void> {
    const begun = await this.#dependencies.notes.startingWith<BegunShare>(begunKey(''));
    for (const share of begun) this.#complete(share);
  }

  /** Leaves the rest to another process, or the next. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await Promise.all(this.#underWay.values());
  }

  async #share(press: ButtonPress, read: () => Promise<SharedContent | undefined>): Promise<void> {
    const { job, requester, reply } = press;
    const { notes } = this.#dependencies;
    const say = words(requester.locale);
    if (await notes.get(doneKey(job.id))) return void (await reply.whisper({ text: say.sharing.already }));
    const content = await undefinedIfRefused(read());
    if (!content) throw new InputError((to) => to.sharing.gone);
    const { message, answered, said } = content;
    const place = sharedAddress(press);
    // Pressed elsewhere, the button says nothing about whether its person is still there, and in which roles.
    const seen = async () => (requester.unseen ? undefined : requester);
    const sharer = isPressedAt(press) ? seen : () => this.#writerAt(requester, place);
    await this.#expectAllowed(place, { command: job.command, text: said }, sharer);
    // Files come in one message, of which no part can be left.
    const begun = answered && { job: job.id, place, message, answered, said };
    if (begun) await notes.set(begunKey(job.id), begun, rememberedFor);
    try {
      await this.#post(job, place, content, (onPosted) => this.#sayOrPost(press, place, message, onPosted));
    } catch (error) {
      if (begun && refusalOf(error)) await this.#takeBack(job);
      else if (begun && error instanceof PlatformError) this.#complete(begun);
      throw error;
    }
    if (!(await this.#relabel(press, content.shown))) await reply.whisper({ text: say.sharing.done });
  }

  /** Goes on in the background until it's there, or until the platform refuses it: then its part is taken back. */
  #complete(begun: BegunShare): void {
    if (this.#underWay.has(begun.job) || this.#stop.signal.aborted) return;
    const { log } = this.#dependencies;
    const { signal } = this.#stop;
    const run = persistently({ ...this.#dependencies, work: `share ${begun.job}`, signal });
    const work = run('here', () =>
      this.#dependencies.locks.run(lockKey(begun.job), () => this.#completeOnce(begun)),
    )
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ job: begun.job, error }, 'an answer could not be shared');
      })
      .finally(() => this.#underWay.delete(begun.job));
    this.#underWay.set(begun.job, work);
  }

  async #completeOnce(begun: BegunShare): Promise<void> {
    const { answers, jobs, notes } = this.#dependencies;
    const { job: id, place, message, answered } = begun;
    const job = await jobs.find(id);
    // Its requester's data was deleted.
    if (!job) return void (await notes.delete(begunKey(id)));
    // Another process may have completed it, or its requester by another press.
    if (!(await notes.get(begunKey(id)))) return;
    const shared = (await answers.messagesOf(id)).filter(({ isShared }) => isShared);
    if (await this.#isUnshared(job, shared)) return this.#end(job);
    try {
      if (!(await this.#isAllowed(job, begun))) return await this.#takeBack(job);
      await this.#post(job, place, { message, answered }, (onPosted) =>
        this.#postThere(id, place, message, onPosted),
      );
    } catch (error) {
      if (refusalOf(error)) await this.#takeBack(job);
      if (!(error instanceof InputError)) throw error;
    }
  }

  /**
   * Posts it, and makes it part of the conversation there.
   * @throws {InputError} if it's deleted meanwhile.
   */
  async #post(
    job: Job,
    place: Address,
    { answered }: Pick<SharedContent, 'message' | 'answered'>,
    post: (onPosted: OnPosted) => Promise<MessageAddress>,
  ): Promise<void> {
    const posted: MessageAddress[] = [];
    const unlessGone = async () => {
      if (!(await this.#isUnshared(job, posted))) return;
      await this.#end(job);
      throw new InputError((to) => to.sharing.deleted);
    };
    const onPosted = async (at: MessageAddress) => {
      await this.#note(job, at);
      posted.push(at);
      await unlessGone();
    };
    await onPosted(await post(onPosted));
    if (answered) {
      await this.#addToConversation(job, place, answered);
      // Who deleted it just before that found nothing to forget.
      await unlessGone();
    }
    await this.#end(job);
  }

  async #end({ id }: Job): Promise<void> {
    const { notes } = this.#dependencies;
    await notes.set(doneKey(id), true, rememberedFor);
    await notes.delete(begunKey(id));
  }

  /** A part of an answer doesn't stay as if it were the whole. */
  async #takeBack(job: Job): Promise<void> {
    const { answers, deletions, notes } = this.#dependencies;
    const shared = (await answers.messagesOf(job.id)).filter(({ isShared }) => isShared);
    if (shared.length > 0) await deletions.unshare(job, shared);
    await notes.delete(begunKey(job.id));
  }

  #writerAt(requester: Person, place: Address): Promise<Person | undefined> {
    return adapterOf(this.#dependencies, place).writerAt(requester, place);
  }

  /**
   * `sharerThere`: the requester as they are there now.
   * @throws {InputError | PlatformError} where others don't see what's posted, its requester isn't there any more, or
   * administrators have said meanwhile that they, its command or a word aren't for there.
   */
  async #expectAllowed(
    place: Address,
    shared: { readonly command: string; readonly text: string },
    sharerThere: () => Promise<Person | undefined>,
  ): Promise<void> {
    if (!adapterOf(this.#dependencies, place).reachesOthers(place)) throw new PlatformError('not-a-member');
    const sharer = await sharerThere();
    if (!sharer) throw new InputError((say) => say.sharing.notThere);
    const settings = await this.#dependencies.placeSettings.at(place);
    const why = (say: Words) => whyNotShared(shared, settings, sharer, say);
    if (why(words(sharer.locale)) !== undefined) throw new InputError((say) => why(say) ?? '');
  }

  /** Whether its requester may still show there what has waited. */
  async #isAllowed(job: Job, { place, answered, said = answered.text }: BegunShare): Promise<boolean> {
    const shared = { command: job.command, text: said };
    try {
      await this.#expectAllowed(place, shared, () => this.#writerAt(job.requester, place));
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return false;
    }
  }

  /** Whether the private answer, its question or what it's made from was deleted since. */
  async #isDeleted(job: Job): Promise<boolean> {
    const { deletedQuestions, deletions } = this.#dependencies;
    return (await deletions.of(job)) !== undefined || deletedQuestions.hasLostQuestion(job);
  }

  /** By its key, so that it's posted once even if the process dies before that's noted. */
  #postThere(job: string, place: Address, message: Message, onPosted: OnPosted): Promise<MessageAddress> {
    return adapterOf(this.#dependencies, place).postThere(place, message, postKey(job), onPosted);
  }

  async #sayOrPost(
    press: ButtonPress,
    place: Address,
    message: Message,
    onPosted: OnPosted,
  ): Promise<MessageAddress> {
    try {
      return await this.#postThere(press.job.id, place, message, onPosted);
    } catch (error) {
      // Some platforms let the press itself answer where the bot isn't a member.
      if (refusalOf(error) !== 'not-a-member' || !isPressedAt(press)) throw error;
      return press.reply.say(message, { forEverybody: true });
    }
  }

  /**
   * It goes with the answer if that's deleted, and moderators may delete it. It's there already: a failure to note it isn't
   * worth telling.
   */
  async #note({ id }: Job, at: MessageAddress): Promise<void> {
    await this.#dependencies.answers.note(id, [{ ...at, isShared: true }]).catch(() => {});
  }

  /** What's deleted while it's shared goes. Where that can't be known, since the database is away, it stays. */
  async #isUnshared(job: Job, posted: readonly MessageAddress[]): Promise<boolean> {
    const { deletions } = this.#dependencies;
    const isUnshared = async () => {
      if (await deletions.unshareIfGone(job, posted)) return true;
      if (!(await this.#isDeleted(job))) return false;
      await deletions.unshare(job, posted);
      return true;
    };
    return isUnshared().catch(() => false);
  }

  /** What people read there they can ask about. */
  async #addToConversation(job: Job, address: Address, answered: KeptAnswer): Promise<void> {
    const { conversations, placeSettings } = this.#dependencies;
    const settings = await placeSettings.at(address);
    const conversation = conversationOf({ address, requester: job.requester, settings, options: {} });
    await conversations.add(conversation, questionOf(job), answered);
  }

  /** Whether the button now says that it's shared. */
  async #relabel({ message, job, requester }: ButtonPress, shown: Message | undefined): Promise<boolean> {
    const { shared } = words(requester.locale).sharing;
    const work = adapterOf(this.#dependencies, message).relabelButton(message, shareId(job), shared, shown);
    return (await undefinedIfFailed(work.then(() => true))) ?? false;
  }
}

const lockKey = (job: string) => `share ${job}`;
const doneKey = (job: string) => `shared ${job}`;
const begunKey = (job: string) => `sharing ${job}`;
const postKey = (job: string) => `${job}:shared`;

/** Where everybody may see it: the place where the command was given. */
function sharedAddress(press: ButtonPress): Address {
  const { onlyFor: _, ...asked } = isPressedAt(press) ? press.address : press.job.address;
  return asked;
}

function isPressedAt({ job, address }: ButtonPress): boolean {
  return conversationKey(job.address) === conversationKey(address);
}
