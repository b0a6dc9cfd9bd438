const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
/** Four of these make about a token: ASCII, other Latin letters, punctuation, spaces. */
const common = /[\p{ASCII}\p{Script=Latin}\p{Punctuation}\s]/u;
const firstBeyondAscii = 0x80;
const unifiedIdeographs = { first: 0x4e00, last: 0x9fff };
/** UTF-8 bytes per token of anything else: tokenizers know few of its words. */
const bytesPerRareToken = 2;

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
      // Nearly every character is one of these, and a pattern takes fifty times as long.
      if (unit < firstBeyondAscii) this.#common++;
      else if (unit >= unifiedIdeographs.first && unit <= unifiedIdeographs.last) this.#wide++;
      else {
        const character = String.fromCodePoint(text.codePointAt(at) ?? unit);
        this.#addOther(character);
        at += character.length - 1;
      }
    }
  }

  #addOther(character: string): void {
    if (wide.test(character)) this.#wide++;
    else if (common.test(character)) this.#common++;
    else this.#rareBytes += Buffer.byteLength(character);
  }

  get tokens(): number {
    return this.#wide + Math.ceil(this.#common / 4) + Math.ceil(this.#rareBytes / bytesPerRareToken);
  }
}
