import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Tells when the file of the database at `url` isn't the one any more that was opened: a system lets a process write
 * on in a file that was deleted, and all of it is lost when the process ends. Call when the database is open.
 */
export function databaseFileWatch(url: string): () => Promise<string | undefined> {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:') return async () => undefined;
  const opened = statSync(file, { bigint: true });
  return async () => {
    const now = await stat(file, { bigint: true }).catch(() => undefined);
    const isSame = now?.ino === opened.ino && now.dev === opened.dev;
    return isSame
      ? undefined
      : `${file} was deleted or replaced: what is written now is lost when troupe stops. Stop it and put a backup in its place: npm run restore -- BACKUP`;
  };
}
