import { contextTokens } from '../../conversation/index.ts';
import type { Coordination } from '../../coordination/index.ts';
import type { CommandDispatcher, Prepares } from '../../engine/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Meter, noMeter } from '../../lib/telemetry.ts';
import type { CommandOutcomes, HomePage, Places } from '../../port/index.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  type BegunBefore,
  createCapabilities,
  type Database,
  isSilent,
  openKeyv,
  type Records,
  unlessTakenOver,
} from '../../store/index.ts';
import type { AccessLosses } from './api/access-losses.ts';
import type { ChannelIds } from './api/channel-ids.ts';
import { libraryLogger, type Log } from './api/log.ts';
import { RateLimits } from './api/rate-limits.ts';
import { SlackApi } from './api/slack-api.ts';
import { inSlackStyle, typedName } from './commands/slash-commands.ts';
import { HomeTab } from './home/home-tab.ts';
import { Arrivals } from './incoming/arrivals.ts';
import { MessageDeletions } from './incoming/message-deletions.ts';
import { withPlaceRules } from './incoming/place-rules.ts';
import { ThreadReader } from './incoming/thread-reader.ts';
import { ThreadRecords } from './incoming/thread-records.ts';
import { answerHeader, MessageChrome, MessageFormats } from './markup/message-formats.ts';
import { FileKinds } from './media/files.ts';
import { Uploads } from './media/uploads.ts';
import { People, UserGroups } from './people/people.ts';
import { SlackAdapter } from './post/adapter.ts';
import { ChannelRefusals, Channels } from './post/channels/channels.ts';
import { DirectMessages } from './post/channels/direct-messages.ts';
import { JoinOffers } from './post/channels/join-offers.ts';
import { Threads } from './post/channels/threads.ts';
import { Edits } from './post/edits.ts';
import { PostedMessages } from './post/posted-messages.ts';
import { ResponseUrls } from './post/response-urls.ts';
import { AgentSessions } from './reply/stream/agent-sessions.ts';
import { NativeStreams } from './reply/stream/native-streams.ts';
import { UnfinishedAnswerRecords } from './reply/unfinished-answer-records.ts';
import { UnfinishedAnswers } from './reply/unfinished-answers.ts';
import type { WorkspaceAccess } from './setup/workspace-access.ts';
import { StepRecords } from './steps/step-records.ts';
import { Steps } from './steps/steps.ts';

export interface SlackDependencies {
  readonly dispatcher: CommandDispatcher;
  readonly homePage: HomePage;
  readonly outcomes: CommandOutcomes;
  readonly database: Database;
  /** Where the app is, as Slack tells. */
  readonly places: Places;
  /** What a database that was restored may have lost of what was posted. */
  readonly begunBefore?: BegunBefore;
  /** Seals the tokens of installations. */
  readonly vault: Vault;
  readonly meter?: Meter;
  /** With the other processes of the bot. */
  readonly coordination: Coordination;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SlackSettings;
}

interface ServicesDependencies extends SlackDependencies {
  readonly store: Records;
  readonly access: WorkspaceAccess;
  readonly losses: AccessLosses;
  readonly channelIds: ChannelIds;
}

/** All there is of Slack: what the handlers of its events and the adapter work with. */
export type SlackServices = ReturnType<typeof createServices>;

