import { Hono } from 'hono';
import type { Metrics } from './metrics.ts';

/** One thing that has to be well before the bot is ready: the reason why it is not, or undefined. */
export type Readiness = () => Promise<string | undefined>;

/** `/healthz` while the process lives, `/readyz` when everything is connected, `/metrics` for Prometheus. */
export function healthRoutes(checks: Readonly<Record<string, Readiness>>, metrics: Metrics): Hono {
  return new Hono()
    .get('/healthz', (context) => context.text('ok\n'))
    .get('/readyz', async (context) => {
      const reasons = await notReady(checks);
      return reasons.length === 0 ? context.text('ready\n') : context.text(`${reasons.join('\n')}\n`, 503);
    })
    .get('/metrics', async (context) => {
      const registry = await metrics.registry();
      return context.body(await registry.metrics(), 200, { 'content-type': registry.contentType });
    });
}

async function notReady(checks: Readonly<Record<string, Readiness>>): Promise<string[]> {
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
