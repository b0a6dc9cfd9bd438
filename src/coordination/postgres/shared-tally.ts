import { sql } from 'kysely';
import { type Database, databaseNow } from '../../store/index.ts';
import type { Tally } from '../coordination.ts';
import { tallyParts } from '../memory-tally.ts';

/** Makes {@link Tally}s that all processes on a database share, in its table `rates`: a row for each part of the window. */
export function sharedTally(database: Database): (name: string, milliseconds: number) => Tally {
  const now = databaseNow(database);
  return (name, milliseconds) => ({
    async add(count) {
      if (count > 0)
        await sql`
          insert into rates (key, points, expire)
          values (${`${name}: `} || (${now}) / ${Math.ceil(milliseconds / tallyParts)}::bigint, ${count}, ${now} + ${milliseconds}::bigint)
          on conflict (key) do update set points = rates.points + excluded.points, expire = excluded.expire
        `.execute(database);
      const { rows } = await sql<{ total: number }>`
        select coalesce(sum(points), 0) as total from rates where starts_with(key, ${`${name}: `}) and expire > ${now}
      `.execute(database);
      return Number(rows[0]?.total ?? 0);
    },
  });
}
