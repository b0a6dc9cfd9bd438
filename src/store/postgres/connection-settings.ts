import type { ClientConfig } from 'pg';

/** How long it may take to connect, in seconds: a person is still told within Discord's three. */
const connectTimeout = '2';

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
    connectionTimeoutMillis: 1_000 * Number(address.searchParams.get('connect_timeout') ?? connectTimeout),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}
