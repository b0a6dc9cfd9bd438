import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of the whole bot in real time: they wait more than they compute. */
const waiting = /\/test\/(?:e2e|chaos|container|crash|soak)\//;

/**
 * Files that wait start first, so that at the end no core is idle while the last one waits. Before them come those that
 * have a process of their own: among the others, each of these would end the processes that the others share.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) =>
      project.config.isolate ? 0 : waiting.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
