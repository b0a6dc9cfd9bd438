import type { Dependencies } from '../http/call.ts';
import { imageAgain } from '../operations/images.ts';
import { videoAgain } from '../operations/videos.ts';
import { type Accepted, render } from './render.ts';
import type { KeptTask } from './task-folder.ts';

const again = { image: imageAgain, video: videoAgain };

/**
 * Makes the tasks of a former process known again, finished ones with what was metered for them. Returns what
 * begins to make the unfinished ones anew.
 */
export function resume(dependencies: Dependencies, kept: readonly KeptTask[]): () => void {
  const unfinished: Accepted[] = [];
  for (const { key, task } of kept) {
    const account = dependencies.accounts.get(key);
    account.tasks.add(task);
    if (task.metered) account.meter.record(task.metered, task.metered.time);
    const { order } = task;
    if (!order) continue;
    try {
      unfinished.push({ account, task, order, rendering: again[task.kind](dependencies, order) });
    } catch (error) {
      // Accepted by rules that do not hold any more.
      dependencies.report(error);
      account.tasks.forget(task);
    }
  }
  return () => {
    for (const accepted of unfinished) void render(dependencies, accepted);
  };
}
