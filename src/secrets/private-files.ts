import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Only the bot's own user may read, write or list. */
export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

const root = 0;
const writableByOthers = 0o022;

/** Removes other users' permissions from a file or folder, if it exists and belongs to this user; devices are everybody's. */
export function narrow(path: string, mode: number): void {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now?.isFile() && !now?.isDirectory()) return;
  if ((now.mode & 0o077) === 0 || now.uid !== process.getuid?.()) return;
  chmodSync(path, mode);
}

/**
 * Why a file must not be used, for the operator: another user of the machine created it in a shared folder, so they
 * could read and change its content. Root and the folder's owner could do that to any file there. Undefined if
 * nothing is wrong, the file doesn't exist, or the system doesn't distinguish users.
 */
export function notOurs(path: string): string | undefined {
  const [entry, us] = [lstatSync(path, { throwIfNoEntry: false }), process.getuid?.()];
  if (!entry || us === undefined) return undefined;
  const folder = statSync(dirname(path));
  if (![us, root, folder.uid].includes(entry.uid) && (folder.mode & writableByOthers) !== 0)
    return `${path} belongs to another user of this machine, who could read and change what is in it; delete it, or use a folder where nobody else can make files`;
  return entry.isSymbolicLink() ? notOurs(resolve(dirname(path), readlinkSync(path))) : undefined;
}

/**
 * Files that root creates get the owner of the file or folder next to them: the bot, which isn't root, needs them.
 */
export function giveToOwnerOf(neighbour: string, path: string): void {
  if (process.getuid?.() !== root) return;
  const { uid, gid } = statSync(neighbour);
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    if (!isFault(error, ...incapable)) throw error;
  }
}

/** Error codes of systems that don't support a file operation. */
const incapable = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

/**
 * Gives a file another name, next to its own if the file system supports that. Unlike a rename, a link never replaces
 * an existing file.
 */
export function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!isFault(error, ...incapable) || existsSync(name)) throw error;
    renameSync(file, name);
  }
}

/**
 * Makes a folder, and those it's in, if missing. Node's own way of making several tries for ever where the system makes none
 * (below /proc), and takes a read-only disk for a missing folder.
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  makePrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: privateFolderMode });
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error;
  }
}

/** What's in a file outlives a power cut from then on. */
export function flush(file: string): void {
  // Windows flushes only what's open to be written.
  flushOpened(file, 'r+');
}

/** So do the names in a folder. */
export function flushFolder(folder: string): void {
  try {
    flushOpened(folder, 'r');
  } catch (error) {
    if (!keepsNames(error)) throw error;
  }
}

function flushOpened(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The same as {@link flushFolder}, while others go on. */
export async function folderFlushed(folder: string): Promise<void> {
  try {
    await using handle = await open(folder);
    await handle.sync();
  } catch (error) {
    if (!keepsNames(error)) throw error;
  }
}

/** Whether the system can't flush a folder, since it brings names to the disk by itself: Windows, some network drives. */
function keepsNames(error: unknown): boolean {
  return isFault(error, 'EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP');
}

/** Whether the system failed with one of these codes. */
export function isFault(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
