const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;

/**
 * About how many tokens a text has: one for a character of Chinese, Japanese or Korean, one for four others.
 * An estimate, since the service names no tokenizer.
 */
export function estimateTokens(text: string): number {
  const count = new TokenCount();
  count.add(text);
  return count.tokens;
}

/** The same estimate for a text that comes in pieces. */
export class TokenCount {
  #wide = 0;
  #others = 0;

  add(text: string): void {
    for (const character of text) {
      if (wide.test(character)) this.#wide++;
      else this.#others++;
    }
  }

  get tokens(): number {
    return this.#wide + Math.ceil(this.#others / 4);
  }
}
