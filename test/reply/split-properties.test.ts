import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import {
  firstMessages,
  MarkdownSplitter,
  type Piece,
  splitMarkdown,
} from '../../src/reply/markdown/splitter.ts';
import { isLong } from '../long-form.ts';
import { chunked, fence, markdownDocument, markupNoise, plainProse } from './documents.ts';

const runs = { numRuns: isLong ? 400 : 60 };
const maxLength = fc.integer({ min: 200, max: 1200 });
const markdown = new MarkdownIt();
const anything = fc.oneof(markdownDocument, markupNoise);

/** Escapes as Slack wants it, so that a message is longer than its text. */
const escapedLength = (text: string) => text.replace(/[&<>]/g, '&amp;').length;

describe('splitMarkdown, for any text', () => {
  it('makes messages that are not empty, not too long and hold no half of a character', () => {
    fc.assert(
      fc.property(anything, maxLength, fc.constantFrom(undefined, escapedLength), (text, limit, length) => {
        for (const message of splitMarkdown(text, { maxLength: limit, ...(length && { length }) })) {
          expect((length ?? ((one) => one.length))(message)).toBeLessThanOrEqual(limit);
          expect(message.trim()).not.toBe('');
          expect(message.isWellFormed()).toBe(true);
        }
      }),
      runs,
    );
  });

  it('leaves a text without fences that fits as it’s written, but for empty lines around it', () => {
    const withoutFences = anything.map((text) => text.replace(/[`~]{2,}/g, '*').slice(0, 200));
    fc.assert(
      fc.property(withoutFences, (text) => {
        const [message, ...more] = splitMarkdown(text, { maxLength: 200 });
        expect(more).toEqual([]);
        const written = text.toWellFormed().trimEnd();
        expect(written.endsWith(message ?? '')).toBe(true);
        expect(written.slice(0, written.length - (message ?? '').length)).toMatch(/^[\s>]*$/);
      }),
      runs,
    );
  });

  it('loses nothing but white space, empty quoted lines and ends of fences at the cuts', () => {
    fc.assert(
      fc.property(anything, maxLength, (text, limit) => {
        const splitter = new MarkdownSplitter({ maxLength: limit });
        splitter.append(text);
        let at = 0;
        for (const piece of rest(splitter)) {
          expect(text.slice(at, piece.from)).toMatch(/^[\s>]*(?:[`~]{3,}[\s>]*)?$/);
          expect(bare(piece.text)).toContain(bare(text.slice(piece.from, piece.to).toWellFormed()));
          at = piece.to;
        }
        expect(text.slice(at)).toMatch(/^[\s>]*(?:[`~]{3,}[\s>]*)?$/);
        expect(splitter.text).toBe(text);
      }),
      runs,
    );
  });

  it('ends with the same messages however the text arrives, and never shows too much meanwhile', () => {
    const growth = anything.chain((text) => fc.tuple(fc.constant(text), chunked(text)));
    fc.assert(
      fc.property(growth, maxLength, fc.infiniteStream(fc.boolean()), ([text, chunks], limit, looks) => {
        const splitter = new MarkdownSplitter({ maxLength: limit });
        const messages: string[] = [];
        for (const chunk of chunks) {
          splitter.append(chunk);
          if (!looks.next().value) continue;
          for (let full = splitter.takeFull(); full; full = splitter.takeFull()) messages.push(full.text);
          expect(splitter.growing().length).toBeLessThanOrEqual(limit);
        }
        messages.push(...rest(splitter).map((piece) => piece.text));
        expect(messages).toEqual(splitMarkdown(text, { maxLength: limit }));
      }),
      runs,
    );
  });
});

describe('splitMarkdown, for Markdown documents', () => {
  it('makes messages whose fences are all closed', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        for (const message of splitMarkdown(text, { maxLength: limit }))
          expect(unclosedFences(message)).toEqual([]);
      }),
      runs,
    );
  });

  it('leaves its own messages as they are, so that one can be taken up again', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        for (const message of splitMarkdown(text, { maxLength: limit }))
          expect(splitMarkdown(message, { maxLength: limit })).toEqual([message]);
      }),
      runs,
    );
  });

  it('keeps code code, and only code', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        const messages = splitMarkdown(text, { maxLength: limit });
        expect(messages.map(codeIn).join('')).toBe(codeIn(text));
      }),
      runs,
    );
  });

  it('keeps the languages of code', () => {
    fc.assert(
      fc.property(fence, maxLength, (text, limit) => {
        const [original] = fencesIn(text);
        for (const message of splitMarkdown(text, { maxLength: limit }))
          expect(fencesIn(message).map((one) => one.info)).toEqual([original?.info]);
      }),
      runs,
    );
  });

  it('keeps table rows in tables', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        const messages = splitMarkdown(text, { maxLength: limit });
        const heads = messages.reduce((count, message) => count + cellsIn(message, 'th').length, 0);
        expect(heads).toBeGreaterThanOrEqual(cellsIn(text, 'th').length);
        expect(messages.flatMap((message) => cellsIn(message, 'td')).join('')).toBe(
          cellsIn(text, 'td').join(''),
        );
      }),
      runs,
    );
  });

  it('keeps bold and italic text bold and italic, and only that', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        const messages = splitMarkdown(text, { maxLength: limit });
        for (const kind of ['strong', 'em', 's'])
          expect(messages.map((message) => emphasisIn(message, kind)).join('')).toBe(emphasisIn(text, kind));
      }),
      runs,
    );
  });

  it('cuts between graphemes only', () => {
    const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        const splitter = new MarkdownSplitter({ maxLength: limit });
        splitter.append(text);
        const segments = graphemes.segment(text);
        for (const { to } of rest(splitter))
          if (to < text.length) expect(segments.containing(to)?.index).toBe(to);
      }),
      runs,
    );
  });

  it('fills every message but the last by half where nothing is too long to be cut', () => {
    fc.assert(
      fc.property(plainProse, maxLength, (text, limit) => {
        const filled = splitMarkdown(text, { maxLength: limit }).slice(0, -1);
        for (const message of filled) expect(message.length).toBeGreaterThanOrEqual(limit * 0.48);
      }),
      runs,
    );
  });

  it('keeps links and inline code whole', () => {
    fc.assert(
      fc.property(markdownDocument, maxLength, (text, limit) => {
        const messages = splitMarkdown(text, { maxLength: limit });
        const found = messages.flatMap(linksIn).sort();
        for (const link of linksIn(text)) if (link.length < limit / 2) expect(found).toContain(link);
      }),
      runs,
    );
  });
});

describe('firstMessages, for any text with a note', () => {
  const most = fc.integer({ min: 1, max: 4 });
  /** Of characters that no text has, so that it can be told apart. */
  const note = fc
    .integer({ min: 0, max: 1200 })
    .map((length) => (length > 0 ? '§'.repeat(length) : undefined));

  it('shows every word once, in the messages or in the rest', () => {
    fc.assert(
      fc.property(plainProse, maxLength, most, note, (text, limit, count, said) => {
        const options = { maxLength: limit };
        const pieces = splitMarkdown(text, options);
        const { messages, rest } = firstMessages(pieces, count, said, options);
        const all = [...messages, ...rest];
        expect(bare(all.join('').replaceAll('§', ''))).toBe(bare(text));
        expect(rest.length > 0).toBe(pieces.length > count);
        for (const message of all) expect(message.length).toBeLessThanOrEqual(limit);
      }),
      runs,
    );
  });
});

function rest(splitter: MarkdownSplitter): Piece[] {
  const pieces: Piece[] = [];
  for (let piece = splitter.takeRest(); piece; piece = splitter.takeRest()) pieces.push(piece);
  return pieces;
}

/** What is left of a text without white space and the marks that a message opens and closes again. */
function bare(text: string): string {
  return text.replace(/[\s*_~`>]/g, '');
}

function fencesIn(text: string) {
  return markdown.parse(text, {}).filter((token) => token.type === 'fence');
}

function unclosedFences(text: string): string[] {
  const lines = text.split('\n');
  return fencesIn(text)
    .filter(({ map, markup }) => !map || map[1] - map[0] < 2 || !lines[map[1] - 1]?.trim().endsWith(markup))
    .map((token) => token.content);
}

function codeIn(text: string): string {
  return fencesIn(text)
    .map((token) => token.content)
    .join('')
    .replace(/\s/g, '');
}

function cellsIn(text: string, kind: 'th' | 'td'): string[] {
  const tokens = markdown.parse(text, {});
  return tokens
    .filter((_, index) => tokens[index - 1]?.type === `${kind}_open`)
    .map((token) => bare(token.content));
}

function linksIn(text: string): string[] {
  const inline = markdown.parse(text, {}).flatMap((token) => token.children ?? []);
  return inline.flatMap((token) => {
    if (token.type === 'code_inline') return [token.content];
    return token.type === 'link_open' ? [String(token.attrGet('href'))] : [];
  });
}

function emphasisIn(text: string, kind: string): string {
  let depth = 0;
  let found = '';
  for (const token of markdown.parse(text, {}).flatMap(({ children }) => children ?? [])) {
    if (token.type === `${kind}_open`) depth++;
    else if (token.type === `${kind}_close`) depth--;
    else if (depth > 0) found += token.content;
  }
  return found.replace(/\s/g, '');
}
