import { AnswersInProgress, Conversations, LocalTurns, type Turns } from '../conversation/index.ts';
import type { Coordination } from '../coordination/index.ts';
import { Credits, type OnPassed } from '../credits/index.ts';
import { Deliveries } from '../deliveries/index.ts';
import { CommandWatch, Dispatcher, type LatePosts, Recovery } from '../engine/index.ts';
import { type Clock, inTurn, sleep } from '../lib/clock.ts';
import { LocalFaults } from '../lib/local-faults.ts';
import { noTelemetry, type Telemetry } from '../lib/telemetry.ts';
import { randomId } from '../lib/text.ts';
import { SoundConverter } from '../media/index.ts';
import type { Log } from '../ops/index.ts';
import { forUsersSettings, Personas, PlaceSettings, type SettingValues } from '../place-settings/index.ts';
import {
  type Address,
  askedIn,
  isInDirectMessages,
  type Job,
  type Operator,
  type Person,
  type Places,
  type Platform,
  type PlatformAdapters,
  type PlatformName,
} from '../port/index.ts';
import { Renders } from '../renders/index.ts';
import { image, video } from '../service-rules/limits.ts';
import type { ChatModel } from '../service-rules/models.ts';
import type { ServiceClient } from '../service/index.ts';
import {
  type BegunBefore,
  createDrafts,
  createFirstTime,
  createJobs,
  createLiveAnswers,
  type Database,
  type FileStores,
  openKeyv,
  storedRemovals,
} from '../store/index.ts';
import { words } from '../words/index.ts';
import { versionBefore } from './answers/rewrite.ts';
import { AuditChannel } from './audit/audit-channel.ts';
import { Reports } from './audit/reports.ts';
import { BudgetAlerts } from './budget-alerts.ts';
import { ControlRoom } from './control/control-room.ts';
import { FaultLog } from './control/fault-log.ts';
import type { CommandDependencies, DefinedCommand } from './define-command.ts';
import { createDeletions } from './deletions/create-deletions.ts';
import { ExpectedSources, MissedDeletions, RecentDeletions } from './deletions/recent-deletions.ts';
import { Removals } from './deletions/removals.ts';
import { explanationOf, FirstContacts, machineNotes } from './endings.ts';
import { endOf, logFailureOf } from './faults/explain.ts';
import { queuedJobs } from './job-context.ts';
import { commandOutcomes, unansweredEnder } from './jobs.ts';
import { commandRules, whyBlocked } from './policy/command-rules.ts';
import { BotTurns, type Ceilings, limitRules, notToldYet } from './policy/limits.ts';
import type { Moderation } from './policy/moderation.ts';
import { KeyWatch, Operators } from './policy/operators.ts';
import { homePage } from './presenters/home-page.ts';
import { imagePresenter } from './presenters/image-presenter.ts';
import { videoPresenter } from './presenters/video-presenter.ts';
import { PersonalData } from './privacy/personal-data.ts';
import { PlaceData } from './privacy/place-data.ts';
import { AnswerVersions } from './results/answer-versions.ts';
import { Feedback } from './results/feedback.ts';
import { ImageVersions } from './results/image-versions.ts';
import { Sharing } from './sharing.ts';
import { suggest } from './suggestions.ts';
import { VoiceList, VoiceSamples } from './voices.ts';

const day = 86_400_000;
/** Files younger than this may still be in use, in milliseconds. */
const youngestFile = 3_600_000;
/** How long answers may go on while the bot stops, in milliseconds; then they end as interrupted. */
const closingPatience = 15_000;
/** How long a platform has to show that they ended, in milliseconds. */
const lastEdits = 3_000;
/** How many people are answered at the same time in a conversation, unless its administrators choose otherwise. */
const answersAtOnce = 4;

