import { type Context, Hono } from 'hono';
import { isLocalRequest, sameSecret } from '../http/index.ts';
import type { Metrics } from './metrics.ts';

/** A readiness check: resolves to the reason the bot is not ready, or undefined. */
export type ReadinessCheck = () => Promise<string | undefined>;

/** Who may see metrics and the reasons of `/readyz`. */
export interface DetailAccess {
  /** The bearer token, `METRICS_TOKEN`. */
  readonly token?: string | undefined;
  /** Whether a proxy on this machine may forward requests from elsewhere, so loopback proves nothing. */
  readonly isPublic: boolean;
}

/**
 * `/healthz` while the process lives, `/readyz` when everything is connected, `/metrics` for Prometheus.
 * Metrics and reasons need the token, or a request from this machine if the server isn't public; everyone else
 * gets the bare status.
 */
export function healthRoutes(
  checks: Readonly<Record<string, ReadinessCheck>>,
  metrics: Pick<Metrics, 'exposition'>,
  { token, isPublic }: DetailAccess,
): Hono {
  const mayLook = (context: Context) => hasToken(context, token) || (!isPublic && isLocalRequest(context));
  return new Hono()
    .get('/healthz', (context) => context.text('ok\n'))
    .get('/readyz', async (context) => {
      const reasons = await notReady(checks);
      if (reasons.length === 0) return context.text('ready\n');
      return context.text(`${mayLook(context) ? reasons.join('\n') : 'not ready'}\n`, 503);
    })
    .get('/metrics', async (context) => {
      if (!mayLook(context)) {
        return context.text('METRICS_TOKEN is needed here\n', 401, { 'www-authenticate': 'Bearer' });
      }
      const { text, contentType } = await metrics.exposition();
      return context.body(text, 200, { 'content-type': contentType });
    });
}

function hasToken(context: Context, token: string | undefined): boolean {
  const given = context.req.header('authorization') ?? '';
  return token !== undefined && sameSecret(given, `Bearer ${token}`);
}

async function notReady(checks: Readonly<Record<string, ReadinessCheck>>): Promise<string[]> {
  const reasons = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const reason = await check().catch((error: unknown) =>
        error instanceof Error ? error.message : 'fault',
      );
      return reason === undefined ? undefined : `${name}: ${reason}`;
    }),
  );
  return reasons.filter((reason) => reason !== undefined);
}
