import type { MessageAddress } from '../../../port/index.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import type { RenderOptions } from './blocks.ts';

/** How long it’s remembered, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** What is around a message’s text and has to be sent again with every edit, and the files that belong to it. */
export interface Chrome extends RenderOptions {
  /** Ids of its files, including those in separate messages: they’re deleted with it. */
  readonly files?: readonly string[];
}

/** Remembers what is around messages’ texts: Slack’s edits replace a message as a whole. */
export class MessageChrome {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  async of(message: MessageAddress): Promise<Chrome> {
    return (await this.#store.get<Chrome>(keyOf(message))) ?? {};
  }

  /** Remembers a message’s chrome, unless it’s empty. */
  async keep(message: MessageAddress, chrome: Chrome): Promise<void> {
    if (chrome.header === undefined && !chrome.images?.length && !chrome.files) return;
    await this.#store.set(keyOf(message), chrome, lifetime);
  }
}

function keyOf({ workspace, channel, message }: MessageAddress): string {
  return `frame ${workspace} ${channel} ${message}`;
}
