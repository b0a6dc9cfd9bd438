import { Client } from 'pg';
import { endsWithFile } from '../../at-end.ts';

/** The time of a database, which stands still until a test moves it. */
export interface DatabaseTime {
  /** In milliseconds; below 0 somebody sets the server's clock back. */
  pass(milliseconds: number): Promise<void>;
}

/** Puts the time of a database into a test's hands, for every connection that's opened from then on. */
export async function timeOf(url: string): Promise<DatabaseTime> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  endsWithFile(() => client.end());
  await client.query(`
    create table test_time as select ${Date.UTC(2026, 0, 1)}::bigint as now;
    create function public.clock_timestamp() returns timestamptz volatile
      language sql as 'select to_timestamp(now / 1000.0) from public.test_time';
    do $$ begin
      execute format('alter database %I set search_path = public, pg_catalog', current_database());
    end $$`);
  return {
    async pass(milliseconds) {
      await client.query('update test_time set now = now + $1', [milliseconds]);
    },
  };
}
