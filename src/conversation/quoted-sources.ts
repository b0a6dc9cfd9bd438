import { jobLife, type Records } from '../store/index.ts';

/** What questions quote, by the sources of the quotes: in which conversations, and what of it is deleted. */
export class QuotedSources {
  readonly #records: Records;
  readonly #lifetime: number;

  /**
   * Each is known for as long as a conversation that nobody goes on with, `idleLimit` in milliseconds, and a question that
   * may be asked again.
   */
  constructor(records: Records, idleLimit: number) {
    this.#records = records;
    this.#lifetime = Math.max(idleLimit, jobLife);
  }

  /**
   * Notes what a question quotes before it's on record or, with its conversation, once it has its place in the history
   * there: a deletion after that is noted too.
   */
  async note(sources: readonly string[], conversation = ''): Promise<void> {
    if (sources.length === 0) return;
    const keys = sources.map((source) => `${quotingKey(source)}${conversation}`);
    await this.#records.setAll(keys, true, this.#lifetime);
  }

  /** Those that are deleted. */
  async deletedOf(sources: readonly string[]): Promise<readonly string[]> {
    if (sources.length === 0) return [];
    const deleted = await this.#records.having(sources.map(deletedKey));
    return sources.filter((source) => deleted.has(deletedKey(source)));
  }

  /**
   * Notes that these are deleted; `ifQuoted` those that somebody quotes, which takes one query where nobody does.
   * @returns the conversations that quote them.
   */
  async delete(sources: readonly string[], which: 'all' | 'ifQuoted'): Promise<readonly string[]> {
    if (sources.length === 0) return [];
    if (which === 'all') await this.#note(sources);
    const quoting = (await this.#records.keysStartingWith(sources.map(quotingKey))).map(quotingIn);
    if (which === 'ifQuoted') await this.#note(quoting.map(({ source }) => source));
    const conversations = new Set(quoting.map(({ conversation }) => conversation));
    conversations.delete('');
    return [...conversations];
  }

  async #note(deleted: readonly string[]): Promise<void> {
    if (deleted.length > 0) await this.#records.setAll(deleted.map(deletedKey), true, this.#lifetime);
  }
}

/** Begins the keys of the conversations that quote a source. None of these has a space. */
const quotingKey = (source: string) => `quoted ${source} in `;
const quotingIn = (key: string) => {
  const [, source = '', , conversation = ''] = key.split(' ');
  return { source, conversation };
};
const deletedKey = (source: string) => `deleted ${source}`;
