import { Conversations } from '../conversation/index.ts';
import { Credits } from '../credits/index.ts';
import { Deliveries } from '../deliveries/index.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { LocalFaults } from '../lib/local-faults.ts';
import { randomId } from '../lib/random-id.ts';
import { Sounds } from '../media/index.ts';
import type { Log } from '../ops/index.ts';
import { forUsersSettings, PlaceSettings, type SettingValues } from '../place-settings/index.ts';
import {
  type AnyCommand,
  actionId,
  Dispatcher,
  type Job,
  type Operator,
  type Platform,
  type PlatformAdapter,
  type PlatformAdapters,
  type PlatformName,
  Recovery,
} from '../port/index.ts';
import { Renders, Spool } from '../renders/index.ts';
import type { ServiceClient } from '../service/index.ts';
import { image, video } from '../service-rules/limits.ts';
import type { ChatModel } from '../service-rules/models.ts';
import { createFirstTime, createJobs, createLiveAnswers, type Database, openKeyv } from '../store/index.ts';
import { words } from '../words/index.ts';
import { AnswersInProgress } from './answers/answers-in-progress.ts';
import type { CommandDependencies } from './command-dependencies.ts';
import { explain, isAboutOptions, worthTryingAgain } from './faults/explain.ts';
import { suggest } from './inputs/suggest.ts';
import { budgetRules, type Ceilings } from './policy/budgets.ts';
import { commandRules } from './policy/command-rules.ts';
import { KeyWatch } from './policy/key-watch.ts';
import { Operators } from './policy/operators.ts';
import { imagePresenter } from './presenters/image-presenter.ts';
import { videoPresenter } from './presenters/video-presenter.ts';
import { VoiceList } from './voices/voice-list.ts';
import { VoiceSamples } from './voices/voice-samples.ts';

const day = 86_400_000;
/** Files younger than this may be under way, by the disk's own clock; in milliseconds. */
const youngest = 3_600_000;
/** Answers may go on for so long when the bot is stopped, in milliseconds; then they end as interrupted. */
const closingPatience = 15_000;
/** So long the platform has to take how they ended, in milliseconds. */
const lastWords = 3_000;
/** So many people are answered at the same time in a conversation, where its place has not chosen otherwise. */
const answersAtOnce = 4;
/** The same refusal is said once in a place for so long, where no answer is owed; in milliseconds. */
const toldFor = 5 * 60_000;

export interface BotDependencies {
  /** Everything a person can type. */
  readonly commands: readonly AnyCommand<CommandDependencies>[];
  readonly database: Database;
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Where results wait on the disk until they are posted. */
  readonly spoolFolder: string;
  /** Told of every command that has ended. */
  readonly onCommandEnd?: (command: string, outcome: 'done' | 'failed') => void;
  readonly settings: {
    /** Who runs the bot; empty: those the platforms name. */
    readonly operators: readonly Operator[];
    readonly chatModel: ChatModel;
    readonly voice: string;
    readonly systemPrompt: string;
    readonly historyTokens: number;
    readonly historyDays: number;
    readonly budgets: Ceilings;
    /** Above how many credits the requester is asked first. */
    readonly confirmOver: number;
  };
}

/** The bot without its platforms: what they hand commands to, and what posts through them. */
export interface Bot {
  readonly dispatcher: Dispatcher<CommandDependencies>;
  /** What a former process left. */
  readonly recovery: Recovery<CommandDependencies>;
  readonly renders: Renders;
  readonly deliveries: Deliveries;
  readonly credits: Credits;
  readonly keyWatch: KeyWatch;
  readonly operators: Operators;
  readonly voiceList: VoiceList;
  /** What waits for this machine's disk or database. */
  readonly localFaults: LocalFaults;
  /** Makes a platform known: it can be posted to, and asked who runs the bot. */
  addPlatform(platform: Pick<Platform, 'adapter' | 'operators'>): void;
  /** Deletes files that nobody needs any more. */
  sweepFiles(): Promise<void>;
  /** Ends what is under way, or leaves it on record. */
  close(): Promise<void>;
}

