import { sql } from 'kysely';
import type { Conversations } from '../../conversation/index.ts';
import { type Clock, inTurn, SharedRuns } from '../../lib/clock.ts';
import { personKey, type PlaceSettings } from '../../place-settings/index.ts';
import {
  type Address,
  commandFor,
  eventsComeWithin,
  type Job,
  type Jobs,
  type LiveAnswers,
  type Person,
  type Platform,
  type PlatformAdapters,
  type PlatformName,
} from '../../port/index.ts';
import {
  type Database,
  deleteEndedJobs,
  emptyOptions,
  endedJobsOf,
  type OwnerOfJobs,
  type Records,
} from '../../store/index.ts';
import { bytesInWords } from '../../words/index.ts';
import type { AuditChannel } from '../audit/audit-channel.ts';
import type { Reports } from '../audit/reports.ts';
import type { ForgottenAnswers } from '../deletions/forgotten-answers.ts';
import type { FirstContacts } from '../endings.ts';
import { InputError } from '../faults/explain.ts';
import { possibleConversations, privateConversation, rootOf } from '../job-context.ts';
import type { AnswerVersions } from '../results/answer-versions.ts';
import type { ImageVersions } from '../results/image-versions.ts';

const day = 86_400_000;
/** The ledger knows for so long who spent what: no cooldown begins anew when somebody's data is deleted. */
const ledgerNames = day;
/** A deletion that was asked for is done again for so long: by then all that was under way has ended. */
const erasureLife = 14 * day;

/** Bytes of the commands in an export: some people's would take all memory. */
const mostExported = 128 * 1024 ** 2;

interface PersonalDataDependencies {
  readonly database: Database;
  /** The deletions that people asked for. */
  readonly keyv: Records;
  readonly conversations: Pick<Conversations, 'answerTo' | 'drop'> & {
    readonly ownThreads: Pick<Conversations['ownThreads'], 'disown'>;
  };
  readonly jobs: Pick<Jobs, 'named'>;
  readonly forgottenAnswers: Pick<ForgottenAnswers, 'forgetSaid'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly answerVersions: Pick<AnswerVersions, 'forgetWritten'>;
  readonly imageVersions: Pick<ImageVersions, 'forget'>;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
  readonly firstContacts: Pick<FirstContacts, 'forget'>;
  readonly audit: Pick<AuditChannel, 'forgetPerson'>;
  readonly reports: Pick<Reports, 'forgetPerson'>;
  readonly adapters: PlatformAdapters;
  readonly platforms: (name: PlatformName) => Pick<Platform, 'forgetPerson'> | undefined;
  readonly clock: Clock;
}

type Owner = ReturnType<typeof personKey>;

/** A deletion that somebody asked for: of what was there by then, in milliseconds since the epoch. */
interface Erasure {
  readonly owner: Owner;
  readonly before: number;
  /** Their private conversation where they asked for it. */
  readonly hidden?: string;
  /** That and their defaults are deleted: what they say there and choose from then on stays. */
  readonly hasNoDefaults?: true;
}

/** What is kept about people: they get it as a file, and have it deleted. */
export class PersonalData {
  readonly #dependencies: PersonalDataDependencies;
  /** Somebody's data may be much, and the buttons can be pressed as often as they like. */
  readonly #exports = new SharedRuns<Uint8Array>();
  readonly #deletions = new SharedRuns<void>();

  constructor(dependencies: PersonalDataDependencies) {
    this.#dependencies = dependencies;
  }

  /** All that's kept about a person on a platform, or in a workspace where that's where they have their id; JSON. */
  export(address: Address, person: Pick<Person, 'id' | 'name'>): Promise<Uint8Array> {
    const owner = personKey(address, person.id);
    return this.#exports.run(keyOf(owner), () => this.#export(owner, person));
  }

