import {
  type Address,
  BasicAdapter,
  bytesOf,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
} from '../../../src/port/index.ts';
import type { Render, RenderPresenter, RendersDependencies } from '../../../src/renders/index.ts';
import type { CallOptions, MediaResult, TaskStatus } from '../../../src/service/index.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import { doorsBy } from '../../fakes/doors.ts';

export const address = { platform: 'console', workspace: 'w', channel: 'c' } as const;
export const progressMessage: MessageAddress = { ...address, message: 'progress' };
export const running = (progress?: number): TaskStatus => ({ state: 'running', results: [], progress });
export const link = 'https://results.example/1.mp4';
export const ready: TaskStatus = { state: 'ready', results: [{ kind: 'url', url: link }] };
/** A service whose answers a test lists; it counts what it was asked. */
export class ScriptedService {
  /** Whose key it's asked with. */
  account = 'ours';
  submits = 0;
  polls: number[] = [];
  asked: string[] = [];
  downloads = 0;
  submit: () => Promise<{ id: string | undefined; status: TaskStatus; requestId: undefined }> = async () => ({
    id: 'task1',
    status: { state: 'waiting', results: [] },
    requestId: undefined,
  });
  /** The key's limits; nobody waits by default. */
  queue: (options: CallOptions) => Promise<void> = async () => {};
  statuses: (TaskStatus | Error)[] = [];
  /** Answers every query, instead of what's listed. */
  answer: (() => Promise<TaskStatus>) | undefined;
  download_: (address: string) => Promise<Uint8Array> = async () => new Uint8Array([1, 2, 3]);
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  /** Who asks for their turn waits until it's opened. */
  holdQueue(): { readonly came: Promise<void>; open(): void } {
    const [came, turn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.queue = () => {
      came.resolve();
      return turn.promise;
    };
    return { came: came.promise, open: turn.resolve };
  }

  /** What's sent is answered once the result is called. */
  holdSubmits(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { submit } = this;
    this.submit = () => promise.then(submit);
    return resolve;
  }

  get dependencies(): RendersDependencies['service'] {
    const tasks = {
      submit: async (_: object, options: CallOptions = {}) => {
        await this.queue(options);
        await options.beforeSending?.();
        this.submits++;
        return this.submit();
      },
      status: async (id: string) => {
        this.polls.push(this.#clock.now());
        this.asked.push(id);
        if (this.answer) return this.answer();
        const next = this.statuses.length > 1 ? this.statuses.shift() : this.statuses[0];
        if (next instanceof Error) throw next;
        return next ?? running();
      },
    };
    const download = async (source: MediaResult) => {
      this.downloads++;
      const address = source.kind === 'url' ? source.url : '';
      const bytes = await this.download_(address);
      return {
        contentType: address.endsWith('.jpg') ? 'image/jpeg' : 'video/mp4',
        length: bytes.length,
        cancel: () => {},
        stream: (async function* () {
          yield bytes;
        })(),
      };
    };
    const { account } = this;
    return { account, images: tasks, videos: tasks, download } as unknown as RendersDependencies['service'];
  }
}

/** A place that keeps what is posted, and refuses when told to. */
export class Place extends BasicAdapter implements PlatformAdapter {
  readonly platform = 'console';
  readonly posts = new Map<string, Message>();
  readonly shown: string[] = [];
  readonly edited: MessageAddress[] = [];
  readonly files: number[][] = [];
  refusals: Error[] = [];
  /** Refuses what this answers an error for. */
  refuses: (message: Message, key: string) => Error | undefined = () => undefined;
  tried: string[] = [];
  limit = 1_000;

  override doors(job: Job) {
    return doorsBy(this, job);
  }
  async post(at: Address, message: Message, key: string): Promise<MessageAddress> {
    this.tried.push(key);
    const refusal = this.refusals.shift() ?? this.refuses(message, key);
    if (refusal) throw refusal;
    this.posts.set(key, message);
    for (const file of message.files ?? []) this.files.push([...(await bytesOf(file))]);
    return { ...at, message: key };
  }
  complete(_: MessageAddress, message: Message, key: string) {
    return this.post(address, message, key);
  }
  edit: PlatformAdapter['edit'] = async (at, { text }) => {
    this.edited.push(at);
    this.shown.push(text ?? '');
  };
  async remove() {}
  async openThread() {
    return address;
  }
  async directMessages(): Promise<Address> {
    return address;
  }
  async maxFileBytes() {
    return this.limit;
  }
  async attachments() {
    return [];
  }
  async readFile() {
    return new Uint8Array();
  }
}

export const presenter: RenderPresenter<Render> = ([render]) => ({
  elsewhere: ({ seenBy }) => ({ text: `elsewhere, for the ${seenBy}` }),
  fileName: () => 'video.mp4',
  isShownBy: (files) => files.length > 0,
  before: () => undefined,
  progress: ({ elapsed, fraction, late }) => ({ text: late ? 'late' : `${elapsed} ${fraction ?? '-'}` }),
  ready: (rendered, { plain } = {}) => {
    const buttons = plain ? {} : { buttons: [{ id: 'video.remove:job1', label: 'Delete' }] };
    const message = () => {
      if ('files' in rendered) return { text: 'here', files: rendered.files };
      if ('elsewhere' in rendered) return { text: 'elsewhere', link: rendered.elsewhere.links.join(' ') };
      return { text: 'too large', link: rendered.tooLarge.links.join(' ') };
    };
    return { as: 'post', message: { ...message(), ...buttons }, before: { text: 'made' } };
  },
  ended: ({ plain } = {}) => ({
    as: 'complete',
    message: { text: `${plain ? 'plain ' : ''}${render.state} ${render.fault?.code ?? ''}`.trim() },
  }),
});
