import { setImmediate as turn } from 'node:timers/promises';
import { commandOutcomes } from '../../../../src/app/jobs.ts';
import { alone, type Coordination } from '../../../../src/coordination/index.ts';
import { Deliveries } from '../../../../src/deliveries/index.ts';
import { type ButtonPress, Dispatcher, type Invocation } from '../../../../src/engine/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { LocalFaults } from '../../../../src/lib/local-faults.ts';
import { noMeter } from '../../../../src/lib/telemetry.ts';
import { randomId } from '../../../../src/lib/text.ts';
import type { PlaceSettings } from '../../../../src/place-settings/index.ts';
import { botScopes, slackManifest } from '../../../../src/platforms/slack/setup/manifest.ts';
import { createSlack, type SlackPlatform } from '../../../../src/platforms/slack/start.ts';
import {
  actionId,
  askedIn,
  type Button,
  type Capabilities,
  type CommandOutcomes,
  type DeletedMessages,
  type Form,
  type HomePage,
  type Jobs,
  type LiveAnswer,
  type Places,
  type PlatformAdapter,
  PlatformError,
  refusalOf,
  type Reply,
} from '../../../../src/port/index.ts';
import { type Ending, withNote } from '../../../../src/reply/index.ts';
import { Vault } from '../../../../src/secrets/vault.ts';
import {
  createCapabilities,
  createDrafts,
  createJobs,
  createLiveAnswers,
  type Database,
  DatabaseWatch,
  type FileStore,
  openKeyv,
} from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import {
  allowing,
  type AnyCommand,
  type CommandRules,
  commands as realCommands,
  rulesBy,
} from '../../../fakes/commands.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { noPlaces } from '../../../fakes/places.ts';
import { removalsOf } from '../../../fakes/removals.ts';
import {
  type Channel,
  type FakePerson,
  FakeSlack,
  type Installation,
  type Json,
  type Message,
  pass,
  quiet,
  shown,
  until,
  type Workspace,
} from '../../../fakes/slack/index.ts';
import { unwatched } from '../../../fakes/unwatched.ts';

/** What a command does in a test, instead of asking the service. */
export type Script = (invocation: Invocation<never>) => Promise<void>;
export type PressScript = (press: ButtonPress) => Promise<void>;

export interface StageOptions {
  readonly mode?: 'socket' | 'http' | 'oauth';
  readonly prefix?: string;
  /** By command's name. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** `/ask` leaves its answers to the test, as `stage.answers`; it has ended by then, or runs until its process dies. */
  readonly writtenAsk?: 'ended' | 'running';
  /** By `command.action`. */
  readonly presses?: Readonly<Record<string, PressScript>>;
  /** The forms that buttons open, by `command.action`; those of the commands themselves where absent. */
  readonly forms?: Readonly<Record<string, () => Form>>;
  readonly rules?: CommandRules;
  /** What comes of messages that were deleted. */
  readonly deleted?: (messages: DeletedMessages) => Promise<void>;
  /** What's on record of where the bot is; nothing where absent. */
  readonly places?: Partial<Places>;
  /** Messages in threads have to mention the bot. */
  readonly mentionOnly?: boolean;
  readonly homePage?: HomePage;
  /** What became of commands; by their jobs alone where absent. */
  readonly outcomes?: CommandOutcomes;
  /** The workspaces and organizations where the bot runs; everywhere where absent. */
  readonly allowedTeams?: (own: Workspace) => readonly string[];
  /** Events the app's settings lack, as after an update that brought new ones. */
  readonly withoutEvents?: readonly string[];
  /** Scopes the bot's token lacks, for the same reason. */
  readonly withoutScopes?: readonly string[];
  /** Where the bot keeps what it knows; in memory where absent. */
  readonly databaseUrl?: string;
  /** Two processes on that database, in HTTP mode: `stage.to` says which of them gets what Slack sends. */
  readonly twice?: boolean;
  /** Answers that can't be shown where they were asked for aren't brought in another way. */
  readonly onlyHere?: boolean;
}

/** One process of the bot. */
interface Process {
  readonly coordination: Coordination;
  readonly platform: SlackPlatform;
  readonly dispatcher: Dispatcher;
  readonly deliveries: Deliveries;
}

export interface LogLine {
  readonly level: string;
  readonly detail: object;
  readonly message: string;
}

