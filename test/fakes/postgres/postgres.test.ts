import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { emptyPostgres, Postgres } from './index.ts';

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

test('every test has a database of its own', async () => {
  const [one, other] = [await connect(await emptyPostgres()), await connect(await emptyPostgres())];
  await one.query('create table mine (id text)');
  await expect(other.query('select * from mine')).rejects.toMatchObject({ code: '42P01' });
});

test('a server that was killed has everything that was committed when it is started again', async () => {
  const server = await Postgres.start();
  onTestFinished(() => server.close());
  await server.run('create table kept (id text)', "insert into kept values ('a')");
  const before = await connect(server.url());
  await server.kill();
  await expect(before.query('select * from kept')).rejects.toThrow();
  await server.start();
  const { rows } = await (await connect(server.url())).query('select * from kept');
  expect(rows).toEqual([{ id: 'a' }]);
});

test('a frozen server answers nothing until it thaws', async () => {
  const server = await Postgres.start();
  onTestFinished(() => server.close());
  const client = await connect(server.url());
  server.freeze();
  let answered = false;
  const query = client.query('select 1 as one').then(({ rows }) => {
    answered = true;
    return rows;
  });
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  server.thaw();
  expect(await query).toEqual([{ one: 1 }]);
});
