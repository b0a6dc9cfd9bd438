const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;

/**
 * About how many tokens a text has: one for a character of Chinese, Japanese or Korean, one for four others.
 * An estimate, since the service names no tokenizer.
 */
export function estimateTokens(text: string): number {
  let wideCharacters = 0;
  let others = 0;
  for (const character of text) {
    if (wide.test(character)) wideCharacters++;
    else others++;
  }
  return wideCharacters + Math.ceil(others / 4);
}
