import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { readSetting } from '../../../src/config/config.ts';
import { connectionSettings } from '../../../src/store/postgres/driver.ts';

describe('an address as PostgreSQL’s own programs take it', () => {
  const connection = (address: string) => {
    const { connectionString = '', ...more } = connectionSettings(
      readSetting({ DATABASE_URL: address }, 'DATABASE_URL'),
    );
    return new Client({ connectionString, ...more });
  };

  it('names the folder of a socket behind a user and a password', () => {
    const client = connection('postgres://me:secret@/troupe?host=/cloudsql/project:region:bot');
    const { host, user, password, database } = client;
    expect({ host, user, password, database }).toEqual({
      host: '/cloudsql/project:region:bot',
      user: 'me',
      password: 'secret',
      database: 'troupe',
    });
  });

  it.each([
    'postgres://me@:5433/troupe?host=/run/postgresql',
    'postgres://:5433/troupe?host=/run/postgresql',
  ])('names the port that a socket has in its name: %s', (address) => {
    const { host, port, database } = connection(address);
    expect({ host, port, database }).toEqual({ host: '/run/postgresql', port: 5433, database: 'troupe' });
  });

  it.each(['?sslrootcert=system', '?sslmode=verify-full&sslrootcert=system'])(
    'checks certificates by the authorities that the system knows: %s',
    (query) => {
      expect(connection(`postgres://db.example/troupe${query}`).ssl).toEqual({});
    },
  );
});

describe('how long it may take to connect', () => {
  it.each([
    ['', 2_000],
    ['?connect_timeout=60', 60_000],
    ['?connect_timeout=100000', 100_000_000],
    // Longer than a timer can be: as long as it can.
    ['?connect_timeout=10000000', 2_147_483_647],
    // To PostgreSQL's own programs that's no limit.
    ['?connect_timeout=0', 0],
    ['?connect_timeout=-1', 0],
    ['?connect_timeout=', 2_000],
    ['?connect_timeout=soon', 2_000],
    ['?connect_timeout=10s', 2_000],
  ])('is what the address says: %j', (query, milliseconds) => {
    const { connectionTimeoutMillis } = connectionSettings(`postgres://troupe@localhost/troupe${query}`);
    expect(connectionTimeoutMillis).toBe(milliseconds);
  });
});
