import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { endsWithTest } from '../../at-end.ts';
import { migratedIn } from '../../fakes/database.ts';

/** A database for the whole bot, and what's in it that has a word, wherever. */
export async function everythingIn(): Promise<{
  readonly url: string;
  /** The rows, as text. */
  readonly rowsWith: (word: string) => readonly string[];
}> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-everything-'));
  endsWithTest(() => rm(folder, { recursive: true, force: true }));
  const url = await migratedIn(folder);
  const rowsWith = (word: string) => {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
    try {
      const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
      const rows = tables.flatMap(({ name }) =>
        database
          .prepare(`select * from "${String(name)}"`)
          .all()
          .map((row) => `${String(name)} ${JSON.stringify(row)}`),
      );
      return rows.filter((row) => row.includes(word));
    } finally {
      database.close();
    }
  };
  return { url, rowsWith };
}
