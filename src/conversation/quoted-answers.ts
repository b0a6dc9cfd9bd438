import { jobLife, type Records } from '../store/index.ts';

/**
 * Answers that questions in other conversations quote, by the sources of the quotes. Each is known for as long as its deletion
 * can come: its job isn't kept for longer.
 */
export class QuotedAnswers {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Notes which answers a conversation quotes. Its question has its place in the history before. @returns those deleted. */
  async note(sources: readonly string[], conversation: string): Promise<readonly string[]> {
    if (sources.length === 0) return [];
    const keys = sources.map((source) => `${quotingKey(source)}${conversation}`);
    await this.#records.setAll(keys, conversation, jobLife);
    return this.deletedOf(sources);
  }

  /** Those of answers that are deleted. */
  async deletedOf(sources: readonly string[]): Promise<readonly string[]> {
    if (sources.length === 0 || !(await this.#records.hasAny(sources.map(deletedKey)))) return [];
    const deleted = await Promise.all(sources.map((source) => this.#records.has(deletedKey(source))));
    return sources.filter((_, index) => deleted[index]);
  }

  /** Notes that answers are deleted. @returns the conversations that quote them. */
  async delete(sources: readonly string[]): Promise<readonly string[]> {
    if (sources.length === 0) return [];
    await this.#records.setAll(sources.map(deletedKey), true, jobLife);
    const quoting = new Set<string>();
    for (const source of sources)
      for (const conversation of await this.#records.startingWith<string>(quotingKey(source)))
        quoting.add(conversation);
    return [...quoting];
  }
}

/** Begins the keys of the conversations that quote an answer. */
const quotingKey = (source: string) => `quoted ${source} in `;
const deletedKey = (source: string) => `deleted ${source}`;
