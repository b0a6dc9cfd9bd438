import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, statSync } from 'node:fs';

/** Only the user the bot runs as may read, write or list. */
export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/** Makes a folder of the bot's own that nobody else may look into, or takes that away from others. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: privateFolderMode });
  narrow(folder, privateFolderMode);
}

/** Takes away from others what they may do with a file or folder, where it is there and this user's own. */
export function narrow(path: string, mode: number): void {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now || (now.mode & 0o077) === 0 || now.uid !== process.getuid?.()) return;
  chmodSync(path, mode);
}

/** What file systems without hard links answer. */
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

/**
 * Gives a file another name, beside its own where the file system can do that. A link, unlike a rename, never takes the
 * place of a file that is there.
 */
export function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!isFault(error, ...linkless) || existsSync(name)) throw error;
    renameSync(file, name);
  }
}

/** Whether the system refused something with one of these codes. */
export function isFault(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
