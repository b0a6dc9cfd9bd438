import { chinese } from './chinese.ts';
import { codeBlock, codeLanguage } from './code-samples.ts';
import { english } from './english.ts';
import type { Language } from './language.ts';
import type { Phrasebook, Templates } from './phrasebook.ts';
import { fillTemplate, type Random, type Slots } from './random.ts';
import type { SectionKind, Wish } from './wish.ts';

const books: Record<Language, Phrasebook> = { en: english, zh: chinese };
const defaultItems = 5;
const defaultRows = 4;

/** The texts of a language. */
export function phrasebook(language: Language): Phrasebook {
  return books[language];
}

/** Writes varied blocks of Markdown about one topic. */
export class SectionWriter {
  readonly book: Phrasebook;
  readonly #wish: Wish;
  readonly #random: Random;
  readonly #slots: Slots;
  #codes = 0;

  constructor(wish: Wish, random: Random) {
    this.book = phrasebook(wish.language);
    this.#wish = wish;
    this.#random = random;
    this.#slots = { ...this.book.slots, topic: [wish.topic ?? this.book.anyTopic] };
  }

  sentence(): string {
    return this.#fill(this.book.sentences);
  }

  paragraph(): string {
    return this.#many(this.#random.between(3, 6), () => this.sentence()).join(this.book.space);
  }

  section(kind: SectionKind): string {
    const { book } = this;
    switch (kind) {
      case 'headings':
        return `## ${this.#fill(book.headings)}\n\n${this.paragraph()}`;
      case 'list':
        return this.#items((item) => `- ${item}`);
      case 'steps':
        return this.#items((item, index) => `${index + 1}. ${item}`);
      case 'code':
        return `${this.#fill(book.codeIntros)}\n\n${this.#code()}`;
      case 'table':
        return this.#table();
      case 'quote':
        return `> ${this.#fill(book.quotes)}`;
      case 'story':
        return this.#story();
      case 'emoji':
        return this.#fill(book.emoji);
      case 'other_language':
        return this.#otherLanguage();
      case 'links':
        return book.links;
      case 'hostile':
        return book.hostile;
    }
  }

  #items(line: (item: string, index: number) => string): string {
    const count = this.#wish.count ?? defaultItems;
    return this.#many(count, (index) => line(this.#fill(this.book.items), index)).join('\n');
  }

  #code(): string {
    const language = this.#wish.codeLanguage ?? codeLanguage(this.#codes++);
    return codeBlock(language, this.#wish.kinds.includes('code') ? this.#linesOfCode() : undefined);
  }

  /** A count applies to code if there is nothing else to count. */
  #linesOfCode(): number | undefined {
    const countable = this.#wish.kinds.some(
      (kind) => kind === 'list' || kind === 'steps' || kind === 'table',
    );
    return countable ? undefined : this.#wish.count;
  }

  #table(): string {
    const { tableHead, tableItems, verdicts } = this.book;
    const rows = this.#many(this.#wish.count ?? defaultRows, (index) => [
      `${this.#random.pick(tableItems)} ${index + 1}`,
      String(this.#random.between(1, 999)),
      `${this.#random.between(0, 100)}%`,
      this.#random.pick(verdicts),
    ]);
    const lines = [tableHead, ['---', '---:', '---:', ':---'], ...rows];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }

  #story(): string {
    const { storyBeginnings, storyEvents, storyEndings, space } = this.book;
    const events = this.#many(this.#random.between(6, 9), () => this.#fill(storyEvents));
    const half = Math.ceil(events.length / 2);
    const first = [this.#fill(storyBeginnings), ...events.slice(0, half)].join(space);
    return `${first}\n\n${[...events.slice(half), this.#fill(storyEndings)].join(space)}`;
  }

  #otherLanguage(): string {
    const language = this.#wish.language === 'en' ? 'zh' : 'en';
    return new SectionWriter({ ...this.#wish, language, topic: undefined }, this.#random).paragraph();
  }

  #many<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  #fill(templates: Templates): string {
    return fillTemplate(this.#random.pick(templates), this.#slots, this.#random);
  }
}