export interface BotDependencies {
  /** Everything a person can type. */
  readonly commands: readonly DefinedCommand[];
  readonly database: Database;
  /** With the other processes of this bot. */
  readonly coordination: Coordination;
  /** Whose turn it is in conversations; in memory unless there are several processes. */
  readonly turns?: Turns;
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Where results wait until they are posted, and versions of images. */
  readonly files: FileStores;
  /** Asked about what people give the service; there's none if absent. */
  readonly moderation?: Pick<Moderation, 'flagged'>;
  /** What a database that was restored may have lost of what was posted. */
  readonly begunBefore?: BegunBefore;
  /** Told what happens; nobody by default. */
  readonly telemetry?: Telemetry;
  readonly settings: {
    /** Who runs the bot; empty for those the platforms name. */
    readonly operators: readonly Operator[];
    readonly chatModel: ChatModel;
    readonly voice: string;
    readonly systemPrompt: string;
    readonly historyTokens: number;
    readonly historyDays: number;
    /** Addresses of the operator's privacy policy and terms. */
    readonly policies?: { readonly privacy?: string | undefined; readonly terms?: string | undefined };
    readonly budgets: Ceilings;
    /** Images and videos that a person may have under way in a channel, each command counted once. */
    readonly rendersPerPerson: number;
    /** Whether guests and people from other organizations can use what costs credits: `choose`, the default, as a place says. */
    readonly outsiders?: 'on' | 'off' | 'choose';
    /** Seconds until a person can use the same command again; 0 for no wait. */
    readonly cooldown?: number;
    /** Commands that may cost more credits than this need confirmation. */
    readonly confirmOver: number;
  };
}

/** The bot without its platforms. They pass commands to it, and it posts through them. */
export type Bot = ReturnType<typeof createBot>;

/** What it uses of a platform. */
type Used = 'adapter' | 'hears' | 'isIn' | 'forget' | 'forgetPerson';

