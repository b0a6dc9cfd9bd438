import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Deliveries } from '../../../src/deliveries/index.ts';
import { Spool } from '../../../src/renders/index.ts';
import { createJobs, createLiveAnswers } from '../../../src/store/index.ts';
import { TroublesUnderWay } from '../../../src/troubles.ts';
import { words } from '../../../src/words/index.ts';
import type { Stage } from './stage.ts';

/** What brings finished answers and clips to people, through the stage's real outlet; made anew for each process. */
export async function deliveriesOf(stage: Stage): Promise<() => Deliveries> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-slack-deliveries-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return () =>
    new Deliveries({
      database: stage.database,
      jobs: createJobs(stage.database),
      answers: createLiveAnswers(stage.database),
      outlets: () => stage.platform.outlet,
      files: new Spool(join(folder, 'spool')),
      convert: async () => undefined,
      words,
      troubles: new TroublesUnderWay(),
      clock: stage.clock,
      log: { info: () => {}, warn: () => {} },
    });
}
