import type { Words } from '../../words/index.ts';

/** Something a person entered that can't be used. Nothing was sent, and nothing was spent. */
export class InputError extends Error {
  /** What is wrong and what is allowed, in a language. */
  readonly sentence: (say: Words) => string;

  constructor(sentence: (say: Words) => string) {
    super('input that cannot be used');
    this.name = 'InputError';
    this.sentence = sentence;
  }
}
