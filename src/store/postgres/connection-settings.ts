import type { ClientConfig } from 'pg';

/** How long it may take to connect, in seconds: a person is still told within Discord's three. */
const connectTimeout = 2;
/** The longest that a timer waits, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * How every connection is made. The address means what it means to PostgreSQL's own programs: `sslmode=require`
 * encrypts, `sslmode=verify-full` also checks the server's certificate, and `connect_timeout` is in seconds.
 */
export function connectionSettings(url: string): ClientConfig {
  const address = new URL(url);
  if (!address.searchParams.has('uselibpqcompat')) address.searchParams.set('uselibpqcompat', 'true');
  return {
    connectionString: address.href,
    application_name: 'troupe',
    connectionTimeoutMillis: connectionTimeout(address.searchParams.get('connect_timeout') ?? ''),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

/** In milliseconds; 0, which is no limit, also for what's below. */
function connectionTimeout(seconds: string): number {
  const limit = /^-?\d+$/.test(seconds) ? Number(seconds) : connectTimeout;
  return Math.min(Math.max(0, 1_000 * limit), longestTimer);
}
