import type { Address, Button, Message, MessageAddress } from '../../../port/index.ts';
import type { Ending, MessageContext } from '../../../reply/index.ts';
import { BrokenWriteError, editError, isAnswerLost, isUneditable } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Chrome } from '../markup/message-chrome.ts';
import { type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import type { SlackAdapter } from '../post/adapter.ts';

export interface EditedMessagesDependencies {
  readonly api: SlackApi;
  readonly adapter: SlackAdapter;
  readonly formats: MessageFormats;
}

/** What a live answer's messages show around their text. */
export interface AnswerChrome {
  /** The line above the first message: who asked what. */
  readonly header: string | undefined;
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
}

/** A live answer's ordinary messages: posted, then edited while the text grows. */
export class EditedMessages {
  readonly #dependencies: EditedMessagesDependencies;
  readonly #around: AnswerChrome;
  /** The best format that Slack has taken so far. */
  #format: MessageFormat | undefined;

  constructor(dependencies: EditedMessagesDependencies, around: AnswerChrome) {
    this.#dependencies = dependencies;
    this.#around = around;
  }

  /** The buttons under a message in this state. */
  buttonsIn({ phase, ending }: MessageContext): readonly Button[] {
    return phase === 'closed' ? [] : this.#around.buttons(phase === 'ended' ? ending : undefined);
  }

  /** `hasSlot`: the caller holds a slot of chat.postMessage's budget. */
  post(
    address: Address,
    text: string,
    context: MessageContext,
    { key, hasSlot }: { readonly key: string; readonly hasSlot: boolean },
  ): Promise<MessageAddress> {
    const { adapter } = this.#dependencies;
    return adapter.postLive(address, this.#message(text, context), this.#chrome(context), key, { hasSlot });
  }

  /** Edits a message; false where it can't be edited any more. `hasSlot`: the caller holds one of chat.update's. */
  async edit(
    address: MessageAddress,
    text: string,
    context: MessageContext,
    { hasSlot }: { readonly hasSlot: boolean },
  ): Promise<boolean> {
    const { api, formats } = this.#dependencies;
    const { workspace, channel, message: ts } = address;
    const isGrowing = context.phase === 'growing';
    const message = this.#message(text, context);
    let hasSlotLeft = hasSlot;
    this.#format ??= await formats.first(workspace);
    const edit = async (format: MessageFormat) => {
      this.#format = format === 'feedback' ? 'markdown' : format;
      const options = { hasSlot: hasSlotLeft, urgent: !isGrowing, signal: context.signal };
      hasSlotLeft = false;
      const content = renderIn(format, message, this.#chrome(context));
      await api
        .call(workspace, 'chat.update', { channel, ts, ...content }, options)
        .catch((error: unknown) => {
          // A fault of Slack's while the text grows may pass before it ends.
          throw isGrowing && isAnswerLost(error) ? error : editError(error);
        });
    };
    try {
      const from = await formats.withVotes(workspace, this.#format, message.buttons);
      await formats.run(workspace, from, edit);
      return true;
    } catch (error) {
      // Slack failed over every format, so it was none of them.
      if (error instanceof BrokenWriteError) this.#format = undefined;
      if (!isUneditable(error)) throw error;
      return false;
    }
  }

  #message(text: string, context: MessageContext): Message {
    return { text, buttons: this.buttonsIn(context) };
  }

  #chrome({ index }: MessageContext): Chrome {
    const { header } = this.#around;
    return index === 0 && header !== undefined ? { header } : {};
  }
}
