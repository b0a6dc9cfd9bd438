const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
/** Four of these make about a token: ASCII, other Latin letters, punctuation, spaces. */
const common = /[\p{ASCII}\p{Script=Latin}\p{Punctuation}\s]/u;
/** UTF-8 bytes per token of anything else: tokenizers know few of its words. */
const bytesPerRareToken = 2;

/** How a character counts: wide, common, or by its bytes of UTF-8, of which a rare one has at least two. */
const kinds = { unknown: 0, wide: 1, common: 5 } as const;
/** The kind of each character of a single UTF-16 unit, once it was met: patterns take fifty times as long. */
const known = new Uint8Array(0x1_0000);
const surrogates = { first: 0xd800, last: 0xdfff };
/** Emoji and other pictures. */
const pictures = { first: 0x1_f300, last: 0x1_fbff };
const bytesOfPicture = 4;

function kindOf(code: number): number {
  if (code >= pictures.first && code <= pictures.last) return bytesOfPicture;
  const character = String.fromCodePoint(code);
  if (wide.test(character)) return kinds.wide;
  return common.test(character) ? kinds.common : Buffer.byteLength(character);
}

/**
 * About how many tokens a text has: one for a character of Chinese, Japanese or Korean, one for four others of the
 * Latin script, one for two bytes of anything else (another alphabet, emoji). An estimate, since the service names no tokenizer.
 */
export function estimateTokens(text: string): number {
  const count = new TokenCount();
  count.add(text);
  return count.tokens;
}

/** The same estimate for a text that comes in pieces. */
export class TokenCount {
  #wide = 0;
  #common = 0;
  #rareBytes = 0;

  add(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let kind = known[unit] ?? kinds.unknown;
      if (kind === kinds.unknown) {
        const code = text.codePointAt(at) ?? unit;
        kind = kindOf(code);
        // Half of a pair has no kind of its own.
        if (code !== unit) at++;
        else if (unit < surrogates.first || unit > surrogates.last) known[unit] = kind;
      }
      if (kind === kinds.wide) this.#wide++;
      else if (kind === kinds.common) this.#common++;
      else this.#rareBytes += kind;
    }
  }

  get tokens(): number {
    return this.#wide + Math.ceil(this.#common / 4) + Math.ceil(this.#rareBytes / bytesPerRareToken);
  }
}
