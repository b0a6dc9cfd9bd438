import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  readlinkSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Only the user the bot runs as may read, write or list. */
export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

const root = 0;
const writableByOthers = 0o022;

/** Takes away from others what they may do with a file or folder, where it is there and this user's own. */
export function narrow(path: string, mode: number): void {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now || (now.mode & 0o077) === 0 || now.uid !== process.getuid?.()) return;
  chmodSync(path, mode);
}

/**
 * Why a file must not be used, for the operator: another user of the machine made it in a folder where others can make
 * files, so that they could read and change what it holds. Root and the folder's owner could do that to any file there.
 * Undefined where nothing is wrong, it isn't there, or the system doesn't tell users apart.
 */
export function notOurs(path: string): string | undefined {
  const [entry, us] = [lstatSync(path, { throwIfNoEntry: false }), process.getuid?.()];
  if (!entry || us === undefined) return undefined;
  const folder = statSync(dirname(path));
  if (![us, root, folder.uid].includes(entry.uid) && (folder.mode & writableByOthers) !== 0)
    return `${path} belongs to another user of this machine, who could read and change what is in it; delete it, or use a folder where nobody else can make files`;
  return entry.isSymbolicLink() ? notOurs(resolve(dirname(path), readlinkSync(path))) : undefined;
}

/** What root makes beside a file, or in a folder, belongs to the same user as that: the bot, which isn't root, needs it. */
export function giveToOwnerOf(neighbour: string, path: string): void {
  if (process.getuid?.() !== root) return;
  const { uid, gid } = statSync(neighbour);
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    if (!isFault(error, ...incapable)) throw error;
  }
}

/** What systems answer that can't do something with files. */
const incapable = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

/**
 * Gives a file another name, beside its own where the file system can do that. A link, unlike a rename, never takes the
 * place of a file that is there.
 */
export function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!isFault(error, ...incapable) || existsSync(name)) throw error;
    renameSync(file, name);
  }
}

/** Whether the system refused something with one of these codes. */
export function isFault(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
