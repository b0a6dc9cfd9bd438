import { endsWithRequester, type Job, type MessageAddress, type PlatformAdapters } from '../port/index.ts';
import type { RendersDependencies } from './dependencies.ts';
import { hasEnded, isMade, type Render, type RenderKind } from './render.ts';

/** A render in progress. */
export interface RenderUnderWay {
  readonly kind: RenderKind;
  /** Its job's id. */
  readonly id: string;
  readonly job: Job | undefined;
  /** The message that shows its progress. */
  readonly message: MessageAddress;
  /** It waits for its turn and hasn't been sent: it can be canceled. */
  readonly isQueued: boolean;
  /** It's ready and only its requester can be reached, but couldn't be: they can fetch it. */
  readonly isHeld: boolean;
  /** Milliseconds since it was begun. */
  readonly elapsed: number;
}

/** The jobs whose renders these are, each once, as people see them. */
export function underWay(
  renders: readonly Render[],
  { jobs, clock, adapters }: Pick<RendersDependencies, 'jobs' | 'clock' | 'adapters'>,
): Promise<readonly RenderUnderWay[]> {
  const now = clock.now();
  const ofJobs = [...Map.groupBy(renders, ({ job }) => job).entries()];
  return Promise.all(
    ofJobs.map(async ([id, ofJob]) => {
      const job = await jobs.find(id);
      const { kind, createdAt, message } = ofJob[0] as Render;
      const isQueued = ofJob.some(({ state }) => state === 'reserved');
      const isHeld = job !== undefined && isHeldFor(job, ofJob, adapters);
      return { kind, id, job, message, isQueued, isHeld, elapsed: Math.max(0, now - createdAt) };
    }),
  );
}

/** Whether a job's renders whose end isn't posted have ended, and only its requester can get what was made. */
export function isHeldFor(job: Job, renders: readonly Render[], adapters: PlatformAdapters): boolean {
  const isKept = endsWithRequester(job, adapters(job.address.platform));
  return isKept && renders.every(hasEnded) && renders.some(isMade);
}

/** A person has as many renders under way in a channel as they may: nothing was begun, and nothing was spent. */
export class TooManyRendersError extends Error {
  override name = 'TooManyRendersError';
  /** How many they may have. */
  readonly most: number;

  constructor(most: number) {
    super(`${most} renders are under way`);
    this.most = most;
  }
}
