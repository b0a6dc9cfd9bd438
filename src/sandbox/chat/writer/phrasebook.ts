import type { Slots } from './random.ts';

/** One or more templates. */
export type Templates = readonly [string, ...string[]];

/** The sandbox's texts in one language. `{topic}` is replaced by the answer's topic. */
export interface Phrasebook {
  /** Begins the first answer of a conversation: says that this is a sandbox. */
  readonly intro: string;
  /** The same for short answers. */
  readonly shortIntro: string;
  /** Suggestions of what to try. */
  readonly suggestions: string;
  /** The topic if the question names none. */
  readonly anyTopic: string;
  /** Separates two sentences. */
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
  /** Hostile content: mentions, HTML and images that must have no effect where they are shown. */
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
