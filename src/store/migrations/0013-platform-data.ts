import { type Kysely, sql } from 'kysely';

/** Columns with addresses, as JSON. In people's own text the quotation marks are escaped, so it isn't changed. */
const columns = [
  ['jobs', 'address'],
  ['live_answers', 'messages'],
  ['deliveries', 'message'],
  ['renders', 'message'],
  ['renders', 'delivered'],
  ['keyv', 'value'],
] as const;

/** Renames an address's `ticket` to `platformData`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const [before, after] = ['"ticket":{', '"platformData":{'];
  for (const [table, name] of columns) {
    const column = sql.ref(name);
    await sql`update ${sql.table(table)} set ${column} = replace(${column}, ${before}, ${after})
      where ${column} like ${`%${before}%`}`.execute(database);
  }
}
