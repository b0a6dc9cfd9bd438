import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveName, isFault, narrow, notOurs, privateFileMode } from './private-files.ts';
import { VaultError } from './vault-error.ts';

/** Shorter than this no key was ever written, in characters. */
const shortest = 32;

/**
 * The key of a key file, which nobody else may read from then on; undefined where there is no file.
 * @throws {VaultError} where it is too short to be a key, or another user of the machine made it.
 */
export function readKeyFile(file: string): string | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim();
    const fault = notOurs(file);
    if (fault !== undefined) throw new VaultError(fault);
    if (key.length < shortest) throw new VaultError(notAKey(file));
    narrow(file, privateFileMode);
    return key;
  } catch (error) {
    if (isFault(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Keeps a new key in a file, on the disk before it is used: whole or not at all, whenever the power fails. A file
 * that is there already is left alone, and its key answered.
 */
export function keepKeyFile(file: string, key: string): string {
  const unfinished = `${file}.new`;
  // Of a start that was cut off.
  rmSync(unfinished, { force: true });
  writeToDisk(unfinished, `${key}\n`);
  try {
    giveName(unfinished, file);
    syncFolder(dirname(file));
    return key;
  } catch (error) {
    const other = isFault(error, 'EEXIST') ? readKeyFile(file) : undefined;
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function writeToDisk(file: string, content: string): void {
  const opened = openSync(file, 'wx', privateFileMode);
  try {
    writeSync(opened, content);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** So that the file's name outlives a power cut as well. Some systems can't, and keep names by themselves. */
function syncFolder(folder: string): void {
  try {
    const opened = openSync(folder, 'r');
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    if (!isFault(error, 'EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP')) throw error;
  }
}

function notAKey(file: string): string {
  return `${file}: this is no key file, perhaps because it was cut off; restore it, or delete it if no token was encrypted with it yet`;
}
