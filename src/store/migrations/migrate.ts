import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { unusable } from '../database-error.ts';
import type { Tables } from '../tables.ts';
import { adopt, standingOf } from './before-release.ts';
import { migrations, newerOf } from './index.ts';

/**
 * Makes the tables of this version, also where several processes begin at once. `url` is for errors.
 * @throws {DatabaseError} if a version wrote the database that this one can't live with.
 */
export async function migrate(database: Kysely<Tables>, url: string): Promise<void> {
  const made = await madeIn(database);
  requireUsable(made, url);
  if (standingOf(made) === 'last') await database.transaction().execute(adopt);
  const provider = {
    // What a newer version has added stays as it is.
    getMigrations: async () => ({
      ...migrations,
      ...Object.fromEntries(
        newerOf(await madeIn(database)).names.map((name) => [name, { up: async () => {} }]),
      ),
    }),
  };
  const { error } = await new Migrator({
    db: database,
    provider,
    allowUnorderedMigrations: true,
  }).migrateToLatest();
  if (error) throw error;
}

/** @throws {DatabaseError} if this version can't use a database in which these migrations were made. */
export function requireUsable(made: readonly string[], url: string): void {
  if (newerOf(made).breaks) throw unusable(url, 'newer');
  if (standingOf(made) === 'too old') throw unusable(url, 'older');
}

/** Names of the migrations that were made. */
export async function madeIn(database: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database);
  return rows.map(({ name }) => name);
}
