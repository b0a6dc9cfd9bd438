import type { Locks } from '../../coordination/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { personKey } from '../../place-settings/index.ts';
import {
  channelKey,
  isPrivate,
  type Job,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
  paidCommandNames,
  type Person,
  type Place,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Database, Records } from '../../store/index.ts';
import type { AuditChannel } from './audit-channel.ts';
import { isGone, resultLink } from './audit-lines.ts';

const day = 86_400_000;
/** A person reports a message once: that's known as long as the message's command is. */
const reportLife = 90 * day;
/** Commands of a person among which the latest in a place is looked for. */
const latestRead = 20;
/** So many reports a person can send in a day, and so many of one result are told. */
const [mostOfPerson, mostOfResult] = [10, 5];

interface ReportsDependencies {
  readonly database: Database;
  readonly keyv: Records;
  readonly audit: Pick<AuditChannel, 'note' | 'tellReport'>;
  readonly jobs: Pick<Jobs, 'find'>;
  readonly answers: Pick<LiveAnswers, 'jobsWith' | 'messagesOf'>;
  readonly adapters: PlatformAdapters;
  readonly locks: Locks;
  readonly clock: Pick<Clock, 'now'>;
}

/** What's reported, and how. */
export interface Report {
  /** The message, as its platform names it (`messageSource`), or the job whose button was pressed; if neither, the latest that they were given there. */
  readonly message?: string;
  readonly job?: string;
  readonly link?: string;
  readonly reason: string;
  readonly isAnonymous: boolean;
}

/** What becomes of a report. */
export type ReportOutcome = 'sent' | 'already' | 'tooMany' | 'unknown' | 'nobody';

/** Reports of what the bot made, for those who look after a place: each is on record before they're told. */
export class Reports {
  readonly #dependencies: ReportsDependencies;

