const pattern = /<t:(\d{1,12}):f>/g;

/** A moment within a message's text: every platform shows it in the reader's own time zone. */
export function momentInText(milliseconds: number): string {
  return `<t:${Math.floor(milliseconds / 1000)}:f>`;
}

/** Puts what a platform shows for a moment in the place of each. */
export function showMoments(text: string, shown: (milliseconds: number) => string): string {
  return text.replace(pattern, (_, seconds: string) => shown(Number(seconds) * 1000));
}
