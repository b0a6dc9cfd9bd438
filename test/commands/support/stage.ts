import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KyselyPlugin, sql } from 'kysely';
import { pino } from 'pino';
import { commands } from '../../../commands/index.ts';
import { type Bot, type BotDependencies, createBot } from '../../../src/app/bot.ts';
import { startUp } from '../../../src/app/start-up.ts';
import { alone } from '../../../src/coordination/index.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { type LabelsOf, type Meter, noTracer } from '../../../src/lib/telemetry.ts';
import {
  type Address,
  type AnyValues,
  type Button,
  bytesOf,
  type CommandRequest,
  fileOf,
  type Job,
  type MeantCommand,
  type Message,
  type MessageAddress,
  type Operator,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PlatformName,
  type PreparedRequest,
  type RawValues,
  type Reply,
  type RewriteOptions,
  type StreamOptions,
  type ThreadsAt,
} from '../../../src/port/index.ts';
import { LiveReply, Pacer, RetryableWriteError } from '../../../src/reply/index.ts';
import {
  type Behavior,
  createSandbox,
  type ListeningSandbox,
  type Studio,
} from '../../../src/sandbox/index.ts';
import { type RateWindows, ServiceClient } from '../../../src/service/index.ts';
import { type Database, type FileStores, folderFiles, Processes } from '../../../src/store/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { adapterWith } from '../../fakes/adapter.ts';
import { botSettings } from '../../fakes/bot-settings.ts';
import { passUntil } from '../../fakes/calm.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { openMigrated } from '../../fakes/database.ts';
import { doorsBy } from '../../fakes/doors.ts';
import { here, personCalled, rendersUnderWay } from '../../fakes/records.ts';
import { changeSandbox, meterOf } from '../../fakes/sandbox.ts';

export { here, personCalled };
export const ann = personCalled('ann');
export const admin = personCalled('admin', { administrator: true, moderator: true });

/** The direct messages of somebody with the bot: as on Discord, a workspace of their own. */
export function directWith(person: string): Address {
  return { platform: 'console', workspace: `direct ${person}`, channel: `direct ${person}` };
}

/** What stands in the place: what it shows now, and who sees it. */
export interface Standing {
  readonly id: string;
  readonly address: Address;
  message: Message;
  readonly seenBy: 'channel' | 'requester';
}

export interface StageOptions {
  readonly settings?: Partial<BotDependencies['settings']>;
  readonly sandbox?: Partial<Behavior>;
  /** The key of the service; another than the sandbox's own where given. */
  readonly key?: string;
  readonly windows?: (clock: Clock) => RateWindows;
  /** Keeps the database in a file, so that another process can go on with it. */
  readonly crashes?: true;
  /** Whether results take the place of their announcements as new messages. */
  readonly completesAnew?: true;
  /** Whether *Regenerate* writes in the same message. */
  readonly rewrites?: true;
  /** Asked about what people give. */
  readonly moderation?: BotDependencies['moderation'];
  /** Sees every query. */
  readonly plugin?: KyselyPlugin;
}

const sounds = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  vorbis: 'audio/ogg',
} as const;

/** Draws and films nothing worth looking at, and speaks half a second of silence for each character. */
export const quickStudio: Studio = {
  speak: async ({ text, format }) => {
    const seconds = text.length / 2;
    const bytes = format === 'mp3' ? silentMp3(seconds) : silence(seconds);
    return { bytes, contentType: sounds[format], seconds };
  },
  draw: async () => Buffer.from('iVBORw0KGgo=', 'base64'),
  film: async () => Buffer.from('AAAAGGZ0eXBpc29tAAAAAGlzb21pc28y', 'base64'),
  close: () => {},
};

/** A platform reads a file when it is posted, not later. */
async function taken(message: Message): Promise<Message> {
  if (!message.files) return message;
  const files = message.files.map(async (file) => fileOf(await bytesOf(file), file));
  return { ...message, files: await Promise.all(files) };
}

/** An MP3 file at 8 kHz whose Info frame says how many samples there are, and how many count; the rest is nothing. */
function silentMp3(seconds: number): Uint8Array {
  const samples = Math.round(seconds * 8_000);
  const frames = Math.ceil(samples / 576);
  const bytes = Buffer.alloc(72 * (frames + 1));
  bytes.writeUInt32BE(0xff_e3_18_c0, 0);
  bytes.write('Info', 13);
  bytes.writeUInt32BE(1, 17);
  bytes.writeUInt32BE(frames, 21);
  bytes.write('LAME', 25);
  bytes.writeUIntBE(frames * 576 - samples, 25 + 21, 3);
  return bytes;
}