/** Creates all of that. */
export function createServices(dependencies: ServicesDependencies) {
  const { dispatcher, database, store, access, losses, channelIds } = dependencies;
  const { coordination, clock, log, settings } = dependencies;
  const { signals } = coordination;
  const rateLimits = new RateLimits(clock, coordination, dependencies.meter);
  const refusals = new ChannelRefusals(store);
  const api = new SlackApi({
    clock,
    apiUrl: settings.SLACK_API_URL,
    tokens: access.token,
    rateLimits,
    losses,
    channelIds,
    logger: libraryLogger(log),
    ...(dependencies.meter && { meter: dependencies.meter }),
    untilAlive: coordination.untilAlive,
    onError: (error) => access.noteLoss(error),
    onAnswer: (...answer) => refusals.noteAnswer(...answer),
  });
  const capabilities = createCapabilities(database, 'slack', () => clock.now());
  const channels = new Channels({ api, refusals, store, signals, clock });
  const userGroups = new UserGroups(api, clock);
  const people = new People(api, userGroups, clock);
  const directMessages = new DirectMessages(api, store, clock);
  const { expectLiving } = coordination;
  const notTakenOver = () => unlessTakenOver(clock, expectLiving);
  const { begunBefore } = dependencies;
  const postedMessages = new PostedMessages(api, store, clock, { expectLiving, begunBefore });
  const edits = new Edits(api, rateLimits);
  const responseUrls = new ResponseUrls(store, {
    meter: dependencies.meter,
    untilAlive: coordination.untilAlive,
    unlessTakenOver: notTakenOver,
  });
  const formats = new MessageFormats(capabilities);
  const messageChrome = new MessageChrome(store);
  const fileKinds = new FileKinds(api, capabilities, clock);
  const idsOf = (channel: string) => channelIds.all(channel);
  const isIn = async (workspace: string) => (await access.token(workspace)) !== undefined;
  const threads = new Threads(store, idsOf, isIn);
  const uploads = new Uploads(api, fileKinds, clock);
  const records = new UnfinishedAnswerRecords(store, coordination);
  const nativeStreams = new NativeStreams({
    ...{ api, postedMessages, capabilities, rateLimits, signals, clock },
    openElsewhere: async (workspace) => (coordination.slots ? records.streamsElsewhere(workspace) : 0),
    expectLiving,
  });
  const sessions = new AgentSessions({
    ...{ api, capabilities, records: store, clock, log },
    isAtWorkElsewhere: (address) =>
      coordination.slots ? records.areElsewhere(address) : Promise.resolve(false),
  });
  const unfinishedAnswers = new UnfinishedAnswers({
    ...{ api, postedMessages, edits, sessions, nativeStreams, records, clock, log },
  });
  const prefix = settings.SLACK_COMMAND_PREFIX;
  const threadReader = new ThreadReader({
    ...{ api, capabilities, clock },
    // In a namespace of their own.
    records: new ThreadRecords(
      openKeyv(database, 'slack-threads', () => clock.now()),
      idsOf,
    ),
    isDistributed: settings.SLACK_CLIENT_ID !== undefined,
  });
  const deletions = new MessageDeletions({ api, dispatcher, postedMessages, threadReader, clock, log });
  channelIds.onMoved((to) => void deletions.again(to));
  const adapter = new SlackAdapter({
    ...{ api, channels, people, directMessages, postedMessages, edits, responseUrls, formats, messageChrome },
    ...{ uploads, capabilities, threads, unfinishedAnswers, clock },
    hasReplies: (...where) => threadReader.hasReplies(...where),
    isTombstone: ({ workspace, channel, message }) => threadReader.isTombstone(workspace, channel, message),
    unlessTakenOver: notTakenOver,
    deletedQuestion: (job) => deletions.ofQuestion(job),
    questionEnded: (question) => sessions.questionEnded(question),
    settleLeft: (message) => sessions.settleLeft(message),
    headerOf: ({ requester, command, text, options }) =>
      answerHeader(requester, typedName(command, prefix), text, options),
    botName: access.nameIn,
    workspaceName: access.workspaceName,
  });
  const steps = new Steps({
    ...{ api, adapter, clock, log },
    outcomes: dependencies.outcomes,
    records: new StepRecords({ store, coordination, vault: dependencies.vault }),
  });
  const styled = (text: string) => inSlackStyle(text, dispatcher.commands, prefix);
  const homeTab = new HomeTab({
    ...{ api, people, clock, log, inSlackStyle: styled },
    page: dependencies.homePage,
    coordination,
  });
  return {
    // What's asked for goes by `requests`.
    dispatcher: dispatcher as Omit<CommandDispatcher, keyof Prepares>,
    requests: withPlaceRules(dispatcher, { kinds: fileKinds, channels, clock }),
    ...{ api, rateLimits, capabilities, channels, people, userGroups, directMessages },
    ...{ responseUrls, formats, fileKinds, uploads, nativeStreams, sessions, unfinishedAnswers, adapter },
    unfinishedAnswerRecords: records,
    threads,
    threadReader,
    contextTokens: contextTokens(settings.HISTORY_TOKENS),
    arrivals: new Arrivals({ store, coordination, clock }),
    deletions,
    inSlackStyle: styled,
    homeTab,
    joinOffers: new JoinOffers(store, api, channels),
    steps,
    ...{ prefix, settings, access, losses, channelIds, clock, log },
    botName: access.nameIn,
    meter: dependencies.meter ?? noMeter,
    /** Whether people shouldn't wait for the database. */
    isSilent: () => isSilent(database),
  };
}

/** The settings of Slack; their names are those of the environment. */
export interface SlackSettings {
  readonly SLACK_BOT_TOKEN?: string | undefined;
  readonly SLACK_APP_TOKEN?: string | undefined;
  readonly SLACK_SIGNING_SECRET?: string | undefined;
  readonly SLACK_CLIENT_ID?: string | undefined;
  readonly SLACK_CLIENT_SECRET?: string | undefined;
  readonly SLACK_STATE_SECRET?: string | undefined;
  readonly SLACK_COMMAND_PREFIX: string;
  readonly SLACK_API_URL: string;
  readonly HISTORY_TOKENS: number;
  readonly ALLOWED_TEAMS?: readonly string[] | undefined;
}
