import type Keyv from 'keyv';
import type { DiscordApi } from '../api/api.ts';

/** For how long it's known which channel is whose, in milliseconds: longer than what was posted there (`Posts`). */
const recordLife = 60 * 86_400_000;

/**
 * The direct messages with people. Which channel they are is on record before anything is posted there: what a former
 * process began there is found without asking Discord.
 */
export class DirectMessageChannels {
  readonly #records: Keyv;
  readonly #api: Pick<DiscordApi, 'directChannel'>;

  constructor(records: Keyv, api: Pick<DiscordApi, 'directChannel'>) {
    this.#records = records;
    this.#api = api;
  }

  /** The id of somebody's channel; opened where there is none yet. */
  async open(person: string): Promise<string> {
    const channel = await this.#api.directChannel(person);
    await this.#records.set(nameOf(person), channel, recordLife);
    return channel;
  }

  /** The id of a channel that was opened before; from the records alone. */
  known(person: string): Promise<string | undefined> {
    return this.#records.get<string>(nameOf(person));
  }
}

function nameOf(person: string): string {
  return `direct messages with ${person}`;
}
