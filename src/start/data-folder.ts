import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { narrow, privateFolderMode } from '../secrets/private-files.ts';

/** Where results wait on the disk until they are posted. */
export const spoolFolder = (dataFolder: string) => join(dataFolder, 'spool');
/** Where the embedded sandbox keeps its tasks and results. */
export const sandboxFolder = (dataFolder: string) => join(dataFolder, 'sandbox');
/** Where the console keeps the files posted to it. */
export const consoleFilesFolder = (dataFolder: string) => join(dataFolder, 'console-files');

/**
 * The folder of the SQLite file, where the bot keeps what does not belong in a database; a temporary one where the
 * database is in memory. Closes its folders to other users: a former version left them open.
 */
export function openDataFolder(databaseUrl: string): string {
  const file = databaseUrl.slice('sqlite:'.length);
  const folder = file === ':memory:' ? join(tmpdir(), `troupe-${process.pid}`) : dirname(file);
  for (const within of [spoolFolder, sandboxFolder, consoleFilesFolder])
    narrow(within(folder), privateFolderMode);
  return folder;
}
