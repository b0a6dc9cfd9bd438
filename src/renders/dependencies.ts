import type { Coordination } from '../coordination/index.ts';
import type { Credits } from '../credits/index.ts';
import type { CommandWatch } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Troubles } from '../lib/local-faults.ts';
import type { ButtonAmount, Job, Jobs, MessageAddress, PlatformAdapters } from '../port/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { BegunBefore, Database, FileStore } from '../store/index.ts';
import type { RenderPresenters } from './result/presenter.ts';

/** Dependencies of renders. */
export interface RendersDependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly service: Pick<ServiceClient, 'images' | 'videos' | 'download'>;
  /** Has the credits reserved for each render before it began. */
  readonly credits: Pick<Credits, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  /** Told of each message that's posted for a job. */
  readonly posted?: (job: Job, at: MessageAddress) => Promise<void>;
  /** Told of a message before the bot takes it away because the result takes its place. */
  readonly replaces?: (announcement: MessageAddress) => Promise<void>;
  /** Takes away what stands of a job that was deleted. */
  readonly takeAway?: (job: Job) => Promise<void>;
  /**
   * Closes a job's question, which was answered: what comes of the job may come into the same message.
   * @throws {PlatformError} `unreachable` as long as that can't be done.
   */
  readonly closeQuestionOf?: (job: Job) => Promise<void>;
  /** Told that the message in which a job's renders are shown was deleted. */
  readonly shownNoMore?: (job: Job) => Promise<void>;
  /** How many buttons stand under what was made where a job is; all if absent. */
  readonly buttonsAt?: (job: Job) => Promise<ButtonAmount>;
  readonly spool: FileStore;
  /** What a database that was restored may have lost of what was posted. */
  readonly begunBefore?: BegunBefore;
  /** Jobs that a person may have under way in a channel. */
  readonly mostPerPerson: number;
  readonly troubles: Troubles;
  /** Told how commands end whose renders went on, and in which steps. */
  readonly watch?: CommandWatch;
  readonly clock: Clock;
  /** With the other processes of the bot. */
  readonly coordination: Pick<Coordination, 'process' | 'locks' | 'signals'>;
  /** 0 to 1: spreads status queries; `Math.random` by default. */
  readonly random?: () => number;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
  };
}
