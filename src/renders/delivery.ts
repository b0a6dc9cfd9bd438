import { type Job, type MessageAddress, type Outlet, OutletError } from '../port/index.ts';
import type { Presented, Rendered, RenderPresenter } from './presenter.ts';
import type { Render } from './render.ts';
import type { RenderChange } from './render-store.ts';
import type { Spool } from './spool.ts';

interface Delivery {
  readonly render: Render;
  readonly job: Job;
  readonly outlet: Outlet;
  readonly presenter: RenderPresenter;
  readonly spool: Spool;
}

/** Posts a render's end at its place, once however often it is called, and answers where. */
export async function deliver(delivery: Delivery): Promise<MessageAddress> {
  const { render, job, outlet, presenter } = delivery;
  if (render.state !== 'ready') return present(delivery, presenter.ended(render, job), 'ended');
  const { message } = render;
  const limit = await outlet.maxFileBytes(message, render.kind);
  try {
    return await present(delivery, presenter.ready(render, job, rendered(delivery, limit)), 'ready');
  } catch (error) {
    // The place's true limit may be lower than what the platform told beforehand.
    if (!(error instanceof OutletError) || error.kind !== 'too-large') throw error;
    return present(delivery, presenter.ready(render, job, tooLarge(render, limit)), 'ready');
  }
}

async function present(delivery: Delivery, presented: Presented, step: string): Promise<MessageAddress> {
  const { render, outlet } = delivery;
  const key = `${render.id}:${step}`;
  if (presented.as === 'complete') return outlet.complete(render.message, presented.message, key);
  const posted = await outlet.post(render.message, presented.message, key);
  if (presented.before) await outlet.edit(render.message, presented.before).catch(unlessOutletError);
  return posted;
}

/** The result stands there: that what showed the progress cannot be changed any more spoils nothing. */
function unlessOutletError(error: unknown): void {
  if (!(error instanceof OutletError)) throw error;
}

function rendered({ render, job, presenter, spool }: Delivery, limit: number): Rendered {
  const { result } = render;
  if (!result) throw new Error('a render is ready without a result');
  if (result.bytes > limit) return tooLarge(render, limit);
  return {
    file: {
      name: presenter.fileName(render),
      contentType: result.contentType,
      kind: render.kind,
      description: presenter.fileDescription(render, job),
      size: result.bytes,
      ...(result.link !== undefined && { original: result.link }),
      open: () => spool.read(render.id),
    },
  };
}

function tooLarge(render: Render, limit: number): Rendered {
  const { bytes = 0, link } = render.result ?? {};
  return { tooLarge: { bytes, limit, ...(link !== undefined && { link }) } };
}

/** Waits between deliveries that the platform did not take, in milliseconds. */
const waits = { first: 5_000, longest: 300_000 };

/** What becomes of a render that could not be posted, and how long to wait before the next try, if there is one. */
export function afterFailedDelivery(
  render: Render,
  error: unknown,
): { readonly change: RenderChange; readonly wait?: number } {
  const kind = error instanceof OutletError ? error.kind : undefined;
  if (kind === 'gone') return { change: { state: 'failed', delivered: render.message } };
  if (render.state === 'ready' && error instanceof OutletError && error.kind !== 'unreachable') {
    const fault = {
      code: 'delivery',
      kind: error.kind,
      ...(error.detail && { detail: error.detail }),
    } as const;
    return { change: { state: 'failed', fault } };
  }
  const wait = Math.min(waits.longest, waits.first * 2 ** render.attempts);
  return { change: { attempts: render.attempts + 1 }, wait };
}
