import type { RichNode, WireAsked, WireOutcome, WireValues } from '../../api/wire.ts';
import { ApiError, newEventId, sendCommand, sendPress } from '../api.ts';
import { element } from '../elements/dom.ts';
import { strings } from '../words/index.ts';
import { showRichText } from './rich-text.ts';

/** The result of sending: accepted, a form to fill in first, or a refusal to show. */
export type SendResult =
  | Exclude<WireOutcome, { readonly kind: 'refused' }>
  | { readonly kind: 'refused'; readonly shown: Node };

/**
 * Sends commands and button presses. Without a response it is unknown whether the request arrived, so the same
 * content is sent again under the same id and runs once.
 */
export class Sender {
  readonly #unanswered = new Map<string, string>();

  command(place: string, asked: WireAsked, replyTo?: number): Promise<SendResult> {
    const content = { place, ...asked, ...(replyTo !== undefined && { replyTo }) };
    return this.#send(content, (eventId) => sendCommand({ eventId, ...content }));
  }

  press(message: number, action: string, values?: WireValues): Promise<SendResult> {
    const content = { message, action, ...(values ? { values } : {}) };
    return this.#send(content, (eventId) => sendPress({ eventId, ...content }));
  }

  async #send(content: object, send: (eventId: string) => Promise<WireOutcome>): Promise<SendResult> {
    const key = JSON.stringify(content);
    const eventId = this.#unanswered.get(key) ?? newEventId();
    this.#unanswered.set(key, eventId);
    try {
      const outcome = await send(eventId);
      this.#unanswered.delete(key);
      return outcome.kind === 'refused' ? refusedWith(outcome.body) : outcome;
    } catch (error) {
      if (error instanceof ApiError) this.#unanswered.delete(key);
      return { kind: 'refused', shown: new Text(sentenceFor(error)) };
    }
  }
}

function refusedWith(body: readonly RichNode[]): SendResult {
  const shown = element('div', { class: 'body' });
  showRichText(shown, body);
  return { kind: 'refused', shown };
}

function sentenceFor(error: unknown): string {
  if (!(error instanceof ApiError)) return strings.notSent;
  if (error.status === 401) return strings.sessionOver;
  return error.status === 404 ? strings.gone : strings.somethingWrong;
}