  async #export(owner: Owner, { id, name }: Pick<Person, 'id' | 'name'>): Promise<Uint8Array> {
    const { clock } = this.#dependencies;
    const commands: Buffer[] = [];
    let left = mostExported;
    for await (const job of jobsOf(this.#dependencies, owner, clock.now())) {
      const command = Buffer.from(`${commands.length > 0 ? ',' : ''}\n${jsonOf(await this.#exported(job))}`);
      left -= command.byteLength;
      if (left < 0) throw new InputError((say) => say.privacy.tooMuch(bytesInWords(mostExported)));
      commands.push(command);
    }
    const about = {
      exported_at: time(clock.now()),
      person: {
        platform: owner.platform,
        ...(owner.workspace !== '' && { workspace: owner.workspace }),
        id,
        name,
      },
      defaults: await this.#defaultsOf(owner),
      spending: await this.#spendingOf(owner),
      votes: await this.#votesOf(owner),
    };
    const [start, end] = [jsonOf(about).replace(/\n\}$/, ',\n"commands": ['), '\n]}\n'];
    return Buffer.concat([Buffer.from(start), ...commands, Buffer.from(end)]);
  }

  /**
   * Deletes what is kept about a person by now. That they asked is on record first: what's under way, and what limits still
   * count, is deleted by {@link erase} once it has ended.
   */
  async delete(address: Address, person: string): Promise<void> {
    const { clock, keyv } = this.#dependencies;
    const hidden = privateConversation(address, { id: person });
    const erasure: Erasure = { owner: personKey(address, person), before: clock.now(), hidden };
    const key = keyOf(erasure.owner);
    await keyv.set(key, erasure, erasureLife);
    await this.#deletions.run(`${key} ${hidden}`, async () => {
      // Of those who ask for it together, the last says until when.
      const { before } = (await keyv.get<Erasure>(key)) ?? erasure;
      await this.#erase({ ...erasure, before });
    });
  }

  /**
   * Deletes what has ended since of what people asked to be deleted. Call at start, and now and then.
   * @throws the first error, at the end.
   */
  async erase(): Promise<void> {
    const erasures = await this.#dependencies.keyv.startingWith<Erasure>('');
    await inTurn(erasures, (erasure) => this.#erase(erasure));
  }

  /** Each step may be done again. */
  async #erase(erasure: Erasure): Promise<void> {
    const { database, clock } = this.#dependencies;
    const { owner, before } = erasure;
    for await (const job of jobsOf(this.#dependencies, owner, before)) await this.#forget(job);
    await emptyOptions(database, owner, before);
    // A younger event may come again, and its person is told what came of it.
    await deleteEndedJobs(database, Math.min(before, clock.now() - eventsComeWithin), owner);
    await this.#deleteOnce(erasure);
    await this.#dependencies.firstContacts.forget(owner, before);
    await this.#dependencies.audit.forgetPerson(owner, before);
    await this.#dependencies.reports.forgetPerson(owner, before);
    await database
      .deleteFrom('feedback')
      .where(({ and }) => and(whereTheirs(owner)))
      .where('voted_at', '<=', before)
      .execute();
    const nobody = { person: '', person_name: '' };
    await database
      .updateTable('setting_changes')
      .set(nobody)
      .where(({ and }) => and(whereTheirs(owner)))
      .where('changed_at', '<=', before)
      .execute();
    await this.#ledgerOf(erasure).set({ prompt: null }).execute();
    await this.#leaveDirectMessages(erasure);
    await this.#ledgerOf(erasure)
      .set({ ...nobody, conversation_id: '', thread: null })
      .where('created_at', '<=', clock.now() - ledgerNames)
      .where('state', '<>', 'reserved')
      .execute();
  }

  /** What was spent in somebody's direct messages names them by those. */
  async #leaveDirectMessages(erasure: Erasure): Promise<void> {
    const { adapters, clock, database } = this.#dependencies;
    const { owner } = erasure;
    const platform = owner.platform as PlatformName;
    const places = await database
      .selectFrom('ledger')
      .select(['workspace', 'channel'])
      .distinct()
      // Apart: SQLite would read what all people have spent, in the order of places.
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('ledger')
          .select('id')
          .where('platform', '=', platform)
          .where('person', '=', owner.person)
          .where('created_at', '<=', clock.now() - ledgerNames),
      )
      .execute();
    for (const place of places)
      if (adapters(platform)?.meets({ platform, ...place }) === 'person')
        await this.#ledgerOf(erasure)
          // Where they are a workspace of their own, as on Discord, that's theirs, too.
          .set({ channel: '', ...(place.workspace === place.channel && { workspace: '' }) })
          .where('workspace', '=', place.workspace)
          .where('channel', '=', place.channel)
          .where('created_at', '<=', clock.now() - ledgerNames)
          .execute();
  }

  /** What was spent until then, and later on commands that were given until then. */
  #ledgerOf({ owner, before }: Erasure) {
    return this.#dependencies.database
      .updateTable('ledger')
      .where(({ and }) => and(whereTheirs(owner)))
      .where(({ eb, or, exists, ref, selectFrom }) =>
        or([
          eb('created_at', '<=', before),
          exists(
            selectFrom('jobs')
              .select('jobs.id')
              // Of several images each has its number behind the job's id.
              .where('jobs.id', 'in', [ref('ledger.job'), withoutNumber])
              .where('jobs.created_at', '<=', before),
          ),
        ]),
      );
  }

  /** Once: it isn't known when that was chosen, and said. */
  async #deleteOnce({ owner, before, hidden, hasNoDefaults }: Erasure): Promise<void> {
    if (hasNoDefaults) return;
    const { conversations, database, keyv, platforms } = this.#dependencies;
    if (hidden !== undefined) await conversations.drop(hidden);
    const there = [owner.platform, owner.workspace].filter(Boolean).map(encodeURIComponent);
    await conversations.ownThreads.disown(`${there.join('/')}/`, owner.person);
    await platforms(owner.platform as PlatformName)?.forgetPerson?.(owner.person);
    await database
      .deleteFrom('personal_defaults')
      .where(({ and }) => and(owner))
      .execute();
    await keyv.change<Erasure>(keyOf(owner), erasureLife, (latest) =>
      latest?.before === before ? { owner, before, hasNoDefaults: true } : undefined,
    );
  }

  /** Nothing quotes a command or its answer any more, and nobody pages back to it. */
  async #forget(job: Job): Promise<void> {
    const { answers, conversations, forgottenAnswers, answerVersions, imageVersions } = this.#dependencies;
    await forgottenAnswers.forgetSaid(job, 'answer');
    for (const own of await this.#ownConversations(job)) await conversations.drop(own, 'ifEmpty');
    await answerVersions.forgetWritten(job.id, await answers.messagesOf(job.id));
    // Versions of others' images are theirs.
    if (rootOf(job) === job.id) await imageVersions.forget(job.id);
  }

  /** Those that a command may have been part of and that are only its person's, who is named by their keys. */
  async #ownConversations(job: Job): Promise<readonly string[]> {
    const settings = await this.#dependencies.placeSettings.at(job.address);
    const possible = possibleConversations({ ...job, options: {}, settings });
    const isOwn = (key: string) => job.requester.direct === true || key.includes('@');
    return [privateConversation(job.address, job.requester), ...possible.filter(isOwn)];
  }

  async #exported(job: Job): Promise<object> {
    const { address, command, createdAt } = job;
    const { channel, thread, workspace } = address;
    // What others wrote that it quotes is theirs, and maybe deleted since.
    const { context: _, ...options } = job.options;
    const answer = command === commandFor.chat ? await this.#answerTo(job) : undefined;
    return {
      at: time(createdAt),
      command,
      where: { workspace, channel, ...(thread !== undefined && { thread }) },
      options,
      ...(answer !== undefined && { answer }),
    };
  }

  /** As far as a conversation or the versions of an answer have it. */
  async #answerTo(job: Job): Promise<string | undefined> {
    const { conversations, placeSettings } = this.#dependencies;
    const settings = await placeSettings.at(job.address);
    for (const place of possibleConversations({ ...job, settings })) {
      const answer = await conversations.answerTo(place, job.id);
      if (answer) return answer.text;
    }
    return undefined;
  }

  async #defaultsOf(owner: Owner): Promise<object> {
    const rows = await this.#dependencies.database
      .selectFrom('personal_defaults')
      .selectAll()
      .where(({ and }) => and(owner))
      .execute();
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  }

  async #spendingOf(owner: Owner): Promise<readonly object[]> {
    const rows = await this.#dependencies.database
      .selectFrom('ledger')
      .select([
        'created_at',
        'workspace',
        'channel',
        'kind',
        'model',
        'quantity',
        'state',
        'low',
        'high',
        'prompt',
      ])
      .where(({ and }) => and(whereTheirs(owner)))
      .orderBy('created_at')
      .execute();
    return rows.map(({ created_at, quantity, low, high, prompt, ...row }) => ({
      at: time(Number(created_at)),
      ...row,
      ...(prompt !== null && { prompt }),
      ...JSON.parse(quantity),
      credits: { low: Number(low) / 1e6, high: Number(high) / 1e6 },
    }));
  }

  async #votesOf(owner: Owner): Promise<readonly object[]> {
    const rows = await this.#dependencies.database
      .selectFrom('feedback')
      .select(['voted_at', 'workspace', 'channel', 'good'])
      .where(({ and }) => and(whereTheirs(owner)))
      .orderBy('voted_at')
      .execute();
    return rows.map(({ voted_at, good, ...where }) => ({
      at: time(Number(voted_at)),
      ...where,
      vote: good === 1 ? 'good' : 'bad',
    }));
  }
}

