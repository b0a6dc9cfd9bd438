import {
  AnswersUnderWay,
  commands,
  explain,
  imagePresenter,
  type Parts,
  Suggestions,
  videoPresenter,
  worthTryingAgain,
} from '../commands/index.ts';
import { type Clock, sleep } from './clock.ts';
import { Conversations } from './conversation/index.ts';
import { randomId } from './ids.ts';
import type { Log } from './ops/index.ts';
import {
  actionId,
  Dispatcher,
  type Job,
  type Outlet,
  type Outlets,
  type PlatformName,
  Recovery,
} from './port/index.ts';
import { Renders, Spool } from './renders/index.ts';
import type { ServiceClient } from './service/index.ts';
import type { ChatModel } from './spec/models.ts';
import { createJobs, createLiveAnswers, type Database, openKeyv } from './store/index.ts';
import { words } from './words/index.ts';

const day = 86_400_000;
/** Answers may go on for so long when the bot is stopped, in milliseconds; then they end as interrupted. */
const closingPatience = 15_000;

export interface BotParts {
  readonly database: Database;
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Where results wait on the disk until they are posted. */
  readonly spoolFolder: string;
  readonly settings: {
    readonly chatModel: ChatModel;
    readonly voice: string;
    readonly systemPrompt: string;
    readonly historyTokens: number;
    readonly historyDays: number;
  };
}

/** The bot without its platforms: what they hand commands to, and what posts through them. */
export interface Bot {
  readonly dispatcher: Dispatcher<Parts>;
  /** What a former process left. */
  readonly recovery: Recovery<Parts>;
  readonly renders: Renders;
  readonly suggestions: Suggestions;
  /** Makes a platform's outlet known. */
  addOutlet(outlet: Outlet): void;
  /** Ends what is under way, or leaves it on record. */
  close(): Promise<void>;
}

/** Puts the parts of the bot together. */
export function createBot({ database, service, clock, log, spoolFolder, settings }: BotParts): Bot {
  const outletsByName = new Map<PlatformName, Outlet>();
  const outlets: Outlets = (name) => outletsByName.get(name);
  const jobs = createJobs(database);
  const answers = createLiveAnswers(database);
  const now = () => clock.now();
  const presenters = { image: imagePresenter(outlets), video: videoPresenter };
  const spool = new Spool(spoolFolder);
  const renders = new Renders({ database, jobs, service, outlets, presenters, spool, clock, log });
  const suggestions = new Suggestions(service);
  const conversations = new Conversations({
    keyv: openKeyv(database, 'conversation', now),
    systemPrompt: settings.systemPrompt,
    historyTokens: settings.historyTokens,
    idleLimit: settings.historyDays * day,
  });
  const report = (error: unknown, { id, command }: Job) =>
    log[worthTryingAgain(error) ? 'error' : 'info']({ job: id, command, error }, 'command failed');
  const parts: Parts = {
    service,
    conversations,
    renders,
    outlets,
    answers: new AnswersUnderWay(),
    report,
    defaults: { chatModel: settings.chatModel, voice: settings.voice },
  };
  const dispatcher = new Dispatcher({
    commands,
    parts,
    jobs,
    answers,
    outlets,
    rules: async (_, values) => ({ kind: 'allowed', values }),
    words,
    explain: (error, job) => {
      report(error, job);
      const say = words(job.requester.locale);
      const buttons = [{ id: actionId(job.command, 'again', job.id), label: say.tryAgain }];
      return { text: `⚠️ ${explain(error, say)}`, ...(worthTryingAgain(error) && { buttons }) };
    },
    suggest: (source, typed, locale) => suggestions.suggest(source, typed, locale),
    newId: randomId,
    now,
  });
  const recovery = new Recovery({ commands, parts, jobs, answers, outlets, words, clock, log });
  return {
    dispatcher,
    recovery,
    renders,
    suggestions,
    addOutlet: (outlet) => void outletsByName.set(outlet.platform, outlet),
    async close() {
      const patience = new AbortController();
      const waited = sleep(clock, closingPatience, patience.signal).catch(() => {});
      await Promise.all([dispatcher.stop(waited), renders.close(), recovery.close()]);
      patience.abort();
    },
  };
}
