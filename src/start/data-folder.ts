import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isPostgresUrl } from '../lib/database-url.ts';
import { narrow, privateFolderMode } from '../secrets/private-files.ts';
import { fileKinds } from '../store/index.ts';

/** Where the embedded sandbox keeps its tasks and results. */
export const sandboxFolder = (dataFolder: string) => join(dataFolder, 'sandbox');

/**
 * The folder of the SQLite file, where the bot keeps what does not belong in a database; a temporary one where the
 * database is in memory, or PostgreSQL's, which holds everything itself. Closes its folders to other users: a former
 * version left them open.
 */
export function openDataFolder(databaseUrl: string): string {
  const file = databaseUrl.slice('sqlite:'.length);
  const isNone = file === ':memory:' || isPostgresUrl(databaseUrl);
  const folder = isNone ? join(tmpdir(), `troupe-${process.pid}`) : dirname(file);
  for (const kind of fileKinds) narrow(join(folder, kind), privateFolderMode);
  narrow(sandboxFolder(folder), privateFolderMode);
  return folder;
}
