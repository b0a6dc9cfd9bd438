import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { imagePresenter } from '../../../../src/app/presenters/image-presenter.ts';
import { videoPresenter } from '../../../../src/app/presenters/video-presenter.ts';
import { Deliveries } from '../../../../src/deliveries/index.ts';
import { LocalFaults } from '../../../../src/lib/local-faults.ts';
import {
  type Address,
  askedIn,
  fileOf,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
} from '../../../../src/port/index.ts';
import type { VideoRender } from '../../../../src/renders/index.ts';
import { deliver } from '../../../../src/renders/result/delivery.ts';
import { presentationOf } from '../../../../src/renders/result/presenter.ts';
import { createJobs, createLiveAnswers, FolderFiles } from '../../../../src/store/index.ts';
import { sampleStudio } from '../../../e2e/support/sample-studio.ts';
import type { FakeClock } from '../../../fakes/clock.ts';
import { unwatched } from '../../../fakes/unwatched.ts';
import type { Stage } from './stage.ts';

/** What a process delivers while the bot may be stopped at any moment. */
export type Thing = 'a clip' | 'a voice message' | 'an answer' | 'a long answer' | 'a film';

/** An answer that fits one message. */
const shortAnswer = 'The tides follow the moon.';
/** An answer that takes several messages. */
export const longAnswer = Array.from({ length: 700 }, (_, index) => `tides${index}`).join(' ');

const film = Buffer.from('a film');

async function messageOf(thing: Thing): Promise<Message> {
  if (thing === 'an answer') return { text: shortAnswer };
  if (thing === 'a long answer') return { text: longAnswer };
  const text = '> Good morning';
  if (thing === 'a clip') {
    const about = { name: 'speech.wav', contentType: 'audio/wav', kind: 'audio', description: 'a' } as const;
    return { text, files: [{ ...fileOf(Buffer.from('a clip'), about), id: 'job1' }] };
  }
  const voice = 'en_male_tim_uranus_bigtts';
  const order = { text: 'Good morning.', voice, format: 'ogg', speed: 1 } as const;
  const { bytes } = await sampleStudio.speak(order);
  const about = { name: 'speech.ogg', contentType: 'audio/ogg', kind: 'voice', description: 'a' } as const;
  return { text, files: [{ ...fileOf(bytes, about), id: 'job1' }] };
}

