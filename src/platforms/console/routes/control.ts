import { Hono, type MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { type ControlOutcome, type ControlRoom, platformNames } from '../../../port/index.ts';
import type { WireControlled, WireTrail } from '../api/wire.ts';
import { bodyOf, queryOf, type SessionVariables } from './requests.ts';

const place = { platform: z.enum(platformNames), workspace: z.string().min(1).max(64) };
const id = z.string().regex(/^[\w.-]{1,80}$/);

const trail = z.object({ job: id });

/** Schemas of what the operator does. */
const actions = {
  switch: z.strictObject({ ...place, off: z.boolean() }),
  ceiling: z.strictObject({ ...place, credits: z.number().min(0).max(999_999_999) }),
  cancel: z.strictObject({ job: id }),
  retry: z.strictObject({ job: id }),
  test: z.strictObject({ id }),
} as const;

/** Routes of the control room; without a token there's none, and they are `not-found`. */
export function controlRoutes(room: ControlRoom | undefined): Hono<SessionVariables> {
  // What no route takes is `not-found`.
  if (!room) return new Hono<SessionVariables>();
  return new Hono<SessionVariables>()
    .use('/control/*', onlyJson)
    .get('/control', async (context) => context.json(await room.state()))
    .get('/control/trail', async (context) => {
      const { job } = queryOf(context, trail);
      const found: WireTrail = { steps: await room.trail(job) };
      return context.json(found);
    })
    .post('/control/switch', (context) =>
      carriedOut(context, actions.switch, ({ off, ...at }) => room.switchPlace(at, off)),
    )
    .post('/control/ceiling', (context) =>
      carriedOut(context, actions.ceiling, ({ credits, ...at }) => room.setCeiling(at, credits)),
    )
    .post('/control/cancel', (context) => carriedOut(context, actions.cancel, ({ job }) => room.cancel(job)))
    .post('/control/retry', (context) => carriedOut(context, actions.retry, ({ job }) => room.retry(job)))
    .post('/control/test', (context) =>
      carriedOut(context, actions.test, (given) => room.sendTest(given.id)),
    );
}

/** A form of another page can't have this type: browsers ask first, and aren't told yes. */
const onlyJson: MiddlewareHandler = async (context, next) => {
  const type = context.req.header('content-type') ?? '';
  if (context.req.method !== 'GET' && !type.startsWith('application/json')) throw new HTTPException(400);
  await next();
};

async function carriedOut<Schema extends z.ZodType>(
  context: Parameters<typeof bodyOf>[0],
  schema: Schema,
  act: (given: z.output<Schema>) => Promise<ControlOutcome>,
) {
  const answer: WireControlled = { outcome: await act(await bodyOf(context, schema)) };
  return context.json(answer);
}
