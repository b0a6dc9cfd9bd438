const keyLike = /sk-svc-[A-Za-z0-9_-]+/g;
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Removes anything that looks like a key of the service (description, section 5). */
export function scrub(text: string): string {
  return text.replace(keyLike, 'sk-svc-…');
}

/**
 * Makes an identifier or code from a response safe for errors and logs: one word of at most 64 characters that isn't
 * a key; everything else is dropped, because a service may echo the request.
 */
export function safeWord(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string' || !plainWord.test(value)) return undefined;
  return value.includes('sk-svc-') ? undefined : value;
}
