import { Random } from '../../random.ts';
import { chinese } from './chinese.ts';
import { codeBlock } from './code-samples.ts';
import { english, type Phrasebook } from './english.ts';
import type { SectionKind, Wish } from './wish.ts';

const books = { en: english, zh: chinese };
const defaultItems = 5;
const defaultRows = 4;

/** Writes varied blocks of Markdown about one topic. */
export class SectionWriter {
  readonly book: Phrasebook;
  readonly #wish: Wish;
  readonly #random: Random;
  readonly #slots: Readonly<Record<string, string>>;
  #codes = 0;

  constructor(wish: Wish, seed: string) {
    this.book = books[wish.language];
    this.#wish = wish;
    this.#random = new Random(seed);
    this.#slots = { ...this.book.slots, topic: wish.topic ?? this.book.anyTopic };
  }

  sentence(): string {
    return this.#fill(this.book.sentences);
  }

  paragraph(): string {
    return this.#many(this.#random.whole(3, 6), () => this.sentence()).join(this.book.space);
  }

  section(kind: SectionKind): string {
    const { book } = this;
    const { count = defaultItems, language } = this.#wish;
    switch (kind) {
      case 'headings':
        return `## ${this.#fill(book.headings)}\n\n${this.paragraph()}`;
      case 'list':
        return this.#many(count, () => `- ${this.#fill(book.items)}`).join('\n');
      case 'steps':
        return this.#many(count, (index) => `${index + 1}. ${this.#fill(book.items)}`).join('\n');
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
      case 'other_language': {
        const wish = { ...this.#wish, language: language === 'en' ? 'zh' : 'en', topic: undefined } as const;
        return new SectionWriter(wish, String(this.#random.next())).paragraph();
      }
      case 'links':
        return book.links;
      case 'hostile':
        return book.hostile;
    }
  }

  /** A count applies to code if there is nothing else to count. */
  #code(): string {
    const { kinds, count, codeLanguage } = this.#wish;
    const isOfCode = kinds.includes('code') && !kinds.some((kind) => /^(?:list|steps|table)$/.test(kind));
    return codeBlock(codeLanguage ?? this.#codes++, isOfCode ? count : undefined);
  }

  #table(): string {
    const { tableHead, tableItems, verdicts } = this.book;
    const rows = this.#many(this.#wish.count ?? defaultRows, (index) => [
      `${this.#pick(tableItems)} ${index + 1}`,
      String(this.#random.whole(1, 999)),
      `${this.#random.whole(0, 100)}%`,
      this.#pick(verdicts),
    ]);
    const lines = [tableHead, ['---', '---:', '---:', ':---'], ...rows];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }

  #story(): string {
    const { storyBeginnings, storyEvents, storyEndings, space } = this.book;
    const event = () => this.#fill(storyEvents);
    const first = [this.#fill(storyBeginnings), ...this.#many(this.#random.whole(3, 5), event)];
    const second = [...this.#many(this.#random.whole(3, 4), event), this.#fill(storyEndings)];
    return `${first.join(space)}\n\n${second.join(space)}`;
  }

  #many<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  #pick(choices: readonly string[]): string {
    return choices[this.#random.whole(0, choices.length - 1)] ?? '';
  }

  /** One of the templates with random words in its `{slots}`, capitalized. */
  #fill(templates: readonly string[]): string {
    const filled = this.#pick(templates).replace(/\{(\w+)\}/g, (whole, name: string) =>
      this.#pick(this.#slots[name]?.split('|') ?? [whole]),
    );
    return filled.replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase());
  }
}
