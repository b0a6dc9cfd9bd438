import type { Dependencies } from '../http/call.ts';
import { resumeImage } from '../operations/images.ts';
import { resumeVideo } from '../operations/videos.ts';
import { type AcceptedTask, render } from './render.ts';
import type { StoredTask } from './task-folder.ts';

const renderings = { image: resumeImage, video: resumeVideo };

/**
 * Restores the tasks of an earlier process, with their cost. The returned function starts the unfinished ones
 * again.
 */
export function resume(dependencies: Dependencies, kept: readonly StoredTask[]): () => void {
  const unfinished: AcceptedTask[] = [];
  for (const { key, task } of kept) {
    const account = dependencies.accounts.get(key);
    account.tasks.add(task);
    if (task.metered) account.meter.record(task.metered, task.metered.time);
    const { order } = task;
    if (!order) continue;
    try {
      unfinished.push({ account, task, order, rendering: renderings[task.kind](dependencies, order) });
    } catch (error) {
      // It was accepted by an earlier version with other rules.
      dependencies.report(error);
      account.tasks.forget(task);
    }
  }
  return () => {
    for (const accepted of unfinished) void render(dependencies, accepted);
  };
}
