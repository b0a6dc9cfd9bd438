import type Keyv from 'keyv';
import type { DiscordApi } from '../../api/api.ts';

/** How long a channel's id is kept, in milliseconds: longer than records of what was posted there. */
const recordLifetime = 60 * 86_400_000;

/**
 * The channels of direct messages with people. A channel's id is recorded before anything is posted there, so that what
 * an earlier process posted is found without asking Discord.
 */
export class DirectMessageChannels {
  readonly #records: Keyv;
  readonly #api: Pick<DiscordApi, 'directChannel'>;

  constructor(records: Keyv, api: Pick<DiscordApi, 'directChannel'>) {
    this.#records = records;
    this.#api = api;
  }

  /** The id of a person's channel, which is opened if there is none yet. */
  async open(person: string): Promise<string> {
    const channel = await this.#api.directChannel(person);
    await this.#records.set(recordName(person), channel, recordLifetime);
    return channel;
  }

  /** The id of a channel that was opened before, by the record alone. */
  known(person: string): Promise<string | undefined> {
    return this.#records.get<string>(recordName(person));
  }
}

function recordName(person: string): string {
  return `direct messages with ${person}`;
}
