import { type Kysely, sql } from 'kysely';

/** Columns with addresses, as JSON. In what somebody wrote the quotation marks are escaped: that stays as it is. */
const columns = [
  ['jobs', 'address'],
  ['live_answers', 'messages'],
  ['deliveries', 'message'],
  ['renders', 'message'],
  ['renders', 'delivered'],
  ['keyv', 'value'],
] as const;

/** What an address carries for its platform is called `platformData`, no longer `ticket`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const [before, after] = ['"ticket":{', '"platformData":{'];
  for (const [table, name] of columns) {
    const column = sql.ref(name);
    await sql`update ${sql.table(table)} set ${column} = replace(${column}, ${before}, ${after})
      where ${column} like ${`%${before}%`}`.execute(database);
  }
}
