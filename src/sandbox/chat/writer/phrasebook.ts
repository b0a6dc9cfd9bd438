import type { Slots } from './random.ts';

/** Texts of a template kind, of which there is at least one. */
export type Templates = readonly [string, ...string[]];

/** Everything the sandbox says in one language. `{topic}` stands for what an answer is about. */
export interface Phrasebook {
  /** Said at the beginning of the first answer of a conversation: openly, that this is a sandbox. */
  readonly intro: string;
  /** The same where the answer is to be short. */
  readonly shortIntro: string;
  /** What can be tried. */
  readonly suggestions: string;
  /** What to be about where the question names nothing. */
  readonly anyTopic: string;
  /** Put between two sentences. */
  readonly space: string;
  readonly fullStop: string;
  readonly slots: Slots;
  readonly sentences: Templates;
  readonly storyBeginnings: Templates;
  readonly storyEvents: Templates;
  readonly storyEndings: Templates;
  readonly headings: Templates;
  readonly items: Templates;
  readonly tableHead: readonly [string, string, string, string];
  readonly tableItems: Templates;
  readonly verdicts: Templates;
  readonly quotes: Templates;
  readonly codeIntros: Templates;
  readonly emoji: Templates;
  /** A little of everything that must do no harm where it is shown. */
  readonly hostile: string;
  readonly links: string;
  readonly heard: (question: string) => string;
  readonly turn: (turn: number, earlier: string, name: string | undefined) => string;
  readonly recall: Recall;
  readonly help: (rows: string) => string;
}

/** Answers about the conversation itself. */
export interface Recall {
  readonly name: (name: string) => string;
  readonly noName: string;
  readonly last: (question: string) => string;
  readonly first: (question: string) => string;
  readonly nothingBefore: string;
  readonly count: (turn: number, answers: number) => string;
  readonly summary: (lines: string) => string;
  readonly niceToMeet: (name: string) => string;
}
