import { DatabaseSync } from 'node:sqlite';
import { migratedIn } from '../../fakes/database.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

/** A database for the whole bot, and what's in it that has a word, wherever. */
export async function everythingIn(): Promise<{
  readonly url: string;
  /** The rows, as text. */
  readonly rowsWith: (word: string) => readonly string[];
}> {
  const folder = await temporaryFolder();
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
