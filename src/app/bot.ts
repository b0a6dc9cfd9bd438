import { dirname, join } from 'node:path';
import { Conversations } from '../conversation/index.ts';
import { Credits } from '../credits/index.ts';
import { Deliveries } from '../deliveries/index.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { LocalFaults } from '../lib/local-faults.ts';
import { randomId } from '../lib/random-id.ts';
import { SoundConverter } from '../media/index.ts';
import type { Log } from '../ops/index.ts';
import { forUsersSettings, PlaceSettings, type SettingValues } from '../place-settings/index.ts';
import {
  type AnyCommand,
  actionId,
  type CommandOutcomes,
  Dispatcher,
  type HomePage,
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
import {
  createDrafts,
  createFirstTime,
  createJobs,
  createLiveAnswers,
  type Database,
  openKeyv,
} from '../store/index.ts';
import { words } from '../words/index.ts';
import { AnswerVersions } from './answers/answer-versions.ts';
import { AnswersInProgress } from './answers/answers-in-progress.ts';
import { Feedback } from './answers/feedback.ts';
import type { CommandDependencies } from './command-dependencies.ts';
import { commandOutcomes } from './command-outcomes.ts';
import { explain, isAboutOptions, worthTryingAgain } from './faults/explain.ts';
import { ImageVersions } from './image-versions.ts';
import { suggest } from './inputs/suggest.ts';
import { budgetRules, type Ceilings } from './policy/budgets.ts';
import { commandRules } from './policy/command-rules.ts';
import { KeyWatch } from './policy/key-watch.ts';
import { Operators } from './policy/operators.ts';
import { homePage } from './presenters/home-page.ts';
import { imagePresenter } from './presenters/image-presenter.ts';
import { videoPresenter } from './presenters/video-presenter.ts';
import { Sharing } from './sharing/sharing.ts';
import { VoiceList } from './voices/voice-list.ts';
import { VoiceSamples } from './voices/voice-samples.ts';

const day = 86_400_000;
/** Files younger than this may still be in use, by the disk's own clock; in milliseconds. */
const youngestFile = 3_600_000;
/** How long answers may go on while the bot stops, in milliseconds; then they end as interrupted. */
const closingPatience = 15_000;
/** How long a platform has to show that they ended, in milliseconds. */
const lastEdits = 3_000;
/** How many people are answered at the same time in a conversation, unless its administrators choose otherwise. */
const answersAtOnce = 4;
/** For how long the same refusal isn't repeated in a channel where nobody expects an answer, in milliseconds. */
const refusalsRepeatAfter = 5 * 60_000;

export interface BotDependencies {
  /** Everything a person can type. */
  readonly commands: readonly AnyCommand<CommandDependencies>[];
  readonly database: Database;
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Where results wait on the disk until they are posted. */
  readonly spoolFolder: string;
  /** Called when a command has ended. */
  readonly onCommandEnd?: (command: string, outcome: 'done' | 'failed') => void;
  readonly settings: {
    /** Who runs the bot; empty for those the platforms name. */
    readonly operators: readonly Operator[];
    readonly chatModel: ChatModel;
    readonly voice: string;
    readonly systemPrompt: string;
    readonly historyTokens: number;
    readonly historyDays: number;
    readonly budgets: Ceilings;
    /** Commands that may cost more credits than this need confirmation. */
    readonly confirmOver: number;
  };
}

/** The bot without its platforms. They pass commands to it, and it posts through them. */
export interface Bot {
  readonly dispatcher: Dispatcher<CommandDependencies>;
  /** Ends what a former process left unfinished. */
  readonly recovery: Recovery<CommandDependencies>;
  /** What became of a command. */
  readonly outcomes: CommandOutcomes;
  /** A person's own page. */
  readonly homePage: HomePage;
  readonly renders: Renders;
  readonly deliveries: Deliveries;
  readonly credits: Credits;
  readonly keyWatch: KeyWatch;
  readonly operators: Operators;
  readonly voiceList: VoiceList;
  /** Work that waits for this machine's disk or database. */
  readonly localFaults: LocalFaults;
  /** Adds a platform, to post through it and to ask it for the bot's operators. */
  addPlatform(platform: Pick<Platform, 'adapter' | 'operators'>): void;
  /** Deletes files that are no longer needed. */
  sweepFiles(): Promise<void>;
  /** Ends the work under way, or leaves it on record for the next start. */
  close(): Promise<void>;
}

/** Creates the bot from its dependencies. */
export function createBot(dependencies: BotDependencies): Bot {
  const { commands, database, service, clock, log, spoolFolder, onCommandEnd, settings } = dependencies;
  const adaptersByName = new Map<PlatformName, PlatformAdapter>();
  const adapters: PlatformAdapters = (name) => adaptersByName.get(name);
  const jobs = createJobs(database);
  const answers = createLiveAnswers(database);
  const now = () => clock.now();
  const presenters = { image: imagePresenter(adapters), video: videoPresenter };
  const spool = new Spool(spoolFolder);
  const placeSettings = new PlaceSettings(database, defaultSettings(settings), now);
  const credits = new Credits({ database, clock });
  const budgetsFor = budgetRules(settings.budgets);
  const localFaults = new LocalFaults();
  const renders = new Renders({
    database,
    jobs,
    service,
    credits,
    adapters,
    presenters,
    spool,
    troubles: localFaults,
    clock,
    log,
  });
  const imageVersions = new ImageVersions({
    keyv: openKeyv(database, 'image-versions', now),
    files: new Spool(join(dirname(spoolFolder), 'versions')),
    jobs,
    renders,
    adapters,
  });
  const sounds = new SoundConverter({ log });
  const deliveries = new Deliveries({
    database,
    jobs,
    answers,
    adapters,
    files: spool,
    convert: (bytes, to) => sounds.convert(bytes, to),
    words,
    troubles: localFaults,
    clock,
    log,
  });
  const voiceList = new VoiceList(service, clock);
  const notes = openKeyv(database, 'notes', now);
  const operators = new Operators({ chosen: settings.operators, notes, clock });
  const keyWatch = new KeyWatch({ service, operators, adapters, clock, log });
  const first = createFirstTime(notes);
  const firstTime = (name: string) => first(`told ${name}`, refusalsRepeatAfter);
  const conversations = new Conversations({
    keyv: openKeyv(database, 'conversation', now),
    systemPrompt: settings.systemPrompt,
    historyTokens: settings.historyTokens,
    idleLimit: settings.historyDays * day,
  });
  const logFailure = (error: unknown, { id, command }: Job) =>
    log[worthTryingAgain(error) ? 'error' : 'info']({ job: id, command, error }, 'command failed');
  const commandDependencies: CommandDependencies = {
    service,
    conversations,
    renders,
    imageVersions,
    deliveries,
    adapters,
    answerVersions: new AnswerVersions({
      keyv: openKeyv(database, 'answer-versions', now),
      life: settings.historyDays * day,
      adapters,
    }),
    answersInProgress: new AnswersInProgress(),
    logFailure,
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
    sharing: new Sharing({ adapters, conversations, placeSettings, notes }),
    notes,
    firstTime: first,
    feedback: new Feedback(database, clock),
    clock,
  };
  const dispatcher = new Dispatcher({
    commands,
    commandDependencies,
    jobs,
    answers,
    drafts: createDrafts(openKeyv(database, 'draft', now), randomId),
    adapters,
    rules: commandRules({
      placeSettings,
      mayHaveVoice: (id) => voiceList.mayHave(id),
      operators,
      credits,
      budgetsFor,
      key: service.key,
      firstTime,
    }),
    words,
    explain: (error, job) => {
      logFailure(error, job);
      const say = words(job.requester.locale, job.address.platform);
      const buttons = [{ id: actionId(job.command, 'again', job.id), label: say.tryAgain }];
      return {
        text: `⚠️ ${explain(error, say, job.requester)}`,
        privately: isAboutOptions(error),
        ...(worthTryingAgain(error) && { buttons }),
      };
    },
    mentionOnly: async (address) => (await placeSettings.at(address)).values.mention_only,
    suggest: (source, typed, locale) => suggest(source, typed, locale, voiceList),
    notifyLater: (job, error, word) => recovery.notifyLater(job, error, word),
    ...(onCommandEnd && { onEnd: onCommandEnd }),
    newId: randomId,
    clock,
  });
  const recovery = new Recovery({
    commands,
    commandDependencies,
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
    outcomes: commandOutcomes({ jobs, renders, deliveries, conversations, placeSettings }),
    homePage: homePage({ commands, renders, credits, placeSettings, budgetsFor, adapters, clock }),
    renders,
    deliveries,
    credits,
    keyWatch,
    operators,
    voiceList,
    localFaults,
    addPlatform(platform) {
      const { adapter } = platform;
      adaptersByName.set(adapter.platform, adapter);
      operators.add(adapter.platform, () => platform.operators());
    },
    async sweepFiles() {
      const needed = new Set([...(await renders.open()), ...(await deliveries.pendingIds())]);
      await spool.sweep(needed, Date.now() - youngestFile);
      await imageVersions.sweep(Date.now());
    },
    async close() {
      const patience = new AbortController();
      const waited = sleep(clock, closingPatience, patience.signal).catch(() => {});
      // An answer that the platform doesn't take in time is on record before the process ends.
      const lastEditsOver = sleep(clock, closingPatience + lastEdits, patience.signal);
      void lastEditsOver.then(() => deliveries.stop()).catch(() => {});
      await Promise.all([dispatcher.stop(waited), renders.close(), recovery.close(), keyWatch.close()]);
      patience.abort();
      await deliveries.close();
    },
  };
}

/** The settings of a place where no administrator has chosen anything. */
function defaultSettings(settings: BotDependencies['settings']): SettingValues {
  return {
    model: settings.chatModel,
    at_once: answersAtOnce,
    conversation: 'channel',
    mention_only: false,
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