const withoutNumber = sql<string>`case when length(job) > 2 then substr(job, 1, length(job) - 2) end`;

/** Somebody's rows, in whatever workspace where their id is the same everywhere. */
function whereTheirs({ platform, workspace, person }: Owner) {
  return { platform, person, ...(workspace !== '' && { workspace }) };
}

/** One part of an export: all of it at once would keep everybody waiting. */
function jsonOf(part: object): string {
  return JSON.stringify(part, undefined, 2);
}

function keyOf({ platform, workspace, person }: Owner): string {
  return [platform, workspace, person].map(encodeURIComponent).join(' ');
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Commands that are read at a time. */
const atOnce = 200;

/** An owner's commands that have ended, given until then, oldest first. */
export async function* jobsOf(
  { database, jobs }: Pick<PersonalDataDependencies, 'database' | 'jobs'>,
  owner: OwnerOfJobs,
  before: number,
): AsyncGenerator<Job> {
  let ids: readonly string[];
  let last: Job | undefined;
  do {
    ids = await endedJobsOf(database, owner, { before, after: last, most: atOnce });
    const found = new Map((await jobs.named(ids, [])).map(({ job }) => [job.id, job]));
    yield* ids.flatMap((id) => found.get(id) ?? []);
    last = found.get(ids.at(-1) ?? '');
    // SQLite answers at once: others get their turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (ids.length === atOnce && last);
}
