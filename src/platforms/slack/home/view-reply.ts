import {
  type LiveAnswer,
  type Message,
  type MessageAddress,
  PlatformError,
  type Reply,
  type StreamOptions,
} from '../../../port/index.ts';
import { isAnswerLost, platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { messageView } from '../markup/sections.ts';
import type { ReplyContext } from '../reply/reply-context.ts';
import type { SlackReply } from '../reply/reply.ts';
import { slackWords } from '../words.ts';

interface ViewServices {
  readonly api: SlackApi;
  readonly inSlackStyle: (text: string) => string;
}

/** The press that is answered. */
interface ViewPress {
  /** Opens one window within three seconds. */
  readonly trigger: string | undefined;
  /** The window with the button; undefined where the button is in the Home tab. */
  readonly view: string | undefined;
}

/**
 * Answers a button of the Home tab: in a window above it, which further answers replace. What doesn't go into a window
 * goes into the person's direct messages.
 */
export class ViewReply implements Reply {
  readonly #services: ViewServices;
  readonly #context: Pick<ReplyContext, 'address' | 'requester'>;
  readonly #directly: SlackReply;
  #press: ViewPress;

  constructor(
    services: ViewServices,
    context: Pick<ReplyContext, 'address' | 'requester'>,
    press: ViewPress,
    directly: SlackReply,
  ) {
    this.#services = services;
    this.#context = context;
    this.#press = press;
    this.#directly = directly;
  }

  async say(message: Message): Promise<MessageAddress> {
    const { files = [], ...text } = message;
    // A picture beside a text is for where the text is: the command goes on without. Any other file was asked for.
    if (files.some(({ kind }) => kind === 'image')) throw new PlatformError('file-not-allowed');
    if (files.length > 0) {
      await this.#directly.say({ files });
      const { filesInMessages } = slackWords(this.#context.requester.locale);
      return this.#show({ ...text, text: [text.text, filesInMessages].filter(Boolean).join('\n') });
    }
    return this.#show(text);
  }

  async replace(said: MessageAddress, message: Message): Promise<void> {
    if (said.platformData?.view === undefined) return this.#directly.replace(said, message);
    await this.#show(message);
  }

  async whisper(message: Message): Promise<void> {
    await this.say(message);
  }

  /** Nothing that is answered live has a button in the Home tab; what has is answered in the direct messages. */
  stream(options: StreamOptions): LiveAnswer {
    return this.#directly.stream(options);
  }

  async #show(message: Message): Promise<MessageAddress> {
    const { address } = this.#context;
    const { api, inSlackStyle } = this.#services;
    const view = messageView({ ...message, text: inSlackStyle(message.text ?? '') }, address);
    try {
      const id = await this.#put(api, view);
      return { ...address, platformData: { view: id }, message: id };
    } catch (error) {
      const isGone = slackCode(error) === 'not_found' || platformError(error).kind === 'expired';
      if (!isGone && !isAnswerLost(error)) throw platformError(error);
      // The window was closed, or it took too long to open one.
      return this.#directly.say(message);
    }
  }

  async #put(api: SlackApi, view: object): Promise<string> {
    const { workspace } = this.#context.address;
    const { trigger, view: open } = this.#press;
    if (open !== undefined) {
      await api.call(workspace, 'views.update', { view_id: open, view });
      return open;
    }
    const answer = await api.call(workspace, 'views.open', { trigger_id: trigger, view });
    const { id = '' } = (answer.view ?? {}) as { readonly id?: string };
    this.#press = { trigger: undefined, view: id };
    return id;
  }
}
