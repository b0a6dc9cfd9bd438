import type { Credits } from '../credits/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Troubles } from '../lib/local-faults.ts';
import type { Jobs, PlatformAdapters } from '../port/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { Database } from '../store/index.ts';
import type { RenderPresenters } from './result/presenter.ts';
import type { Spool } from './result/spool.ts';

/** What renders need of the rest of the bot. */
export interface RendersDependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly service: Pick<ServiceClient, 'images' | 'videos' | 'download'>;
  /** Has the credits reserved for each render before it began. */
  readonly credits: Pick<Credits, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  readonly spool: Spool;
  readonly troubles: Troubles;
  readonly clock: Clock;
  /** 0 to 1: spreads status queries; `Math.random` by default. */
  readonly random?: () => number;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
  };
}