/** A process that delivers a result; it dies, and another one continues. */
export class LateProcess {
  readonly #stage: Stage;
  readonly #clock: FakeClock;
  readonly #thing: Thing;
  readonly #job: Job;
  readonly #folder: string;
  readonly #progress: MessageAddress;
  #stop = new AbortController();
  #deliveries: Deliveries | undefined;
  #isFilmThere = false;
  readonly #warnings: string[] = [];
  readonly #log = {
    info: () => {},
    warn: (_: object, message: string) => void this.#warnings.push(message),
  };

  private constructor(
    stage: Stage,
    clock: FakeClock,
    thing: Thing,
    rest: { job: Job; folder: string; progress: MessageAddress },
  ) {
    this.#stage = stage;
    this.#clock = clock;
    this.#thing = thing;
    this.#job = rest.job;
    this.#folder = rest.folder;
    this.#progress = rest.progress;
  }

  /** Prepares a finished result for an address. */
  static async prepare(stage: Stage, clock: FakeClock, thing: Thing, address: Address): Promise<LateProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-late-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const requester = {
      id: stage.ada.user.id,
      name: 'ada',
      locale: 'en',
      administrator: false,
      moderator: false,
    } as const;
    const options = { prompt: 'a cat', text: 'Good morning' };
    const given = { id: 'job1', command: 'ask', options, address, requester, createdAt: clock.now() };
    const jobs = createJobs(stage.database);
    await jobs.add(given, stage.discord.world.ids.next());
    const job = await jobs.find(given.id);
    if (!job) throw new Error('there is no job');
    const progress = await stage.platform.adapter.post(address, { text: 'at work' }, 'progress');
    return new LateProcess(stage, clock, thing, { job, folder, progress });
  }

  /** Starts the delivery; `diesAfterPost`: the process does nothing after its first post. */
  async begin({ diesAfterPost = false } = {}): Promise<void> {
    const { adapter } = this.#stage.platform;
    const running = diesAfterPost ? stuckAfterPost(adapter) : adapter;
    if (this.#thing === 'a film') {
      await new FolderFiles(this.#folder).write('job1', Readable.from([film]));
      return this.#bringFilm(running);
    }
    this.#deliveries = this.#create(running);
    const message = await messageOf(this.#thing);
    await this.#deliveries.deliverFinished(this.#job, message, { messages: [], lastText: '' });
  }

  /** The process dies; another one continues after `meanwhile`, until it's done. */
  async restart(meanwhile: () => void): Promise<void> {
    const { discord } = this.#stage;
    this.#stop.abort(new Error('dead'));
    this.#deliveries?.stop();
    meanwhile();
    await this.#stage.restart();
    this.#stop = new AbortController();
    const { adapter } = this.#stage.platform;
    if (this.#thing === 'a film') {
      this.#bringFilm(adapter);
      return void (await discord.until('the film', () => this.#isFilmThere));
    }
    const deliveries = this.#create(adapter);
    await deliveries.resume(await deliveries.pendingIds());
    await discord.until('the delivery', () => deliveries.outstanding === 0);
  }

  /** The process lives, and repeats what failed until it works. */
  async triesAgain(): Promise<void> {
    const { discord } = this.#stage;
    await discord.until('the wait', () => this.#warnings.includes('a result could not be posted yet'));
    await this.#clock.advance(5_000);
    await discord.until('the delivery', () => this.#deliveries?.outstanding === 0);
  }

  #bringFilm(adapter: PlatformAdapter): void {
    const render: VideoRender = {
      id: 'job1',
      job: 'job1',
      part: 1,
      parts: 1,
      kind: 'video',
      state: 'ready',
      seed: undefined,
      conversationId: 'conversation',
      message: this.#progress,
      taskId: 'task1',
      result: { contentType: 'video/mp4', bytes: film.length },
      fault: undefined,
      delivered: undefined,
      createdAt: this.#clock.now(),
      waited: 0,
      unanswered: 0,
      attempts: 0,
      isInHand: true,
    };
    const { signal } = this.#stop;
    void deliver({
      deleted: async () => undefined,
      renders: [render],
      job: this.#job,
      adapters: () => adapter,
      presentation: presentationOf(
        { image: imagePresenter(() => adapter), video: videoPresenter(() => adapter) },
        [render],
        this.#job,
      ),
      spool: new FolderFiles(this.#folder),
      clock: this.#clock,
      signal,
      troubles: new LocalFaults(),
      log: this.#log,
    }).then(
      () => {
        this.#isFilmThere = !signal.aborted;
      },
      () => {},
    );
  }

  #create(adapter: PlatformAdapter): Deliveries {
    const { database } = this.#stage;
    return new Deliveries({
      database,
      jobs: createJobs(database),
      answers: createLiveAnswers(database),
      adapters: () => adapter,
      files: new FolderFiles(this.#folder),
      convert: async () => undefined,
      asked: (job) => askedIn(job, undefined),
      troubles: new LocalFaults(),
      watch: unwatched(),
      clock: this.#clock,
      log: this.#log,
    });
  }
}

/** An adapter whose posts never return. */
function stuckAfterPost(adapter: PlatformAdapter): PlatformAdapter {
  const post: PlatformAdapter['post'] = async (...args) => {
    await adapter.post(...args);
    return new Promise<never>(() => {});
  };
  return new Proxy(adapter, {
    get: (target, name) => {
      if (name === 'post') return post;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
