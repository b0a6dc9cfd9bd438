const ideograph =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/gu;
const charactersPerToken = 4;

/** Estimates the tokens of a text: one per ideograph, one per four other characters. */
export function estimateTokens(text: string): number {
  const ideographs = text.match(ideograph)?.length ?? 0;
  return ideographs + Math.ceil((text.length - ideographs) / charactersPerToken);
}
