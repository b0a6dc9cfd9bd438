import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { restoreDatabase } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

/** A render as the database has it. */
interface RenderOnRecord {
  readonly state: string;
  readonly delivered: string | null;
}

/** The database of a bot, to copy while that runs and to restore while it doesn't. */
export async function restorable() {
  const folder = await temporaryFolder();
  const [file, copy] = [join(folder, 'troupe.db'), join(folder, 'copy.db')];
  const url = `sqlite:${file}`;
  return {
    url,
    /** All renders on record, the oldest first. */
    renders() {
      using database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare('select state, delivered from renders order by created_at').all();
      return rows as unknown as readonly RenderOnRecord[];
    },
    async copy() {
      using running = new DatabaseSync(file, { readOnly: true });
      await backup(running, copy);
    },
    async restore() {
      await restoreDatabase(url, copy);
    },
  };
}
