import { type Job, PlatformError } from '../../port/index.ts';
import type { Render } from '../render.ts';
import { presentationOf } from '../result/presenter.ts';
import type { LifecycleContext } from './lifecycle-context.ts';

/** How long before its message closes a private render moves, in milliseconds; it's looked at more often than that. */
const ahead = 60_000;

/**
 * A render whose message can't be changed for much longer goes on in its requester's direct messages, while its message
 * can still say so. If those are closed, its message says where the result can be fetched.
 */
export async function movedBeforeClosing(
  context: LifecycleContext,
  render: Render,
  job: Job,
): Promise<Render> {
  const { dependencies, pending } = context;
  const { adapters, clock, presenters, store, log } = dependencies;
  const adapter = adapters(render.message.platform);
  const closesAt = adapter?.closesAt(render.message);
  if (!adapter || closesAt === undefined || clock.now() < closesAt - ahead || pending.isStuck) return render;
  const presentation = presentationOf(presenters, [render], job);
  const elapsed = Math.max(render.waited, clock.now() - render.createdAt);
  const say = (text: string) =>
    adapter.edit(render.message, { text }).catch((error: unknown) => {
      log.warn({ render: render.id, error }, "couldn't say where a private render goes on");
    });
  const { goesOn, isKept } = presentation.movesDirectly();
  try {
    const direct = await adapter.directMessages(job.address.workspace, job.requester.id, job.address);
    const content = presentation.progress({ elapsed, made: 0, isQueued: false });
    const message = await adapter.post(direct, content, `${job.id}:moved`);
    // Those that have ended, too: the first one's message is where all of them are posted.
    await store.move(render.job, message, render.id);
    await say(goesOn);
    return { ...render, message };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn({ render: render.id, error }, "a private render can't go on in direct messages");
    // What is unreachable now may be reachable at the next look.
    if (error.kind !== 'unreachable') {
      pending.isStuck = true;
      await say(isKept);
    }
    return render;
  }
}
