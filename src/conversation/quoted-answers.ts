import { jobLife, type Records } from '../store/index.ts';

/** Where an answer is quoted, and whether it's deleted. */
interface QuotedAnswer {
  readonly conversations: readonly string[];
  readonly isDeleted?: true;
}

/**
 * Answers that questions in other conversations quote, by their jobs. Each is known for as long as its deletion can come:
 * its job isn't kept for longer.
 */
export class QuotedAnswers {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Notes that a conversation quotes an answer; false if it's deleted. The question has its place in the history before. */
  async note(jobId: string, conversation: string): Promise<boolean> {
    const noted = await this.#change(jobId, ({ conversations, ...known }) => ({
      conversations: [...new Set([...conversations, conversation])],
      ...known,
    }));
    return noted?.isDeleted !== true;
  }

  async isDeleted(jobId: string): Promise<boolean> {
    return (await this.#records.get<QuotedAnswer>(key(jobId)))?.isDeleted === true;
  }

  /** Notes that an answer is deleted. @returns the conversations that quote it. */
  async delete(jobId: string): Promise<readonly string[]> {
    const noted = await this.#change(jobId, (known) => ({ ...known, isDeleted: true }));
    return noted?.conversations ?? [];
  }

  #change(jobId: string, work: (known: QuotedAnswer) => QuotedAnswer): Promise<QuotedAnswer | undefined> {
    return this.#records.change<QuotedAnswer>(key(jobId), jobLife, (found = { conversations: [] }) =>
      work(found),
    );
  }
}

const key = (jobId: string) => `quoted ${jobId}`;
