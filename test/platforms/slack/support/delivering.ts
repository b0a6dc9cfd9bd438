import { join } from 'node:path';
import { Deliveries } from '../../../../src/deliveries/index.ts';
import { outgoingOf } from '../../../../src/deliveries/late-delivery.ts';
import { LocalFaults } from '../../../../src/lib/local-faults.ts';
import {
  askedIn,
  climb,
  fileOf,
  type Job,
  type LiveAnswer,
  type Message,
} from '../../../../src/port/index.ts';
import { createJobs, createLiveAnswers, FolderFiles } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import type { Channel, FakePerson, Message as Posted } from '../../../fakes/slack/index.ts';
import { unwatched } from '../../../fakes/unwatched.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askButtons, type Stage, type StageOptions, startStage } from './stage.ts';

/** Nothing is waited for longer, in milliseconds of the test's time: a test that would wait for good fails. */
const longest = 60 * 60_000;

/** A clip as `/speak` gives it. */
export const clip: Message = {
  text: '> Good morning',
  files: [
    fileOf(new Uint8Array([1, 2, 3]), {
      name: 'speech.mp3',
      contentType: 'audio/mpeg',
      kind: 'voice',
      description: 'Good morning',
    }),
  ],
};

/** A stage with deliveries of finished answers and clips, through its real adapter and across restarts. */
export class Delivering {
  readonly stage: Stage;
  /** What it said, by level. */
  readonly log: { readonly detail: object; readonly message: string }[] = [];
  deliveries: Deliveries;
  readonly #folder: string;

  constructor(stage: Stage, folder: string) {
    this.stage = stage;
    this.#folder = folder;
    this.deliveries = this.#create();
  }

  /** Posts with files in a channel. */
  files(channel: Channel): Posted[] {
    return this.stage.posts(channel).filter((message) => message.files.length > 0);
  }

  /** Delivers a clip, or another message, that somebody requested in a channel. */
  async speak(person: FakePerson, channel: Channel, options: Job['options'] = {}, message = clip) {
    const job = await this.#request(person, channel, options);
    const { adapter } = this.stage.platform;
    void this.deliveries.deliver(job, message, () => adapter.post(job.address, message, `${job.id}:0`));
  }

  /** The same of a message that an earlier process finished. */
  async goOn(person: FakePerson, channel: Channel, message: Message) {
    const job = await this.#request(person, channel);
    await this.deliveries.deliverFinished(job, message, { messages: [], lastText: '' });
  }

  async #request(person: FakePerson, channel: Channel, options: Job['options'] = {}): Promise<Job> {
    const { stage } = this;
    const locale = person.user.locale === 'zh-CN' ? 'zh-CN' : 'en';
    const job: Job = {
      id: 'job1',
      command: 'speak',
      options: { text: 'Good morning', ...options },
      address: { platform: 'slack', workspace: stage.workspace.id, channel: channel.id },
      requester: {
        id: person.user.id,
        name: person.user.name,
        locale,
        administrator: false,
        moderator: false,
      },
      createdAt: stage.clock.now(),
    };
    await createJobs(stage.database).add(job, 'event');
    return job;
  }

  /** Passes time until nothing is kept any more: the disk takes its own, whatever the clock says. */
  async delivered(): Promise<void> {
    const begun = this.stage.clock.now();
    while ((await this.deliveries.pendingIds()).length > 0) {
      if (this.stage.clock.now() - begun > longest) throw new Error('not delivered within an hour');
      await this.stage.pass(1_000);
    }
  }

  /** The process dies, and another goes on; what happened in between is given. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    this.deliveries.stop();
    await this.stage.kill();
    await this.stage.pass(10_000);
    meanwhile();
    await this.stage.startBot();
    this.deliveries = this.#create();
    await this.deliveries.resume(await this.deliveries.pendingIds());
  }

  #create(): Deliveries {
    const { stage } = this;
    const note = (detail: object, message: string) => void this.log.push({ detail, message });
    return new Deliveries({
      database: stage.database,
      jobs: createJobs(stage.database),
      answers: createLiveAnswers(stage.database),
      adapters: () => stage.platform.adapter,
      files: new FolderFiles(join(this.#folder, 'spool')),
      convert: async () => undefined,
      asked: (job) => askedIn(job, undefined),
      troubles: new LocalFaults(),
      watch: unwatched(),
      clock: stage.clock,
      log: { info: note, warn: note },
    });
  }
}

/** Starts Slack, the bot in it, and what brings its results to people. */
export async function startDelivering(options: StageOptions = {}): Promise<Delivering> {
  const folder = await temporaryFolder();
  const delivering = new Delivering(await startStage({ ...options, onlyHere: true }), folder);
  endsWithTest(() => delivering.deliveries.stop());
  return delivering;
}

/** Brings what a job left behind, as a later process does. */
export async function bringLate(
  stage: Stage,
  job: Job,
  pending: Parameters<typeof outgoingOf>[0]['pending'],
): Promise<void> {
  const { adapter } = stage.platform;
  const convert = async () => undefined;
  await stage.done(climb(outgoingOf({ job, pending, convert, say: words('en'), adapter: () => adapter })));
}

/** An answer that a test writes itself. */
export interface OpenAnswer {
  readonly job: Job;
  readonly live: LiveAnswer;
}

/** The same, where `/ask` is answered by the test. */
export class Answering {
  readonly delivering: Delivering;
  readonly stage: Stage;
  readonly #asked: () => OpenAnswer | undefined;

  constructor(delivering: Delivering, asked: () => OpenAnswer | undefined) {
    this.delivering = delivering;
    this.stage = delivering.stage;
    this.#asked = asked;
  }

  /** The answer, as soon as somebody has asked. */
  async opened(): Promise<OpenAnswer> {
    await this.stage.until(() => this.#asked() !== undefined);
    return this.#asked() as OpenAnswer;
  }

  /** Ends the answer, as `/ask` does: what can't be shown now is brought later. */
  end({ job, live }: OpenAnswer): void {
    const message = { text: live.text, buttons: askButtons(job.id)({ kind: 'done' }) };
    void this.delivering.deliveries.deliver(job, message, () => live.finish({ kind: 'done' }));
  }
}

/** Starts the same with a `/ask` that leaves its answer to the test. */
export async function startAnswering(): Promise<Answering> {
  let asked: OpenAnswer | undefined;
  const delivering = await startDelivering({
    scripts: {
      ask: async ({ job, reply }) => {
        asked = { job, live: reply.stream({ buttons: askButtons(job.id) }) };
        await new Promise(() => {});
      },
    },
  });
  return new Answering(delivering, () => asked);
}
