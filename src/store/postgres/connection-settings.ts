import type { ClientConfig } from 'pg';

/** How long it may take to connect, in milliseconds: a person is still told within Discord's three seconds. */
const connectTimeout = 2_000;

/**
 * How every connection is made. The address means what it means to PostgreSQL's own programs: `sslmode=require`
 * encrypts, and `sslmode=verify-full` also checks the server's certificate.
 */
export function connectionSettings(url: string): ClientConfig {
  const address = new URL(url);
  if (!address.searchParams.has('uselibpqcompat')) address.searchParams.set('uselibpqcompat', 'true');
  return {
    connectionString: address.href,
    application_name: 'troupe',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}
