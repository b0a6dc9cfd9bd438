import type Keyv from 'keyv';
import type { Conversations, KeptAnswer } from '../../conversation/index.ts';
import type { Locks } from '../../coordination/index.ts';
import type { PlaceSettings } from '../../place-settings/index.ts';
import {
  type Address,
  type ButtonPress,
  conversationKey,
  type Job,
  type LiveAnswers,
  type Message,
  type MessageAddress,
  type OnPosted,
  type PlatformAdapters,
  PlatformError,
  undefinedIfRefused,
} from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { adapterOf } from '../adapter-of.ts';
import { questionOf } from '../answers/write-answer.ts';
import type { Deletions } from '../deletions/deletions.ts';
import { explainPlatformError } from '../faults/explain.ts';
import { InputError } from '../faults/input-error.ts';
import { conversationOf } from '../policy/conversation-of.ts';
import { shareId } from '../share-button.ts';

/** How long it's remembered that an answer was shared, in milliseconds: longer than any button is likely pressed. */
const rememberedFor = 90 * 86_400_000;

/** What is shared. */
export interface SharedContent {
  readonly message: Message;
  /** The answer to a question, which becomes part of the conversation there. */
  readonly answered?: KeptAnswer;
  /** What the private answer's message shows once it's shared, if that's known. */
  readonly shown?: Message;
}

export interface SharingDependencies {
  readonly answers: Pick<LiveAnswers, 'note'>;
  readonly deletions: Pick<Deletions, 'unshareIfGone'>;
  readonly adapters: PlatformAdapters;
  readonly conversations: Pick<Conversations, 'add'>;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
  readonly locks: Locks;
  /** Remembers what was shared. */
  readonly notes: Keyv;
}

/** Shows a private answer to everybody where it was asked for: once, and at no cost. */
export class Sharing {
  readonly #dependencies: SharingDependencies;

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
      await this.#dependencies.locks.run(`share ${press.job.id}`, () => this.#share(press, read));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new InputError((say) => explainPlatformError(error, say));
    }
  }

  async #share(press: ButtonPress, read: () => Promise<SharedContent | undefined>): Promise<void> {
    const { job, requester, reply } = press;
    const { notes } = this.#dependencies;
    const say = words(requester.locale);
    const key = `shared ${job.id}`;
    if (await notes.get(key)) return void (await reply.whisper({ text: say.sharing.already }));
    const content = await undefinedIfRefused(read());
    if (!content) throw new InputError((to) => to.sharing.gone);
    const remember = () => notes.set(key, true, rememberedFor);
    const posted: MessageAddress[] = [];
    const unlessGone = async () => {
      if (!(await this.#isUnshared(job, posted))) return;
      await remember();
      throw new InputError((to) => to.sharing.deleted);
    };
    await this.#post(press, content.message, async (at) => {
      await this.#note(job, at);
      posted.push(at);
      await unlessGone();
    });
    await remember();
    if (content.answered) {
      await this.#addToConversation(press, content.answered);
      // Who deleted it just before that found nothing to forget.
      await unlessGone();
    }
    if (!(await this.#relabel(press, content.shown))) await reply.whisper({ text: say.sharing.done });
  }

  /** By its key, so that it's posted once even if the process dies before that's noted. */
  async #post(press: ButtonPress, message: Message, onPosted: OnPosted): Promise<void> {
    const { job, reply } = press;
    const place = sharedAddress(press);
    const adapter = adapterOf(this.#dependencies, place);
    if (adapter.reachesOthers?.(place) === false) throw new PlatformError('not-a-member');
    // Pressed elsewhere, the button says nothing about whether its person is still there.
    const isThere = isPressedAt(press) || (await adapter.mayWrite?.(press.requester.id, place)) !== false;
    if (!isThere) throw new InputError((say) => say.sharing.notThere);
    try {
      await onPosted(await adapter.post(place, message, `${job.id}:shared`, onPosted));
    } catch (error) {
      // Some platforms let the press itself answer where the bot isn't a member.
      const isElsewhere = !isPressedAt(press);
      if (!(error instanceof PlatformError) || error.kind !== 'not-a-member' || isElsewhere) throw error;
      await onPosted(await reply.say(message, { forEverybody: true }));
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
    return this.#dependencies.deletions.unshareIfGone(job, posted).catch(() => false);
  }

  /** It's shown already: a failure to remember it isn't worth telling. */
  async #addToConversation(press: ButtonPress, answered: KeptAnswer): Promise<void> {
    const { conversations, placeSettings } = this.#dependencies;
    const { job } = press;
    const address = sharedAddress(press);
    const settings = await placeSettings.at(address);
    const conversation = conversationOf({ address, requester: job.requester, settings, options: {} });
    await conversations.add(conversation, questionOf(job), answered);
  }

  /** Whether the button now says that it's shared. */
  async #relabel({ message, job, requester }: ButtonPress, shown: Message | undefined): Promise<boolean> {
    const adapter = adapterOf(this.#dependencies, message);
    if (!adapter.relabelButton) return false;
    try {
      await adapter.relabelButton(message, shareId(job), words(requester.locale).sharing.shared, shown);
      return true;
    } catch (error) {
      if (error instanceof PlatformError) return false;
      throw error;
    }
  }
}

/** Where everybody may see it: the place where the command was given. */
function sharedAddress(press: ButtonPress): Address {
  const { onlyFor: _, ...asked } = isPressedAt(press) ? press.address : press.job.address;
  return asked;
}

function isPressedAt({ job, address }: ButtonPress): boolean {
  return conversationKey(job.address) === conversationKey(address);
}