export const publicUrl = 'https://bot.example';

/** Slack, a bot in it that runs the real platform through the real Bolt, and people. */
export class Stage {
  readonly clock: FakeClock;
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  readonly installation: Installation;
  readonly ada: FakePerson;
  readonly ben: FakePerson;
  readonly chief: FakePerson;
  readonly general: Channel;
  /** A public channel without the bot. */
  readonly outside: Channel;
  readonly log: LogLine[] = [];
  /** What `/ask` leaves to the test. */
  readonly answers: LiveAnswer[] = [];
  readonly database: Database;
  vault = new Vault({ secret: 'a secret of thirty-two characters', file: undefined });
  readonly #options: StageOptions;
  readonly #processes: Process[] = [];
  /** How a new process coordinates with the others. */
  readonly #join: () => Coordination;
  /** The process that gets what Slack sends next, by its number; both get it where Slack repeats it to the other. */
  to: 0 | 1 | 'both' | ((body: string) => 0 | 1 | Promise<0 | 1>) = 0;

  constructor(options: StageOptions, clock: FakeClock, slack: FakeSlack, database: Database) {
    this.#options = options;
    this.clock = clock;
    this.slack = slack;
    this.database = database;
    this.workspace = slack.addWorkspace('acme', 'E0ORG');
    const scopes = Object.keys(botScopes).filter((scope) => !options.withoutScopes?.includes(scope));
    this.installation = slack.install(this.workspace, scopes);
    this.ada = slack.person(this.workspace, { name: 'ada', realName: 'Ada Lovelace' });
    this.ben = slack.person(this.workspace, { name: 'ben', locale: 'zh-CN' });
    this.chief = slack.person(this.workspace, { name: 'chief', admin: true });
    this.general = slack.channel(this.workspace, 'general', [this.ada, this.ben, this.chief]);
    this.outside = slack.channel(this.workspace, 'outside', [this.ada], { withoutBot: true });
    this.#join = options.twice ? processesSharing(clock) : alone;
  }

  /** The first process. */
  get platform(): SlackPlatform {
    return this.#process(0).platform;
  }

  /** What a process posts with, by its number. */
  adapterOf(number: 0 | 1): PlatformAdapter {
    return this.#process(number).platform.adapter;
  }

  /** The other process takes one for dead. */
  async takeForDead(number: 0 | 1): Promise<void> {
    await this.#process(number).coordination.others.ended();
  }

  get dispatcher(): Dispatcher {
    return this.#process(0).dispatcher;
  }