/** Creates the bot from its dependencies. */
export function createBot(dependencies: BotDependencies) {
  const {
    commands: definitions,
    database,
    coordination,
    service,
    clock,
    log,
    files,
    settings,
  } = dependencies;
  const { telemetry = noTelemetry, turns = new LocalTurns(), begunBefore } = dependencies;
  const { locks, process } = coordination;
  const platforms = new Map<PlatformName, Pick<Platform, Used>>();
  const adapters: PlatformAdapters = (name) => platforms.get(name)?.adapter;
  const hears = async (address: Address) => (await platforms.get(address.platform)?.hears?.(address)) ?? true;
  const takesTurns = (name: string) =>
    definitions.some((command) => command.name === name && (command.queues || command.precedes));
  const now = () => clock.now();
  const keyv = (name: string) => openKeyv(database, name, now);
  const life = settings.historyDays * day;
  const conversations = new Conversations({
    keyv: keyv('conversation'),
    turns,
    systemPrompt: settings.systemPrompt,
    historyTokens: settings.historyTokens,
    idleLimit: life,
    clock,
  });
  const recentDeletions = new RecentDeletions(keyv('deleted'));
  const expectedSources = new ExpectedSources({ conversations, recent: recentDeletions });
  const recorded = expectedSources.jobs(createJobs(database, process));
  const jobs = queuedJobs(recorded, turns, takesTurns);
  const answers = createLiveAnswers(database, process, now);
  const presenters = { image: imagePresenter(adapters), video: videoPresenter(adapters) };
  const spool = files('spool');
  const idsOf = ({ platform, channel }: Address) => adapters(platform)?.channelIds(channel) ?? [channel];
  const placeSettings = new PlaceSettings(database, defaultSettings(settings), now, idsOf);
  const personas = new Personas(database, now, (transaction, address, person) =>
    audit.noteThere(address, randomId(), { kind: 'settings', person, names: ['personas'] }, transaction),
  );
  /** What most parts work with. */
  const shared = {
    ...{ database, coordination, locks, clock, log },
    ...{ adapters, jobs, answers, conversations, placeSettings },
  };
  const firstContacts = new FirstContacts({ keyv: keyv('first-contacts'), adapters, clock });
  const onPassed: OnPassed = (...passed) => budgetAlerts.passed(...passed);
  const credits = new Credits({ database, process, meter: telemetry.meter, onPassed, clock });
  const limitsFor = limitRules(settings.budgets);
  const localFaults = new LocalFaults();
  const faults = new FaultLog({ keyv: keyv('faults'), process, clock });
  const watch = new CommandWatch({
    ...{ telemetry, clock, endOf },
    ended: () => audit.wake(),
    traces: keyv('traces'),
    onEnd: (job, end) => {
      faults.ended(job, end);
      firstContacts.ended(job, end);
    },
  });
  const latePosts: Required<LatePosts> = {
    hears,
    readQuestion: (job) => noticedDeletions.readQuestion(job),
    takeAway: (job) => deletions.takeAway(job),
    closeQuestionOf: ({ id }) => removals.closeQuestionOf(id),
    endMessage: (message, shows) => removals.end(message, shows),
  };
  const renders = new Renders({
    ...shared,
    service,
    credits,
    presenters,
    posted: (job, at) => answers.note(job.id, [at]),
    replaces: (announcement) => answers.forget(announcement),
    ...latePosts,
    sourceDeleted: (job) => deletions.ofSource(job),
    shownNoMore: (job) => deletions.endQueued(job),
    styleAt: async (job) => {
      const settings = await placeSettings.at(job.address);
      const note = await machineNotes('media', job, settings, { firstContacts });
      return { buttons: settings.values.buttons, ...(note !== undefined && { machineNote: note }) };
    },
    spool,
    troubles: localFaults,
    watch,
    ...(begunBefore && { begunBefore }),
  });
  const imageVersions = new ImageVersions({
    ...shared,
    keyv: keyv('image-versions'),
    files: files('versions'),
    renders,
  });
  const sounds = new SoundConverter({ log });
  const deliveries = new Deliveries({
    ...shared,
    files: spool,
    convert: (bytes, to) => sounds.convert(bytes, to),
    ...latePosts,
    deleted: (job) => deletions.of(job),
    versionBefore: (job, shown, note) => versionBefore(job, shown, note, commandDependencies),
    asked: (job) =>
      askedIn(
        job,
        definitions.find(({ name }) => name === job.command),
      ),
    troubles: localFaults,
    watch,
  });
  const voiceList = new VoiceList(service, clock);
  const notes = keyv('notes');
  const operators = new Operators({ chosen: settings.operators, notes, clock });
  const budgetAlerts = new BudgetAlerts({
    ...shared,
    keyv: keyv('budget-alerts'),
    operators,
  });
  const mayModerate = async (person: Pick<Person, 'id'>, { address, requester }: Job) => {
    if (await operators.has(person, address)) return true;
    if (isInDirectMessages(requester)) return false;
    return (await adapters(address.platform)?.mayModerate(person.id, address)) === true;
  };
  const audit = new AuditChannel({
    ...shared,
    keyv: keyv('audit'),
    operators,
    jobs: recorded,
    renders,
    mayModerate,
    firstTime: (name, life) => first(name, life),
  });
  const reports = new Reports({
    ...shared,
    keyv: keyv('reports'),
    audit,
    jobs: recorded,
  });
  const keyWatch = new KeyWatch({ ...shared, service, operators, notes });
  const first = createFirstTime(notes);
  const firstTime = notToldYet(first);
  const logFailure = (error: unknown, job: Job) => {
    if (logFailureOf(job, error, log) === 'error') faults.failed(job, error);
  };
  const versions = keyv('answer-versions');
  const answerVersions = new AnswerVersions({ ...shared, keyv: versions, life });
  const answersInProgress = new AnswersInProgress(turns);
  const removals = new Removals({ ...shared, stored: storedRemovals(database) });
  const missedDeletions = new MissedDeletions({ clock, log });
  const { answerDeletion, deletedQuestions, deletions, forgottenAnswers, noticedDeletions } = createDeletions(
    {
      ...shared,
      recent: recentDeletions,
      missed: missedDeletions,
      removals,
      credits,
      renders,
      deliveries,
      answersInProgress,
      answerVersions,
      imageVersions,
    },
  );
  const sharing = new Sharing({
    ...shared,
    deletedQuestions,
    deletions,
    notes,
    troubles: localFaults,
  });
  const personalData = new PersonalData({
    ...shared,
    firstContacts,
    keyv: keyv('erasures'),
    forgottenAnswers,
    answerVersions,
    imageVersions,
    audit,
    reports,
    platforms: (name) => platforms.get(name),
  });
  const botTurns = new BotTurns({ database, keyv: keyv('bot-turns'), clock });
  const placeData = new PlaceData({
    ...shared,
    reports,
    botTurns,
    firstContacts,
    keyv: keyv('places'),
    platforms: (name) => platforms.get(name),
    renders,
    answerVersions,
    imageVersions,
    budgetAlerts,
    audit,
  });
  const controlRoom = new ControlRoom({
    ...shared,
    ...{ audit, renders, budgetAlerts, faults },
    knownPlaces: keyv('places'),
    waiting: () => service.waiting(),
  });
  const commandDependencies: CommandDependencies = {
    ...shared,
    tracer: telemetry.tracer,
    service,
    renders,
    imageVersions,
    deliveries,
    answerVersions,
    answerDeletion,
    deletedQuestions,
    deletions,
    answersInProgress,
    logFailure,
    removals,
    moderation: dependencies.moderation,
    credits,
    limitsFor,
    personas,
    voiceList,
    sounds,
    voiceSamples: new VoiceSamples({ ...shared, keyv: keyv('voice-sample'), service, credits }),
    sharing,
    notes,
    firstTime: first,
    feedback: new Feedback(database, clock),
    audit,
    reports,
    personalData,
    firstContacts,
    botTurns,
    policies: { historyDays: settings.historyDays, ...settings.policies },
  };
  const commands = definitions.map((command) => command.bind(commandDependencies));
  const dispatcher = new Dispatcher({
    ...shared,
    commands,
    drafts: expectedSources.drafts(createDrafts(keyv('draft'), randomId)),
    rules: commandRules({
      ...shared,
      mayHaveVoice: (id) => voiceList.mayHave(id),
      operators,
      credits,
      renders,
      limitsFor,
      key: service.key,
      moderation: dependencies.moderation,
      // Nobody who's refused waits for it, or is told otherwise if it fails.
      noteBlocked: (command, { address, requester: person }) =>
        audit
          .noteThere(address, randomId(), { kind: 'refused', person, command, channel: address.channel })
          .catch(() => {}),
      outsidersMaySpend: settings.outsiders !== 'off',
      firstTime,
    }),
    whyBlocked: async (command, { address, requester: person }) =>
      whyBlocked(command, await placeSettings.at(address), person, words(person.locale, address.platform)),
    explain: (error, job) => {
      logFailure(error, job);
      return explanationOf(error, job);
    },
    mayModerate,
    mentionOnly: async (address) => (await placeSettings.at(address)).values.mention_only,
    bots: {
      areAnswered: async (address) => (await placeSettings.at(address)).values.answer_bots,
      takesTurn: (event, address) => botTurns.take(event, address),
    },
    suggest: async (source, typed, locale, address) => {
      // Without the database, a name can still be typed.
      const known =
        source === 'personas'
          ? await placeSettings.at(address, 'workspace').catch(() => undefined)
          : undefined;
      return suggest(source, typed, locale, { voices: voiceList.voices, personas: known?.personas });
    },
    elsewhere: (person, place) => turns.elsewhere(person, place),
    isDropped: (event, job) => deletedQuestions.isDropped(event, job),
    takeAway: (job) => deletions.takeAway(job),
    changeQuestion: (question) => removals.changeQuestion(question),
    deleted: (deleted) => noticedDeletions.noticed(deleted),
    notifyLater: (...failed) => recovery.notifyLater(...failed),
    watch,
    newId: randomId,
  });
  const recovery = new Recovery({
    ...shared,
    commands,
    question: (job) => dispatcher.questionOf(job),
    ...latePosts,
    watch,
  });
  return {
    dispatcher,
    /** Ends commands that other processes left unfinished when they died. */
    recovery,
    /** Messages that are still to be removed. */
    removals,
    sharing,
    outcomes: commandOutcomes({ ...shared, renders, deliveries }),
    homePage: homePage({ ...shared, commands, renders, credits, limitsFor }),
    renders,
    deliveries,
    credits,
    keyWatch,
    operators,
    controlRoom,
    voiceList,
    watch,
    localFaults,
    /** Adds a platform, to post through it and to ask it for the bot's operators. */
    addPlatform(platform: Pick<Platform, Used | 'operators'>): void {
      const { adapter } = platform;
      platforms.set(adapter.platform, platform);
      operators.add(adapter.platform, (workspace) => platform.operators(workspace));
    },
    /** Ends commands that nobody has confirmed in time; their questions say so as soon as the platform lets them. */
    endUnanswered: unansweredEnder({ ...shared, watch, removals }),
    /** Tells who has to know where an hour was unusually dear, and what couldn't be told before. */
    lookAtSpending: () => budgetAlerts.look(),
    /** Tells audit channels what hasn't been told yet. */
    lookAtAudit: () => audit.look(),
    /** Where the bot is, as platforms find out. */
    places: placeData as Places,
    /**
     * Deletes what was still under way when people asked for its deletion, what's left of places that removed the bot, and what
     * was said too long ago.
     */
    erase: () => inTurn([personalData, placeData, conversations], (data) => data.erase()),
    /** Deletes files that are no longer needed. */
    async sweepFiles(): Promise<void> {
      const needed = new Set([...(await renders.neededFiles()), ...(await deliveries.pendingIds())]);
      await spool.sweep(needed, youngestFile);
      await imageVersions.sweep();
    },
    /**
     * Ends the work under way, or leaves it on record for another process. `stoppingFor`: milliseconds since the process was
     * told to stop.
     */
    async close(stoppingFor = 0): Promise<void> {
      const patience = new AbortController();
      const longest = closingPatience - stoppingFor;
      const waited = sleep(clock, longest, patience.signal).catch(() => {});
      // An answer that the platform doesn't take in time is on record before the process ends.
      const lastEditsOver = sleep(clock, longest + lastEdits, patience.signal);
      void lastEditsOver.then(() => deliveries.stop()).catch(() => {});
      // Answers that were deleted wait for the database no longer.
      const deletionsClosed = waited.then(() => missedDeletions.close());
      await Promise.all([dispatcher.stop(waited), renders.close(), recovery.close(), keyWatch.close()]);
      patience.abort();
      await deletionsClosed;
      await sharing.close();
      await removals.close();
      await deliveries.close();
      await budgetAlerts.close();
      await Promise.all([controlRoom.close(), faults.close()]);
      await audit.close();
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
    as: '',
    buttons: 'all',
    machine_note: 'off',
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
    role_credits: [],
    over_budget: 'stop',
    cooldown: settings.cooldown ?? 0,
    renders_at_once: settings.rendersPerPerson,
    time_zone: 'UTC',
    off: [],
    connect: settings.outsiders === 'on',
    outsiders: settings.outsiders === 'on',
    outsider_credits: 0,
    blocked_words: [],
    answer_bots: false,
    audit_channel: '',
    keep_prompts: 0,
    blocked: [],
    ...forUsersSettings(() => []),
  };
}
