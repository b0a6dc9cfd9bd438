import type { Clock } from '../../../lib/clock.ts';
import { isDirect, isNewThread, threadOf } from '../post/address.ts';
import { slackWords } from '../words.ts';
import type { ReplyContext, ReplyDependencies } from './reply-context.ts';
import { sayAside } from './say-aside.ts';
import { ThreadStatus } from './stream/thread-status.ts';

/** How long people see nothing of what they asked for, in milliseconds: three seconds with what Slack takes. */
const patience = 2_000;
/** The same before a thread’s status: it leaves nothing behind, and Slack takes only ten a second. */
const statusPatience = 1_000;

/** How long it may be, in milliseconds, until something has to be seen. */
export function untilSign(
  { clock }: { readonly clock: Clock },
  { since }: ReplyContext,
  longest = patience,
): number {
  return Math.max(0, since + longest - clock.now());
}

/**
 * Shows whoever asked for something that it’s being done, where nothing of it is there after a moment: Slack shows
 * neither a slash command nor that its app is at work. In a thread that’s its status, elsewhere, and where Slack takes none, a
 * line only for them.
 */
export class FirstSign {
  readonly #dependencies: ReplyDependencies;
  readonly #context: ReplyContext;
  readonly #cancel: () => void;
  #status: ThreadStatus | undefined;

  constructor(dependencies: ReplyDependencies, context: ReplyContext) {
    this.#dependencies = dependencies;
    this.#context = context;
    const after = untilSign(dependencies, context, this.#hasStatus ? statusPatience : patience);
    this.#cancel = dependencies.clock.after(after, () => this.#show());
  }

  /** Something of it is there, or nothing comes. A status that came after it is taken away, too. */
  end(): void {
    this.#cancel();
    void this.#status?.end(false);
    this.#status = undefined;
  }

  #show(): void {
    const { address, requester } = this.#context;
    const { busy: status, busyWaits: hints } = slackWords(requester.locale);
    if (this.#hasStatus) {
      this.#status = new ThreadStatus(this.#dependencies, address, { status, hints }, (isShown) => {
        if (!isShown) this.#say();
      });
      this.#status.begin();
    } else this.#say();
  }

  #say(): void {
    const { onIt: text } = slackWords(this.#context.requester.locale);
    const { log } = this.#dependencies;
    sayAside(this.#dependencies, this.#context, { text }).catch((error: unknown) =>
      log.debug({ error: String(error) }, 'nobody could be told that something is being done'),
    );
  }

  /** Others in a thread are told nothing of what only one person sees, and nobody looks into one without replies. */
  get #hasStatus(): boolean {
    const { address, seenBy, privately } = this.#context;
    if (threadOf(address) === undefined) return false;
    return isDirect(address.channel) || (seenBy === 'channel' && !privately && !isNewThread(address));
  }
}
