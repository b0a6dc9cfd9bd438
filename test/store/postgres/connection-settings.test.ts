import { describe, expect, it } from 'vitest';
import { connectionSettings } from '../../../src/store/postgres/driver.ts';

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
