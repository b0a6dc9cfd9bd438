import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Deliveries } from '../../../../src/deliveries/index.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import { LocalFaults } from '../../../../src/lib/local-faults.ts';
import { askedIn, fileOf, type OutgoingFile } from '../../../../src/port/index.ts';
import { createJobs, createLiveAnswers, FolderFiles } from '../../../../src/store/index.ts';
import { type AnyCommand, defineCommand } from '../../../fakes/commands.ts';
import { unwatched } from '../../../fakes/unwatched.ts';
import type { Stage } from './stage.ts';

const description = { en: 'x', 'zh-CN': 'x' };

const wav = fileOf(Buffer.from('a clip'), {
  name: 'speech.wav',
  contentType: 'audio/wav',
  kind: 'audio',
  description: 'a cat',
});

/** A command that posts a clip as `/speak` does: with its reply, or by a delivery that continues after a restart. */
export class DeliveredClip {
  readonly #file: OutgoingFile;
  readonly #clock: Clock;
  readonly #mayGoOn = Promise.withResolvers<void>();
  readonly #brought = Promise.withResolvers<void>();
  #stage: Stage | undefined;
  #deliveries: Deliveries | undefined;
  #folder = '';
  readonly #whispers: boolean;
  #hasWhispered = false;

  /** `whispers`: it has a word for its requester alone first, as where a clip waits for its turn. */
  constructor(clock: Clock, file = wav, whispers = false) {
    this.#clock = clock;
    this.#file = file;
    this.#whispers = whispers;
  }

  /** Whether that word has been said. */
  get hasWhispered(): boolean {
    return this.#hasWhispered;
  }

  /** By the name that a mention gives. */
  get command(): AnyCommand {
    return defineCommand<{ prompt: { type: 'text'; required: true; description: typeof description } }>({
      name: 'ask',
      description,
      help: description,
      options: { prompt: { type: 'text', required: true, description } },
      textOption: 'prompt',
      seenBy: 'channel',
      run: async ({ reply, job }) => {
        if (this.#whispers) await reply.whisper({ text: 'In a moment' });
        this.#hasWhispered = this.#whispers;
        await this.#mayGoOn.promise;
        const files = [{ ...this.#file, id: job.id }];
        const message = { text: '> a cat', unquoted: 'A clip', files };
        await this.#deliveries?.deliver(job, message, () => reply.say(message));
        this.#brought.resolve();
      },
    });
  }

  /** Prepares what the command needs from its stage; returns what delivers its clip. */
  async on(stage: Stage): Promise<Deliveries> {
    this.#stage = stage;
    this.#folder = await mkdtemp(join(tmpdir(), 'troupe-clip-'));
    onTestFinished(() => rm(this.#folder, { recursive: true, force: true }));
    this.#deliveries = this.#create();
    return this.#deliveries;
  }

  /** Lets the command, which waits after its acknowledgement, post its clip. */
  goesOn(): void {
    this.#mayGoOn.resolve();
  }

  /** Resolves when the reply is done and nothing is left to deliver. */
  async delivered(): Promise<void> {
    await this.#brought.promise;
    await this.#stage?.discord.until('the delivery', () => this.#deliveries?.outstanding === 0);
  }

  /** Stops the bot while the clip is being posted; the next process continues after `meanwhile`. */
  async restart(meanwhile = () => {}): Promise<void> {
    await this.#deliveries?.close();
    await this.#brought.promise;
    await this.#stage?.restart();
    meanwhile();
    this.#deliveries = this.#create();
    await this.#deliveries.resume(await this.#deliveries.pendingIds());
  }

  #create(): Deliveries {
    const stage = this.#stage;
    if (!stage) throw new Error('there is no stage yet');
    return new Deliveries({
      database: stage.database,
      jobs: createJobs(stage.database),
      answers: createLiveAnswers(stage.database),
      adapters: () => stage.platform.adapter,
      files: new FolderFiles(this.#folder),
      convert: async () => undefined,
      asked: (job) => askedIn(job, undefined),
      troubles: new LocalFaults(),
      watch: unwatched(),
      clock: this.#clock,
      log: { info: () => {}, warn: () => {} },
    });
  }
}
