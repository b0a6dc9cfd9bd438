import { type DeletedMessages, eventsComeWithin, type MessageAddress } from '../../port/index.ts';
import type { Records } from '../../store/index.ts';

/**
 * Messages that were deleted shortly after they were written, by the ids and events that platforms name. Whoever puts a
 * question or a message of an answer on record looks here afterwards: its deletion may have come before, to this process or
 * another. They're kept for as long as what they name can come.
 */
export class RecentDeletions {
  readonly #records: Pick<Records, 'setAll' | 'hasAny'>;

  constructor(records: Pick<Records, 'setAll' | 'hasAny'>) {
    this.#records = records;
  }

  /** Notes those that may not be on record yet, by one query; none where all are old. */
  async note({ platform, channel, messages, events = [], recent }: DeletedMessages): Promise<void> {
    const isRecent = (id: string) => recent?.includes(id) ?? true;
    const keys = [
      ...messages.filter(isRecent).map((message) => messageKey(platform, message, channel)),
      ...events.filter(isRecent).map(eventKey),
    ];
    if (keys.length > 0) await this.#records.setAll(keys, true, eventsComeWithin);
  }

  /** Whether the message that an event was is deleted. */
  hasEvent(event: string): Promise<boolean> {
    return this.#records.hasAny([eventKey(event)]);
  }

  /** Whether one of these messages is deleted. */
  hasOneOf(messages: readonly MessageAddress[]): Promise<boolean> {
    // Some platforms name them by their id alone.
    const keys = messages.flatMap(({ platform, channel, message }) => [
      messageKey(platform, message),
      messageKey(platform, message, channel),
    ]);
    return this.#records.hasAny(keys);
  }
}

function messageKey(platform: string, message: string, channel = ''): string {
  return `message ${platform} ${channel} ${message}`;
}

function eventKey(event: string): string {
  return `event ${event}`;
}