/** A WAV file at 8 kHz, 8 bits. */
function silence(seconds: number): Uint8Array {
  const samples = Math.round(seconds * 8_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

/** The whole bot without a platform: a place that keeps what is said, the sandbox behind it, time by hand. */
export class Stage {
  readonly clock: FakeClock;
  readonly standing: Standing[] = [];
  readonly sandbox: ListeningSandbox;
  readonly files: FileStores;
  database: Database;
  service: ServiceClient;
  bot: Bot;
  coordination = alone();
  readonly #folder: string;
  readonly #options: StageOptions;
  #events = 0;
  #processes = 0;
  /** What the bot logged as an error. */
  readonly errors: string[] = [];
  /** What metrics are told: commands that have ended, how, and why. */
  readonly ended: string[] = [];
  /** Everything else they count, and how often or how much. */
  readonly counted: string[] = [];
  /** What they time. */
  readonly observed: string[] = [];
  /** Who runs the bot by what the platform says. */
  owners: readonly Operator[] = [{ platform: 'console', workspace: '', person: 'owner' }];
  /** People who can't write in any place any more. */
  readonly absent = new Set<string>();
  /** The platform does not take what this answers an error for. */
  refuses: (message: Message) => Error | undefined = () => undefined;
  /** Whether threads can be opened in channels. */
  threads: ThreadsAt = { kind: 'possible' };
  /** Why messages can't be removed. */
  keepsMessages: PlatformErrorKind | undefined;
  /** Messages that somebody deleted, as the platform says when they're edited. */
  readonly deleted = new Set<string>();
  /** Called when a result takes the place of its announcement. */
  completing: (message: MessageAddress) => Promise<void> = async () => {};
  /** Called while the last words of an answer are written. */
  ending: (message: string) => Promise<void> = async () => {};
  /** Called before a button gets another label. */
  relabels = async () => {};
  /** Messages that were removed. */
  readonly removed: string[] = [];
  /** Threads can't be opened right now. */
  refusesThreads = false;
  /** The messages under which threads for a conversation were opened. */
  readonly ownThreads: string[] = [];
  /** Resolves once the place says who administers it. */
  knowsAdministrators = Promise.resolve();
  /** Whether private messages can be changed, as they cannot everywhere. */
  privateEdits = true;
  /** Another object for each process. */
  #life = {};

  private constructor(
    parts: { clock: FakeClock; database: Database; sandbox: ListeningSandbox; folder: string },
    options: StageOptions,
  ) {
    this.clock = parts.clock;
    this.database = parts.database;
    this.sandbox = parts.sandbox;
    this.#folder = parts.folder;
    this.files = folderFiles(parts.folder);
    this.#options = options;
    this.service = this.#startService();
    this.bot = this.#startBot();
  }

  #startService(): ServiceClient {
    const { clock, sandbox } = this;
    const { key = sandbox.key, windows } = this.#options;
    return new ServiceClient({
      baseUrl: sandbox.url,
      apiKey: key,
      clock,
      ...(windows && { windows: windows(clock) }),
    });
  }

  /** What a dead process would still count is lost with it. */
  #meter(): Meter {
    this.#processes += 1;
    const own = this.#processes;
    return {
      count: (name, labels, by = 1) => {
        if (own !== this.#processes) return;
        if (name === 'troupe_commands_total') {
          const { command, outcome, reason } = labels as LabelsOf<'troupe_commands_total'>;
          this.ended.push([command, outcome, reason].filter(Boolean).join(' '));
        } else this.counted.push([name, ...Object.values(labels), by].join(' '));
      },
      observe: (name) => void this.observed.push(name),
    };
  }

  #startBot(): Bot {
    const { clock, database, service } = this;
    const bot = createBot({
      commands,
      database,
      coordination: this.coordination,
      service,
      clock,
      log: pino({ level: 'error' }, { write: (line) => void this.errors.push(line) }),
      files: this.files,
      ...(this.#options.moderation && { moderation: this.#options.moderation }),
      telemetry: { tracer: noTracer, meter: this.#meter() },
      settings: { ...botSettings, ...this.#options.settings },
    });
    bot.addPlatform({ adapter: this.adapter(), operators: async () => this.owners });
    return bot;
  }

  /**
   * The process dies: from this moment on nothing of it reaches the database or the place, and its connections are cut. A
   * new one takes over what it left.
   */
  async crash(): Promise<void> {
    this.#processes += 1;
    this.#life = {};
    await this.database.destroy();
    await this.service.close();
    this.database = await openMigrated(this.#databaseUrl);
    this.service = this.#startService();
    this.coordination = alone();
    this.bot = this.#startBot();
    await startUp({
      bot: this.bot,
      processes: new Processes(this.database),
      coordination: this.coordination,
      configured: new Map([['console', 'all']]),
      platforms: () => [],
      startReceiving: async () => {},
      takenForDead: () => {},
      stopping: new AbortController().signal,
      clock: this.clock,
      log: pino({ level: 'silent' }),
    });
  }

  get #databaseUrl(): string {
    return `sqlite:${join(this.#folder, 'troupe.db')}`;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-commands-'));
    const clock = new FakeClock(Date.UTC(2026, 10, 20, 12));
    const sandbox = await createSandbox({
      clock,
      media: quickStudio,
      pace: 'instant',
      renderTime: 0,
      limits: 'off',
      ...options.sandbox,
    }).listen();
    const database = await openMigrated(
      options.crashes ? `sqlite:${join(folder, 'troupe.db')}` : 'sqlite::memory:',
    );
    const watched = options.plugin ? database.withPlugin(options.plugin) : database;
    const stage = new Stage({ clock, database: watched, sandbox, folder }, options);
    endsWithTest(() => stage.#close());
    return stage;
  }

  async #close(): Promise<void> {
    const closing = this.bot.close();
    await this.until(() => false, closing);
    await this.service.close();
    await this.sandbox.close();
    await this.database.destroy();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Gives a command and waits for its answer; renders go on by themselves. */
  async give(
    command: string,
    options: RawValues = {},
    requester = ann,
    address = here,
    added?: AnyValues,
    instead?: MeantCommand,
  ): Promise<PreparedRequest> {
    const request: CommandRequest = {
      eventId: `event${++this.#events}`,
      command,
      options,
      address,
      requester,
      ...(added && { added }),
      ...(instead && { instead }),
    };
    return this.#carryOut(await this.bot.dispatcher.prepare(request), address);
  }

  /** Gives a command, and waits until what is made by it has ended, too. */
  async make(...how: Parameters<Stage['give']>): Promise<void> {
    await this.give(...how);
    await this.rendersEnded();
  }

  /** Submits a form that was opened from a message. */
  async submit(
    command: string,
    draft: string | undefined,
    options: RawValues = {},
    requester = ann,
  ): Promise<PreparedRequest> {
    if (draft === undefined) throw new Error('no draft');
    const request = { eventId: `event${++this.#events}`, command, options, address: here, requester, draft };
    return this.#carryOut(await this.bot.dispatcher.prepare(request), here);
  }

  /** Presses the button with this label, of the latest message that has it. */
  async press(label: string, requester = ann, values?: RawValues): Promise<PreparedRequest> {
    const has = (button: Button) => button.label === label;
    const found = this.standing.findLast(({ message }) => message.buttons?.some(has));
    if (!found) throw new Error(`no button ${label}`);
    return this.pressOn(found, label, requester, values);
  }

  /** The id of the button with this label under a message. */
  buttonId(label: string, on = this.latest): string {
    const button = on.message.buttons?.find((one) => one.label === label);
    if (!button) throw new Error(`no button ${label}`);
    return button.id;
  }

  /** Presses the button with this label under this message; `text` where the platform sends that along. */
  pressOn(on: Standing | undefined, label: string, requester = ann, values?: RawValues, text?: string) {
    if (!on) throw new Error('no such message');
    return this.pressId(this.buttonId(label, on), on, requester, values, text);
  }

  async pressId(
    actionId: string,
    on: Standing,
    requester = ann,
    values?: RawValues,
    text?: string,
  ): Promise<PreparedRequest> {
    const message = { ...on.address, message: on.id };
    const prepared = await this.bot.dispatcher.preparePress({
      eventId: `event${++this.#events}`,
      actionId,
      address: on.address,
      message,
      requester,
      ...(values && { values }),
      ...(text !== undefined && { text }),
    });
    return this.#carryOut(prepared, on.address);
  }

  /** What stands there, newest first. */
  get latest(): Standing {
    const latest = this.standing.at(-1);
    if (!latest) throw new Error('nothing was said');
    return latest;
  }

  get text(): string {
    return this.latest.message.text ?? '';
  }

  get buttons(): readonly string[] {
    return this.latest.message.buttons?.map(({ label }) => label) ?? [];
  }

  async file(index = 0): Promise<Uint8Array> {
    const file = this.latest.message.files?.[index];
    if (!file) throw new Error('no such file');
    return bytesOf(file);
  }

  /** Lets time go by, from timer to timer, until something is so, or something else has ended. */
  async until(isSo: () => boolean | Promise<boolean>, ended: Promise<unknown> = new Promise(() => {})) {
    let over = false;
    ended.then(
      () => (over = true),
      () => (over = true),
    );
    const isOver = async () => over || (await isSo());
    if (!(await passUntil(this.clock, isOver))) throw new Error('it never was so');
  }

  rendersEnded(): Promise<void> {
    return this.until(async () => (await this.rendersUnderWay()) === 0);
  }

  rendersUnderWay(): Promise<number> {
    return rendersUnderWay(this.database, this.coordination.process);
  }

  deliveriesEnded(): Promise<void> {
    return this.until(() => this.bot.deliveries.outstanding === 0);
  }

  ledger() {
    return this.database
      .selectFrom('ledger')
      .selectAll()
      .orderBy(sql`rowid`)
      .execute();
  }

  async ledgerStates(): Promise<readonly string[]> {
    return (await this.ledger()).map(({ state }) => state);
  }

  async renderStates(): Promise<readonly string[]> {
    const rows = await this.database.selectFrom('renders').select('state').execute();
    return rows.map(({ state }) => state);
  }

  async jobStates(): Promise<readonly string[]> {
    const rows = await this.database.selectFrom('jobs').select('state').execute();
    return rows.map(({ state }) => state);
  }

  /** From now on the platform does this otherwise; nobody runs the bot. */
  platformWith(changed: Partial<PlatformAdapter>): void {
    this.bot.addPlatform({ adapter: { ...this.adapter(), ...changed }, operators: async () => [] });
  }

  /** Waits until a message, the first one unless another is named, has some words. */
  untilWritten(one = () => this.standing[0]): Promise<void> {
    return this.until(() => (one()?.message.text?.length ?? 0) > 30);
  }

  control(change: object): Promise<void> {
    return changeSandbox(this.sandbox, change);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into the report
  meter(): Promise<any> {
    return meterOf(this.sandbox);
  }

  async #carryOut(prepared: PreparedRequest, address: Address): Promise<PreparedRequest> {
    if (prepared.kind !== 'accepted') return prepared;
    const running = prepared.run(this.#reply(address, prepared.seenBy));
    await this.until(() => false, running);
    await running;
    return prepared;
  }

  #say(address: Address, message: Message, seenBy: Standing['seenBy']): MessageAddress {
    const refusal = this.refuses(message);
    if (refusal) throw refusal;
    const id = `m${this.standing.length}`;
    this.standing.push({ id, address, message, seenBy });
    return { ...address, message: id };
  }

  /** What a process does from now on, as long as it lives. */
  #alive(): () => Promise<void> {
    const life = this.#life;
    return async () => {
      if (this.#life !== life) await new Promise(() => {});
    };
  }

  #reply(address: Address, seenBy: 'channel' | 'requester' | 'nobody'): Reply {
    const to = seenBy === 'channel' ? 'channel' : 'requester';
    const alive = this.#alive();
    const stream = ({ buttons, onProgress, onRefused }: StreamOptions, into?: MessageAddress) =>
      new LiveReply<MessageAddress>({
        sink: {
          maxLength: 4_000,
          post: async (text, { phase, ending }) => {
            await alive();
            this.#mayBeAway({ text });
            const message = { text, buttons: buttons(phase === 'ended' ? ending : undefined) };
            if (!into) return this.#say(address, message, to);
            this.#at(into.message).message = message;
            return into;
          },
          edit: async ({ message }, text, { phase, ending }) => {
            await alive();
            this.#mayBeAway({ text });
            if (phase === 'ended') await this.ending(message);
            this.#at(message).message = { text, buttons: buttons(phase === 'ended' ? ending : undefined) };
          },
        },
        pacer: new Pacer(this.clock, { limit: 100, window: 1_000 }),
        clock: this.clock,
        ...(onRefused && { onRefused }),
        ...(onProgress && {
          onProgress: ({ handles, texts, ...more }) =>
            onProgress({ messages: handles, pieces: texts, ...more }),
        }),
      });
    return {
      say: async (message) => {
        await alive();
        return this.#say(address, message, to);
      },
      replace: async ({ message: id }, message) => {
        await alive();
        await this.#edit(id, message);
      },
      whisper: async (message) => {
        await alive();
        this.#say(address, message, 'requester');
      },
      stream,
      ...(this.#options.rewrites && {
        rewrite: async (message: MessageAddress, { isBelow, ...options }: RewriteOptions) =>
          stream(options, isBelow ? undefined : message),
      }),
    };
  }

  /** What a live answer could not write may be written later. */
  #mayBeAway(message: Message): void {
    const refusal = this.refuses(message);
    if (refusal) throw new RetryableWriteError('away', { cause: refusal });
  }

  async #edit(id: string, content: Message): Promise<void> {
    const found = this.#at(id);
    if (found.seenBy === 'requester' && !this.privateEdits) throw new PlatformError('gone');
    const refusal = this.refuses(content);
    if (refusal) throw refusal;
    found.message = content;
  }

  #at(id: string): Standing {
    if (this.deleted.has(id)) throw new PlatformError('deleted');
    const found = this.standing.find((one) => one.id === id);
    if (!found) throw new PlatformError('gone');
    return found;
  }

  /** What posts to the place, whichever platform it is said to be on. */
  adapter(platform: PlatformName = 'console'): PlatformAdapter {
    const alive = this.#alive();
    return adapterWith({
      platform,
      ...(this.#options.completesAnew && { completesAnew: true }),
      ...(this.#options.rewrites && { rewritesAnswers: () => true }),
      doors(this: PlatformAdapter, job: Job) {
        return doorsBy(this, job);
      },
      directMessages: async (_workspace, person) => directWith(person),
      post: async (address, message) => {
        await alive();
        return this.#say(address, message.files ? await taken(message) : message, 'channel');
      },
      edit: async ({ message }, content) => {
        await alive();
        await this.#edit(message, content);
      },
      complete: async (message, content, _key, replaces) => {
        await alive();
        if (this.#options.completesAnew) await replaces?.(message);
        await this.completing(message);
        this.#at(message.message).message = content;
        return message;
      },
      relabelButton: async ({ message }, buttonId, label) => {
        await alive();
        await this.relabels();
        await alive();
        const found = this.#at(message);
        const buttons = found.message.buttons?.map((one) => (one.id === buttonId ? { ...one, label } : one));
        found.message = { ...found.message, ...(buttons && { buttons }) };
      },
      channelName: async ({ channel }) => (channel === 'c' ? 'general' : undefined),
      remove: async ({ message }) => {
        await alive();
        if (this.keepsMessages) throw new PlatformError(this.keepsMessages);
        if (this.removed.includes(message)) throw new PlatformError('gone');
        this.removed.push(message);
      },
      openThread: async (message) => ({ ...message, thread: message.message }),
      rootOf: ({ thread, ...channel }, asked) =>
        thread === undefined || thread === asked.thread ? undefined : { ...channel, message: thread },
      writerAt: async (person) => (this.absent.has(person.id) ? undefined : person),
      administers: async (person) => {
        await this.knowsAdministrators;
        return !this.absent.has(person);
      },
      threadsAt: async ({ thread }) => (thread === undefined ? this.threads : { kind: 'none' }),
      openOwnThread: async ({ message, ...address }) => {
        if (this.refusesThreads) throw new PlatformError('unreachable');
        this.ownThreads.push(message);
        return { ...address, thread: message };
      },
      maxFileBytes: async () => 10 * 2 ** 20,
      attachments: async () => [],
      readFile: async () => new Uint8Array(),
    } satisfies Partial<PlatformAdapter>);
  }
}
