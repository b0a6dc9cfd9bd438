import { appendFileSync, readFileSync } from 'node:fs';

/**
 * Seconds of processor that this process has used, and the processes that it started and saw end; those only where
 * there is a `/proc`.
 */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

/** Seconds of processor of the processes that this one started and saw end. */
export function childrenSeconds(): number {
  try {
    // Behind the name in parentheses: `cutime` and `cstime`, in hundredths of a second.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

/** What a test file has cost, in seconds. */
export interface FileTime {
  readonly file: string;
  readonly wall: number;
  readonly processor: number;
}

/** Counts what a test file costs, into the file that `TEST_TIMES` names; a worker runs one test file at a time. */
export function timeFile(file: string): () => void {
  const { TEST_TIMES } = process.env;
  if (!TEST_TIMES) return () => {};
  const [wall, processor] = [performance.now(), processorSeconds()];
  return () => {
    const time: FileTime = {
      file,
      wall: (performance.now() - wall) / 1000,
      processor: processorSeconds() - processor,
    };
    appendFileSync(TEST_TIMES, `${JSON.stringify(time)}\n`);
  };
}
