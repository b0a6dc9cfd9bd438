import type { Length } from './amounts.ts';
import type { SectionWriter } from './sections.ts';
import type { SectionKind } from './wish.ts';

const gap = '\n\n';

/** Writes every kind of section once, between a first and a last block. */
export function composeFreely(
  writer: SectionWriter,
  kinds: readonly SectionKind[],
  first: string,
  last?: string,
): string {
  const middle = kinds.length > 0 ? kinds.map((kind) => writer.section(kind)) : [writer.paragraph()];
  return [first, ...middle, last].filter(Boolean).join(gap);
}

/** Writes an answer of about the requested length: every kind of section once, then in rotation, then sentences. */
export function composeToLength(
  writer: SectionWriter,
  kinds: readonly SectionKind[],
  first: string,
  length: Length,
): string {
  const text = new Measured(length, first);
  for (const kind of kinds) text.addBlock(writer.section(kind));
  for (let turn = 0; text.fits(blockFor(writer, kinds, turn)); turn++) text.addCandidate();
  text.startBlock();
  while (text.addSentence(writer.sentence(), writer.book.space));
  return text.finish(writer.book.fullStop);
}

/** Every other block is a plain paragraph. */
function blockFor(writer: SectionWriter, kinds: readonly SectionKind[], turn: number): string {
  const kind = turn % 2 === 1 ? kinds[((turn - 1) / 2) % kinds.length] : undefined;
  return kind ? writer.section(kind) : writer.paragraph();
}

/** A text with a target length. */
class Measured {
  readonly #unit: Length['unit'];
  readonly #dependencies: string[];
  #missing: number;
  #candidate = '';

  constructor({ amount, unit }: Length, first: string) {
    this.#unit = unit;
    this.#missing = amount - measure(first, unit);
    this.#dependencies = [first];
  }

  /** Adds a requested block, unless most of it exceeds the length. */
  addBlock(block: string): void {
    const size = measure(gap + block, this.#unit);
    if (this.#dependencies.length > 1 && size > this.#missing * 2) return;
    this.#add(gap + block, size);
  }

  /** Whether a whole block fits; if so, it becomes the candidate. */
  fits(block: string): boolean {
    this.#candidate = gap + block;
    return measure(this.#candidate, this.#unit) < this.#missing;
  }

  addCandidate(): void {
    this.#add(this.#candidate, measure(this.#candidate, this.#unit));
  }

  startBlock(): void {
    if (this.#missing > measure(gap, this.#unit)) this.#add(gap, measure(gap, this.#unit));
  }

  /** Adds a sentence, cut at the target length; returns whether there is room for more. */
  addSentence(sentence: string, space: string): boolean {
    if (this.#missing <= 0) return false;
    const fresh = this.#dependencies.at(-1) === gap;
    const text = fresh ? sentence : space + sentence;
    const size = measure(text, this.#unit);
    if (size < this.#missing) {
      this.#add(text, size);
      return true;
    }
    this.#dependencies.push(
      cutTo(text.replaceAll('*', ''), this.#missing - (this.#unit === 'characters' ? 1 : 0), this.#unit),
    );
    this.#missing = 0;
    return false;
  }

  finish(fullStop: string): string {
    const text = this.#dependencies.join('').trimEnd();
    return /[\p{L}\p{N}]$/u.test(text)
      ? text + fullStop
      : text.replace(/[,;:\uff0c\uff1b\uff1a]$/u, fullStop);
  }

  #add(text: string, size: number): void {
    this.#dependencies.push(text);
    this.#missing -= size;
  }
}

function measure(text: string, unit: Length['unit']): number {
  return unit === 'characters' ? [...text].length : (text.match(/\S+/g)?.length ?? 0);
}

function cutTo(text: string, size: number, unit: Length['unit']): string {
  if (unit === 'words') return text.match(new RegExp(`(?:\\s*\\S+){0,${size}}`))?.[0] ?? '';
  return [...text].slice(0, size).join('');
}
