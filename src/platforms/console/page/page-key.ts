const name = 'troupe-page-key';

/**
 * Keeps the key that a log-in brought (`#key=…`) once the server takes it: anybody can write such a link. Either way
 * it's out of the address and its history.
 */
export async function keepPageKey(isTaken: (key: string) => Promise<boolean>): Promise<void> {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  if (given !== pageKey() && (await isTaken(given))) localStorage.setItem(name, given);
  history.replaceState(null, '', location.pathname);
}

/** The key of this browser's latest log-in; empty where the console needs none. */
export function pageKey(): string {
  return localStorage.getItem(name) ?? '';
}

/** Opens the log-in page: the session is over, or its key isn't here. */
export function logInAgain(): void {
  localStorage.removeItem(name);
  location.replace('./?log-in');
}
