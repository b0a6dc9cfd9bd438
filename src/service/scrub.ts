const keyLike = /sk-svc-[A-Za-z0-9_-]+/g;
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** The text without anything that looks like a key of the service (description, section 5). */
export function scrub(text: string): string {
  return text.replace(keyLike, 'sk-svc-…');
}

/**
 * An identifier or code from an answer, fit for errors and logs: one plain word of at most 64 characters that is
 * no key; everything else is dropped, since a service may echo what was sent.
 */
export function safeWord(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string' || !plainWord.test(value)) return undefined;
  return value.includes('sk-svc-') ? undefined : value;
}