  #process(index: number): Process {
    const process = this.#processes[index];
    if (!process) throw new Error('the bot is not started');
    return process;
  }

  /** Brings a request to the bot as a load balancer would; the first process's answer counts where both get it. */
  async receive(request: Request): Promise<Response> {
    const number = typeof this.to === 'function' ? await this.to(await request.clone().text()) : this.to;
    const to = number === 'both' ? this.#processes : [this.#process(number)];
    const copies = to.map(({ platform }) => [platform, request.clone()] as const);
    const [first] = await Promise.all(copies.map(([{ routes }, copy]) => routes.fetch(copy)));
    return first as Response;
  }

  /** A browser's request. */
  get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.receive(new Request(url, { headers }));
  }

  /** The link to install the app, followed: where the browser is sent, and its cookie. */
  async followInstallLink(): Promise<{
    readonly response: Response;
    readonly link: string;
    readonly cookie: string;
  }> {
    const response = await this.get(`${publicUrl}/slack/install`);
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return { response, link: response.headers.get('location') ?? '', cookie };
  }

  /** Somebody installs the app in their workspace, or in its organization; the page at the end. */
  async install(person: FakePerson, organization = false): Promise<Response> {
    const { link, cookie } = await this.followInstallLink();
    return this.get(this.slack.oauth.approve(link, person.user, organization), { cookie });
  }

  /** What the bot has found out about Slack. */
  get capabilities(): Capabilities {
    return createCapabilities(this.database, 'slack', () => this.clock.now());
  }

  /** Starts the bot's part, as a process would, or two. */
  async startBot(): Promise<void> {
    this.#processes.length = 0;
    const count = this.#options.twice ? 2 : 1;
    while (this.#processes.length < count) await this.#startProcess(this.#join());
  }

  async #startProcess(coordination: Coordination): Promise<void> {
    const jobs = createJobs(this.database, this.#options.twice ? coordination.process : null);
    const adapters = () => platform.adapter;
    const answers = createLiveAnswers(this.database);
    const deliveries = new Deliveries({
      ...{ database: this.database, jobs, answers, adapters, clock: this.clock },
      files: { has: async () => false, remove: async () => {} } as unknown as FileStore,
      convert: async () => undefined,
      asked: (job) =>
        askedIn(
          job,
          realCommands.find(({ name }) => name === job.command),
        ),
      troubles: new LocalFaults(),
      watch: unwatched(),
      log: this.#logger(),
    });
    const dispatcher = new Dispatcher({
      commands: scripted(this.#options, this.answers, this.#options.onlyHere ? undefined : deliveries),
      jobs,
      answers,
      drafts: createDrafts(
        openKeyv(this.database, 'draft', () => this.clock.now()),
        randomId,
      ),
      adapters,
      rules: rulesBy(this.#options.rules ?? allowing),
      notifyLater: () => {},
      watch: unwatched(),
      changeQuestion: (question) => removalsOf(this.database, adapters, this.clock).changeQuestion(question),
      ...(this.#options.deleted && { deleted: this.#options.deleted }),
      mentionOnly: async () => this.#options.mentionOnly === true,
      explain: (error, job) => ({
        text: explained(error),
        buttons: [{ id: actionId(job.command, 'again', job.id), label: 'Try again' }],
      }),
      suggest: (source, typed) =>
        source === 'voices' ? [{ value: 'voice_a', label: `Voice A ${typed}`.trim() }] : [],
      newId: () => `job${++count}`,
      clock: this.clock,
    });
    const { prefix = '' } = this.#options;
    const mode = modeOf(this.#options);
    const { clientId, clientSecret, signingSecret, appToken } = this.slack.credentials;
    const platform = await createSlack({
      places: { ...noPlaces, ...this.#options.places },
      coordination,
      dispatcher,
      homePage: this.#options.homePage ?? (async () => []),
      outcomes: this.#options.outcomes ?? outcomesBy(jobs),
      database: this.database,
      vault: this.vault,
      clock: this.clock,
      log: this.#logger(),
      settings: {
        SLACK_COMMAND_PREFIX: prefix,
        SLACK_API_URL: this.slack.apiUrl,
        HISTORY_TOKENS: 4_000,
        ALLOWED_TEAMS: this.#options.allowedTeams?.(this.workspace),
        ...(mode === 'socket' ? { SLACK_APP_TOKEN: appToken } : { SLACK_SIGNING_SECRET: signingSecret }),
        ...(mode === 'oauth'
          ? {
              SLACK_CLIENT_ID: clientId,
              SLACK_CLIENT_SECRET: clientSecret,
              SLACK_STATE_SECRET: 'a secret of our own',
            }
          : { SLACK_BOT_TOKEN: this.installation.token }),
      },
    });
    this.#processes.push({ coordination, platform, dispatcher, deliveries });
    await platform.takeUp?.();
    await platform.started;
    await this.until(() => platform.notReady() === undefined);
    if (mode === 'socket') await this.until(() => this.slack.sockets.connected === 2);
  }

  /** The bot dies, and is started again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.startBot();
  }

  /** Kills the bot once it has called a method, whose planned faults end there, and starts it again. */
  async killAt(method: string): Promise<void> {
    const { api } = this.slack;
    await this.until(() => api.of(method).length > 0);
    await this.kill();
    while (api.faults.outstanding > 0) api.faults.take(method, {});
    await this.startBot();
  }

  /** Kills the bot: nothing of it continues. */
  async kill(): Promise<void> {
    for (const { platform, deliveries } of this.#processes) {
      deliveries.stop();
      await platform.close();
    }
  }

  async stop(): Promise<void> {
    for (const { platform, dispatcher, deliveries } of this.#processes) {
      deliveries.stop();
      await this.done(platform.stopReceiving());
      const stopped = dispatcher.stop();
      await this.quiet();
      await Promise.race([stopped, quiet(this.slack)]);
      await platform.close();
    }
    await this.slack.stop();
    await this.database.destroy();
  }

  quiet = () => quiet(this.slack);
  pass = (milliseconds: number) => pass(this.clock, this.slack, milliseconds);
  /** Waits for something that needs time to pass, such as an acknowledgement that is slow to come. */
  async done<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    await this.until(() => over, 300_000);
    return work;
  }
  until = (what: () => boolean, most?: number) => until(this.clock, this.slack, what, most);

  /** What the test writes in answer to what was said just now, and the thread of that. */
  async answerTo({ message }: { readonly message: Message }): Promise<{ live: LiveAnswer; thread: string }> {
    const before = this.answers.length;
    await this.until(() => this.answers.length > before);
    return { live: this.answers.at(-1) as LiveAnswer, thread: message.ts };
  }

  /** The form that somebody gets by a line. */
  async openForm(person: FakePerson, line: string, channel = this.general): Promise<void> {
    await person.types(line, channel);
    await this.until(() => person.form !== undefined);
  }

  /** Ends an answer that the test writes, and lets time pass. */
  async finish(live: LiveAnswer, milliseconds = 15_000): Promise<void> {
    const done = live.finish({ kind: 'done' });
    await this.pass(milliseconds);
    await done;
  }

  /** What the bot has posted in a channel, oldest first; in a thread, with its root's time stamp. */
  posts(channel: Channel, thread?: string): Message[] {
    return [...channel.messages.values()].filter(
      (message) => message.byApp && (thread === undefined || message.threadTs === thread),
    );
  }

  /** The texts of the bot's posts. */
  texts(channel: Channel, thread?: string): string[] {
    return this.posts(channel, thread).map(shown);
  }

  /** What people read of an answer, less its buttons and what is only between two messages. */
  read(channel: Channel, thread: string): string {
    const texts = this.texts(channel, thread).map((text) => text.replace(/\s*(?:Stop|Regenerate)$/, ''));
    return texts.join(' ').replace(/\s+/g, ' ').trim();
  }

  /** What somebody alone is told. */
  whispers({ whispers }: FakePerson = this.ada): string[] {
    return whispers.map((whisper) => shown(whisper) || whisper.text);
  }

  /** How often Slack said that it is asked too often. */
  get refusals(): number {
    return this.slack.api.calls.filter(({ outcome }) => outcome === '429').length;
  }

  #logger() {
    const at = (level: string) => (detail: object, message: string) => {
      this.log.push({ level, detail, message });
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

let count = 0;

function modeOf({ mode, twice }: StageOptions): 'socket' | 'http' | 'oauth' {
  return mode ?? (twice ? 'http' : 'socket');
}

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const clock = new FakeClock();
  const { prefix = '' } = options;
  const url = modeOf(options) === 'socket' ? {} : { url: publicUrl };
  const made = slackManifest(realCommands, { prefix, ...url });
  const { event_subscriptions: subscribed } = made.settings;
  const bot_events = subscribed.bot_events.filter((event) => !options.withoutEvents?.includes(event));
  const settings = { ...made.settings, event_subscriptions: { ...subscribed, bot_events } };
  const manifest = { ...made, settings } as unknown as Json;
  let stage: Stage | undefined;
  const slack = await FakeSlack.start({
    manifest,
    clock,
    send: async (request) => {
      if (!stage) throw new Error('the bot is not started');
      return stage.receive(request);
    },
  });
  const watch = new DatabaseWatch(noMeter, clock);
  const database = await openMigrated(options.databaseUrl ?? 'sqlite::memory:', systemClock, watch);
  stage = new Stage(options, clock, slack, database);
  endsWithTest(() => stage?.stop());
  await stage.startBot();
  return stage;
}

/** Nothing is rendered, and nothing is delivered later. */
function outcomesBy(jobs: Jobs): CommandOutcomes {
  return commandOutcomes({
    answers: { messagesOf: async () => [] },
    jobs,
    renders: { ofJob: async () => [] },
    deliveries: { pendingIds: async () => [] },
    conversations: { answerTo: async () => undefined },
    placeSettings: { at: async () => ({ values: {}, sources: {} }) } as unknown as PlaceSettings,
  });
}

function scripted(
  { scripts = {}, presses = {}, forms = {}, writtenAsk }: StageOptions,
  answers: LiveAnswer[],
  deliveries: Deliveries | undefined,
): AnyCommand[] {
  const standard = { ask: writtenAsk ? openAnswers(answers, writtenAsk) : ask };
  // Commands’ `check` asks the service; there is none here.
  return realCommands.map(({ check: _, ...command }) => ({
    ...command,
    run: delivered(scripts[command.name] ?? standard[command.name as 'ask'] ?? command.run, deliveries),
    actions: Object.fromEntries(
      Object.entries(command.actions ?? {}).map(([name, action]) => [
        name,
        // What a button adds by asking the service or the adapter isn't tried here either.
        'call' in action
          ? {
              ...action,
              addedOptions: async () => ({}),
              inPlace: async () => false,
            }
          : {
              ...action,
              ...formBy(forms[`${command.name}.${name}`]),
              run: presses[`${command.name}.${name}`] ?? action.run,
            },
      ]),
    ),
  }));
}

function formBy(form: (() => Form) | undefined): { form?: () => Form } {
  return form ? { form } : {};
}

/** A command whose answers are brought in another way where they can't be shown where they were asked for, as `/ask` does. */
function delivered(script: AnyCommand['run'], deliveries: Deliveries | undefined): AnyCommand['run'] {
  if (!deliveries) return script;
  return (invocation) => {
    const { job, reply } = invocation;
    const stream: Reply['stream'] = (options) => {
      const live = reply.stream(options);
      const finish = async (ending: Ending) => {
        if (ending.kind === 'withdrawn') return live.finish(ending);
        const message = { text: withNote(live.text, ending), buttons: options.buttons(ending) };
        return live.finish(ending).catch(async (error: unknown) => {
          if (refusalOf(error) === 'deleted') throw error;
          await deliveries.deliver(job, message, () => Promise.reject(error));
          while (deliveries.outstanding > 0) await turn();
          return [];
        });
      };
      return {
        append: (delta) => live.append(delta),
        get text() {
          return live.text;
        },
        hint: (text) => live.hint(text),
        finish,
      };
    };
    const bound = new Proxy(reply, {
      get(target, name) {
        if (name === 'stream') return stream;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return script({ ...invocation, reply: bound });
  };
}

function openAnswers(answers: LiveAnswer[], state: 'ended' | 'running'): Script {
  return async ({ job, reply }) => {
    answers.push(reply.stream({ buttons: askButtons(job.id) }));
    if (state === 'running') await new Promise(() => {});
  };
}

/** An `/ask` that answers with a text. */
export function writes(text: string, buttons: (job: string) => readonly Button[] = () => []): Script {
  return async ({ job, reply }) => {
    const live = reply.stream({ buttons: (ending) => (ending ? buttons(job.id) : []) });
    live.append(text);
    await live.finish({ kind: 'done' });
  };
}

/** A command that says something. */
export function says(text: string): Script {
  return async ({ reply }) => void (await reply.say({ text }));
}

/** A command that says something with a button. */
export function saysWith(action: string, label: string): Script {
  return async ({ job, reply }) => {
    const buttons = [{ id: actionId(job.command, action, job.id), label }];
    await reply.say({ text: 'Here it is.', buttons });
  };
}

/** What the buttons below a message are called. */
export const labelsOf = ({ blocks }: { readonly blocks: readonly Json[] }): string[] =>
  blocks
    .flatMap(({ elements = [] }) => elements as { readonly text?: { readonly text?: string } }[])
    .map(({ text }) => text?.text ?? '');

/** Changes what a channel allows. */
export const setting = (change: Partial<Channel>) => (channel: Channel) =>
  void Object.assign(channel, change);

/** Buttons as `/ask` has them. */
export function askButtons(jobId: string) {
  return (ending: Ending | undefined): readonly Button[] => [
    ending
      ? { id: actionId('ask', 'regenerate', jobId), label: 'Regenerate' }
      : { id: actionId('ask', 'stop', jobId), label: 'Stop', style: 'danger' },
  ];
}

const ask: Script = async ({ job, reply, options }) => {
  const live = reply.stream({ buttons: askButtons(job.id) });
  live.append(`You asked: ${(options as { prompt: string }).prompt}`);
  await live.finish({ kind: 'done' });
};

function explained(error: unknown): string {
  if (error instanceof PlatformError) return `fault: ${error.kind} ${error.detail ?? ''}`.trim();
  return `fault: ${error instanceof Error ? error.message : error}`;
}
