import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveName, isFault, narrow, notOurs, privateFileMode } from './private-files.ts';
import { VaultError } from './vault-error.ts';

/** Minimum length of a key, in characters. */
const shortest = 32;

/**
 * Reads the key of a key file and makes the file private; undefined if there is no file.
 * @throws {VaultError} if it is too short for a key, or another user of the machine created it.
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
 * Saves a new key to a file before it is used, atomically even in a power cut. An existing file is left alone, and
 * its key returned.
 */
export function keepKeyFile(file: string, key: string): string {
  const unfinished = `${file}.new`;
  // Left by an interrupted start.
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

/**
 * So that the file's name survives a power cut as well. Some systems can't do this, and persist names by themselves.
 */
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
