import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of the whole bot in real time: they wait more than they compute. */
const waiting = /\/test\/(?:e2e|chaos|container|crash|soak)\//;

/** Files that wait start first, so that at the end no core is idle while the last one waits. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification) => waiting.test(moduleId);
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}
