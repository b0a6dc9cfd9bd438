import type { Address } from '../../port/index.ts';
import type { Memory } from './memory.ts';
import { placeOf } from './place.ts';

/** For how long a thread is remembered, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** Whose conversation goes on in a thread: its own, or that of the channel it hangs in. */
type Belonging = 'thread' | 'channel';

/**
 * Threads in which the bot takes part. Below an answer to a slash command, which cannot be given inside a
 * thread, the channel's conversation goes on; a thread of people's own has its own.
 */
export class Threads {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Remembers that the bot speaks in a thread. What is known of it already stays. */
  async join(workspace: string, channel: string, thread: string, belonging: Belonging): Promise<void> {
    const key = keyOf(workspace, channel, thread);
    if ((await this.#memory.get<Belonging>(key)) === undefined) {
      await this.#memory.set(key, belonging, lifetime);
    }
  }

  /** Whether the bot takes part in a thread. */
  async has(workspace: string, channel: string, thread: string): Promise<boolean> {
    return (await this.#memory.get<Belonging>(keyOf(workspace, channel, thread))) !== undefined;
  }

  /** The place of what is said in a thread, or in the channel itself. */
  async place(workspace: string, channel: string, thread: string | undefined): Promise<Address> {
    if (thread === undefined) return placeOf(workspace, channel);
    const belonging = await this.#memory.get<Belonging>(keyOf(workspace, channel, thread));
    return belonging === 'channel'
      ? placeOf(workspace, channel, undefined, { under: thread })
      : placeOf(workspace, channel, thread);
  }
}

function keyOf(workspace: string, channel: string, thread: string): string {
  return `thread ${workspace} ${channel} ${thread}`;
}