/** Puts the parts of the bot together. */
export function createBot(given: BotDependencies): Bot {
  const { commands, database, service, clock, log, spoolFolder, onCommandEnd: ended, settings } = given;
  const adaptersByName = new Map<PlatformName, PlatformAdapter>();
  const adapters: PlatformAdapters = (name) => adaptersByName.get(name);
  const jobs = createJobs(database);
  const answers = createLiveAnswers(database);
  const now = () => clock.now();
  const presenters = { image: imagePresenter(adapters), video: videoPresenter };
  const spool = new Spool(spoolFolder);
  const placeSettings = new PlaceSettings(database, environmentOf(settings), now);
  const credits = new Credits({ database, clock });
  const budgetsFor = budgetRules(settings.budgets);
  const troubles = new LocalFaults();
  const renders = new Renders({
    database,
    jobs,
    service,
    credits,
    adapters,
    presenters,
    spool,
    troubles,
    clock,
    log,
  });
  const sounds = new Sounds({ log });
  const deliveries = new Deliveries({
    database,
    jobs,
    answers,
    adapters,
    files: spool,
    convert: (bytes, to) => sounds.convert(bytes, to),
    words,
    troubles,
    clock,
    log,
  });
  const voiceList = new VoiceList(service, clock);
  const notes = openKeyv(database, 'notes', now);
  const operators = new Operators({ chosen: settings.operators, notes, clock });
  const keyWatch = new KeyWatch({ service, operators, adapters, clock, log });
  const first = createFirstTime(notes);
  const firstTime = (name: string) => first(`told ${name}`, toldFor);
  const conversations = new Conversations({
    keyv: openKeyv(database, 'conversation', now),
    systemPrompt: settings.systemPrompt,
    historyTokens: settings.historyTokens,
    idleLimit: settings.historyDays * day,
  });
  const report = (error: unknown, { id, command }: Job) =>
    log[worthTryingAgain(error) ? 'error' : 'info']({ job: id, command, error }, 'command failed');
  const dependencies: CommandDependencies = {
    service,
    conversations,
    renders,
    deliveries,
    adapters,
    answersInProgress: new AnswersInProgress(),
    logFailure: report,
    credits,
    budgetsFor,
    placeSettings,
    voiceList,
    sounds,
    voiceSamples: new VoiceSamples({
      keyv: openKeyv(database, 'voice-sample', now),
      service,
      credits,
      clock,
    }),
    notes,
    clock,
  };
  const dispatcher = new Dispatcher({
    commands,
    commandDependencies: dependencies,
    jobs,
    answers,
    adapters,
    rules: commandRules({ placeSettings, operators, credits, budgetsFor, key: service.key, firstTime }),
    words,
    explain: (error, job) => {
      report(error, job);
      const say = words(job.requester.locale, job.address.platform);
      const buttons = [{ id: actionId(job.command, 'again', job.id), label: say.tryAgain }];
      return {
        text: `⚠️ ${explain(error, say, job.requester)}`,
        privately: isAboutOptions(error),
        ...(worthTryingAgain(error) && { buttons }),
      };
    },
    suggest: (source, typed, locale) => suggest(source, typed, locale, voiceList),
    notifyLater: (job, error, word) => recovery.notifyLater(job, error, word),
    ...(ended && { onEnd: ended }),
    newId: randomId,
    clock,
  });
  const recovery = new Recovery({
    commands,
    commandDependencies: dependencies,
    jobs,
    answers,
    adapters,
    words,
    clock,
    log,
  });
  return {
    dispatcher,
    recovery,
    renders,
    deliveries,
    credits,
    keyWatch,
    operators,
    voiceList,
    localFaults: troubles,
    addPlatform(platform) {
      const { adapter } = platform;
      adaptersByName.set(adapter.platform, adapter);
      operators.add(adapter.platform, () => platform.operators());
    },
    async sweepFiles() {
      const needed = new Set([...(await renders.open()), ...(await deliveries.kept())]);
      await spool.sweep(needed, Date.now() - youngest);
    },
    async close() {
      const patience = new AbortController();
      const waited = sleep(clock, closingPatience, patience.signal).catch(() => {});
      // An answer that the platform does not take now is on record before the process ends.
      const ended = sleep(clock, closingPatience + lastWords, patience.signal);
      void ended.then(() => deliveries.stop()).catch(() => {});
      await Promise.all([dispatcher.stop(waited), renders.close(), recovery.close(), keyWatch.close()]);
      patience.abort();
      await deliveries.close();
    },
  };
}

/** What holds where no administrator has chosen anything. */
function environmentOf(settings: BotDependencies['settings']): SettingValues {
  return {
    model: settings.chatModel,
    at_once: answersAtOnce,
    persona: settings.systemPrompt,
    voice: settings.voice,
    language: '',
    image_size: image.defaultSize,
    video_duration: video.duration.default,
    video_resolution: video.defaultResolution,
    video_quality: video.defaultQuality,
    video_ratio: video.defaultRatio,
    video_audio: true,
    user_credits: settings.budgets.user,
    channel_credits: settings.budgets.channel,
    workspace_credits: settings.budgets.workspace,
    confirm_over: settings.confirmOver,
    exempt_administrators: false,
    time_zone: 'UTC',
    off: [],
    ...forUsersSettings(() => []),
  };
}
