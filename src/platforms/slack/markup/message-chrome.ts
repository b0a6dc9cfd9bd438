import type { MessageAddress } from '../../../port/index.ts';
import type { KeyValueStore } from '../key-value-store.ts';
import type { RenderOptions } from './blocks.ts';

/** For how long it is known what stands around a message's words, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** What stands around a message's words and has to be sent again with every edit, and the files that go with it. */
export interface Chrome extends RenderOptions {
  /** Ids of its files, those in messages beside it too: they go when it goes. */
  readonly files?: readonly string[];
}

/** The frames of messages: Slack's edits replace a message whole. */
export class MessageChrome {
  readonly #memory: KeyValueStore;

  constructor(memory: KeyValueStore) {
    this.#memory = memory;
  }

  async of(message: MessageAddress): Promise<Chrome> {
    return (await this.#memory.get<Chrome>(keyOf(message))) ?? {};
  }

  /** Keeps a frame; one that says nothing needs no keeping. */
  async keep(message: MessageAddress, chrome: Chrome): Promise<void> {
    if (chrome.header === undefined && !chrome.images?.length && !chrome.files) return;
    await this.#memory.set(keyOf(message), chrome, lifetime);
  }
}

function keyOf({ workspace, channel, message }: MessageAddress): string {
  return `frame ${workspace} ${channel} ${message}`;
}