  constructor(dependencies: ReportsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes a report that `job` gave. Done again, it leads to the same end. */
  async take(job: Reporter, report: Report): Promise<ReportOutcome> {
    const { locks } = this.#dependencies;
    const { address, requester } = job;
    const reported = await this.#reported(job, report);
    if (!reported) return 'unknown';
    const ofPerson = prefixOf(personKey(address, requester.id));
    // Of many at the same moment each would find that few came before it.
    return locks.run(`reports ${ofPerson}`, () => this.#take(job, reported, report, ofPerson));
  }

  async #take(job: Reporter, reported: Reported, report: Report, ofPerson: string): Promise<ReportOutcome> {
    const { keyv, clock } = this.#dependencies;
    const key = `${ofPerson}${reported.job.id}`;
    const taken = await keyv.get<Taken>(key);
    if (taken?.isSent) return 'already';
    const isToday = ({ at }: Taken) => clock.now() - at < day;
    const today = (await keyv.startingWith<Taken>(ofPerson)).filter(isToday).length;
    if (today - (taken && isToday(taken) ? 1 : 0) >= mostOfPerson) return 'tooMany';
    const at = clock.now();
    const isNew = await keyv.add(key, { at, isSent: false } satisfies Taken, reportLife);
    const isTold = (await this.#count(reported.job, isNew)) <= mostOfResult;
    const outcome = isTold
      ? await this.#tell(job, reported, report)
      : await this.#tellOthers(job, reported.job);
    if (outcome === 'sent') await keyv.set(key, { at, isSent: true } satisfies Taken, reportLife);
    return outcome;
  }

  /** How often something was reported, which names no one: nobody has to read of it again and again. */
  async #count({ id }: Job, isNew: boolean): Promise<number> {
    const { keyv } = this.#dependencies;
    const counted = `of ${id}`;
    const count = isNew
      ? await keyv.change<number>(counted, reportLife, (before = 0) => before + 1)
      : await keyv.get<number>(counted);
    return count ?? 0;
  }

  /** Whether nothing of what was reported stands any more. */
  isGone(job: Job): Promise<boolean> {
    return isGone(job, this.#dependencies);
  }

  /**
   * Notes who deletes what the report in a message is about, where somebody `is` to. @returns who wanted to first, who stays:
   * the deletion is theirs though their process died before that's said.
   */
  async deletedBy(at: MessageAddress, is?: Pick<Person, 'id' | 'name'>): Promise<string | undefined> {
    const { keyv, clock } = this.#dependencies;
    const key = deletionKey(at);
    const by = is && { id: is.id, name: is.name, at: clock.now() };
    if (by && (await keyv.add(key, by satisfies Deleter, reportLife))) return by.name;
    return (await keyv.get<Deleter>(key))?.name;
  }

  /** It couldn't be deleted. */
  async keep(at: MessageAddress): Promise<void> {
    await this.#dependencies.keyv.delete(deletionKey(at));
  }

  /** Who reported what by then isn't known any more, once no limit counts it; nor who deleted what was reported. */
  async forgetPerson(owner: ReturnType<typeof personKey>, before: number): Promise<void> {
    const { keyv, clock } = this.#dependencies;
    const prefix = prefixOf(owner);
    const keys = await keyv.keysStartingWith([prefix]);
    const isOver = (taken: Taken | undefined) => taken && taken.at <= Math.min(before, clock.now() - day);
    for (const key of keys) if (isOver(await keyv.get<Taken>(key))) await keyv.delete(key);
    const { platform, workspace, person } = owner;
    const deletions = deletionsOf(platform, workspace);
    for (const key of await keyv.keysStartingWith([deletions])) {
      const by = await keyv.get<Deleter>(key);
      if (by?.id === person && by.at <= before) await keyv.delete(key);
    }
  }

  /** Nor is it known of anybody in a workspace that has its own ids for them. */
  async forgetPlace({ platform, workspace }: Place): Promise<void> {
    const { keyv } = this.#dependencies;
    await keyv.deleteStartingWith(`by ${platform} ${workspace} `);
    await keyv.deleteStartingWith(deletionsOf(platform, workspace));
  }

  async #tell(
    { address, requester }: Reporter,
    { job: reported, isShown }: Reported,
    { link, reason, isAnonymous }: Report,
  ): Promise<ReportOutcome> {
    const { audit } = this.#dependencies;
    const place = placeOf({ address, requester }, reported);
    const shown = isShown ? (link ?? (await resultLink(reported, this.#dependencies))) : undefined;
    const { id, name } = requester;
    const note = `${notesAbout(reported)}${id}`;
    await audit.note(place, note, {
      kind: 'report',
      ...(!isAnonymous && { person: { id, name } }),
      reason,
      about: reported.id,
      ...(isShown && { isShown }),
      ...(shown !== undefined && { link: shown }),
    });
    return (await audit.tellReport(place, note)) ? 'sent' : 'nobody';
  }

  /** Those reports of it that are told, where one still waits. */
  async #tellOthers(by: Reporter, reported: Job): Promise<ReportOutcome> {
    return (await this.#dependencies.audit.tellReport(placeOf(by, reported), notesAbout(reported)))
      ? 'sent'
      : 'nobody';
  }

  /** The latest paid command that a person gave where they are now. */
  async #latest({ address, requester }: Reporter): Promise<Job | undefined> {
    const { database, jobs } = this.#dependencies;
    const rows = await database
      .selectFrom('jobs')
      .select('id')
      .where('person', '=', requester.id)
      .where('command', 'in', paidCommandNames)
      .where('state', 'in', ['done', 'failed'])
      .orderBy('created_at', 'desc')
      .limit(latestRead)
      .execute();
    for (const { id } of rows) {
      const job = await jobs.find(id);
      if (job && channelKey(job.address) === channelKey(address)) return job;
    }
    return undefined;
  }

  /** The command that's reported, where its reporter can see what it made: ids of messages can be forged. */
  async #reported(by: Reporter, { message, job: id }: Report): Promise<Reported | undefined> {
    if (message !== undefined) return this.#ofMessage(by, message);
    const job = await (id === undefined ? this.#latest(by) : this.#dependencies.jobs.find(id));
    return job && isSeenBy(by, job) ? { job, isShown: !isPrivate(job) } : undefined;
  }

  async #ofMessage(by: Reporter, source: string): Promise<Reported | undefined> {
    const { answers, jobs } = this.#dependencies;
    const { platform, workspace } = by.address;
    const message = messageIn(source);
    if (!message || message.platform !== platform) return undefined;
    const { channel } = message;
    const found = await answers.jobsWith({
      platform,
      messages: [message.id],
      ...(channel !== undefined && { channel }),
    });
    for (const id of found.toReversed()) {
      const job = await jobs.find(id);
      if (job?.address.platform !== platform || job.address.workspace !== workspace) continue;
      // Everybody sees what its requester has shared.
      const known = isPrivate(job) ? await answers.messagesOf(id) : [];
      const isShown = !isPrivate(job) || known.some((one) => isSharedIn(one) && one.message === message.id);
      if (isShown || isSeenBy(by, job)) return { job, isShown };
    }
    return undefined;
  }
}

type Reporter = Pick<Job, 'address' | 'requester'>;

/** Direct messages, with the bot or of several people, are nobody's place: those who run the bot are told. */
function placeOf(
  { address: { platform, workspace }, requester: { direct } }: Reporter,
  { requester }: Pick<Job, 'requester'>,
): Place {
  return { platform, workspace: direct || requester.unmoderated ? '' : workspace };
}

/** What the ids of the notes of its reports begin with. */
const notesAbout = ({ id }: Job) => `report ${id} `;

interface Reported {
  readonly job: Job;
  /** Others see it, too. */
  readonly isShown: boolean;
}

function isSeenBy({ address, requester }: Reporter, job: Job): boolean {
  return job.address.platform === address.platform && (!isPrivate(job) || job.requester.id === requester.id);
}

interface Taken {
  readonly at: number;
  readonly isSent: boolean;
}

/** Who deletes what a report is about, and since when. */
interface Deleter extends Pick<Person, 'id' | 'name'> {
  readonly at: number;
}

const isSharedIn = ({ isShared }: MessageAddress) => isShared === true;

const deletionKey = ({ platform, workspace, channel, message }: MessageAddress) =>
  `${deletionsOf(platform, workspace)}${channel} ${message}`;
/** What the keys begin with of deletions by those in a workspace, or on a whole platform. */
const deletionsOf = (platform: string, workspace: string) =>
  `deleted ${platform} ${workspace === '' ? '' : `${workspace} `}`;

const prefixOf = ({ platform, workspace, person }: ReturnType<typeof personKey>) =>
  `by ${platform} ${workspace} ${person} `;

/** The parts of what `messageSource` writes. */
function messageIn(source: string) {
  const [platform, ...ids] = source.split(':');
  const [channel, id] = ids.length > 1 ? ids : [undefined, ids[0]];
  return id === undefined || id === '' ? undefined : { platform, channel, id };
}
