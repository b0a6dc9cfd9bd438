import type { Locks } from '../../coordination/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/text.ts';
import type { personKey, PlaceSettings } from '../../place-settings/index.ts';
import {
  adapterOf,
  type Address,
  type Job,
  type Jobs,
  type Locale,
  type Message,
  type Person,
  type Place,
  refusalOf,
} from '../../port/index.ts';
import {
  commandsIn,
  type Database,
  type FirstTime,
  type GivenCommand,
  type Records,
} from '../../store/index.ts';
import { words } from '../../words/index.ts';
import { InputError } from '../faults/explain.ts';
import { latestLocale, type Operators } from '../policy/operators.ts';
import { batchMessage, type LineDependencies, type NoteLine, reportMessage } from './audit-lines.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
/** Lines are gathered for so long before they're posted in one message, in milliseconds. */
const gathered = 10 * second;
/** So many lines are in a message, which the strictest platform takes whole, and so many messages are posted one after the other: answers go first. */
const [linesAtOnce, messagesAtOnce] = [7, 3];
/** Commands that are read at once. */
const mostCommands = 500;
/** A command may come to the database a little later than others that were given after it, by the clock of another process. */
const overlap = minute;
/** A channel that couldn't be posted to is tried again after so long; commands that ended more than a day before aren't told. */
const [pause, oldest] = [hour, day];
/** A line that nobody can be told is deleted after so long. */
const lineLife = 7 * day;
/** Administrators are told once in so long that nothing can be posted there. */
const complaintSpacing = 7 * day;

interface AuditDependencies extends LineDependencies {
  readonly keyv: Records;
  readonly placeSettings: Pick<PlaceSettings, 'at' | 'changes'>;
  readonly operators: Pick<Operators, 'on' | 'localeOf'>;
  readonly jobs: Pick<Jobs, 'find' | 'named'>;
  readonly mayModerate: (person: Pick<Person, 'id'>, job: Job) => Promise<boolean>;
  readonly firstTime: FirstTime;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** A place with an audit channel, and how far that's told. */
interface Watched extends Place {
  readonly locale: Locale;
  /** Commands given until then are told, or known as not over yet. */
  readonly until: number;
  /** Those of them that are around that moment: they aren't looked at again. */
  readonly seen: readonly string[];
  /** Those that aren't told yet: they aren't over, or wait for their message. */
  readonly open: readonly string[];
  /** What's being posted: it's on record before, and posted under the same key again if the process dies. */
  readonly batch?: Batch;
  /** Since when the channel takes nothing. */
  readonly refusedAt?: number;
}

interface Batch {
  readonly id: string;
  readonly commands: readonly string[];
  /** Keys of notes. */
  readonly notes: readonly string[];
}

/** A note as it's kept until it's told. */
type Note = NoteLine & Place & { readonly key: string; readonly at: number };
type ReportNote = Note & { readonly kind: 'report' };

/**
 * Tells in a channel that a place's administrators chose what people do with the bot there: a line for each command that cost
 * credits, once it's over, for each report and each change of settings. What's told is found in what's on record anyway, so
 * that nothing waits for it and a death loses or repeats nothing.
 */
export class AuditChannel {
  readonly #dependencies: AuditDependencies;
  readonly #underWay = new Set<Promise<void>>();
  #cancelLook: (() => void) | undefined;
  #isClosed = false;
  /** When it was last seen that no place has one. */
  #unusedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: AuditDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Begins to tell what happens in a place from now on in a channel of it, where it says so.
   * @throws {InputError} if nothing can be posted there, or people of other organizations would read it.
   */
  async begin(address: Address, channel: string, by: Person, key: string): Promise<void> {
    const { database, keyv, clock } = this.#dependencies;
    const { platform, workspace } = address;
    const there: Address = { platform, workspace, channel };
    const adapter = adapterOf(this.#dependencies, there);
    const { audit } = words(by.locale, platform);
    if (!(await adapter.hasChannel(there)))
      throw new InputError((to) => words(to.locale, platform).audit.notHere);
    if (await adapter.isExternal(there))
      throw new InputError((to) => words(to.locale, platform).audit.isExternal);
    try {
      await adapter.postThere(there, { text: audit.begun }, `audit:begun:${key}`);
    } catch (error) {
      if (refusalOf(error) === undefined) throw error;
      throw new InputError((to) => words(to.locale, platform).audit.cannotPost);
    }
    const until = clock.now();
    // What was given before isn't told.
    const before = await givenSince(database, there, until - overlap);
    const seen = before.map(({ id }) => id);
    const place: Watched = { platform, workspace, locale: by.locale, until, seen, open: [] };
    await keyv.set(placeKey(place), place);
    this.#unusedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether what happens in a place is told in a channel. */
  async isOn(place: Place, keyv = this.#dependencies.keyv): Promise<boolean> {
    return (await keyv.get(placeKey(place))) !== undefined;
  }

  /** Notes something that no record of a command says; once for each id. @returns whether it's new. */
  async note(
    place: Place,
    id: string,
    line: NoteLine,
    keyv: Pick<Records, 'add'> = this.#dependencies.keyv,
  ): Promise<boolean> {
    const { clock } = this.#dependencies;
    const { platform, workspace } = place;
    const key = `${notesOf(place)}${id}`;
    const person = line.person && { person: { id: line.person.id, name: line.person.name } };
    const note: Note = { ...line, ...person, platform, workspace, key, at: clock.now() };
    const isNew = await keyv.add(key, note, lineLife);
    this.#unusedAt = Number.NEGATIVE_INFINITY;
    this.wake();
    return isNew;
  }

  /** The same where that's told in a channel only; with what else a transaction writes, if there's one. */
  async noteThere(place: Place, id: string, line: NoteLine, transaction?: Database): Promise<void> {
    const { keyv } = this.#dependencies;
    const records = transaction ? keyv.within(transaction) : keyv;
    if (await this.isOn(place, records)) await this.note(place, id, line, records);
  }

  /** Something ended that may have to be told: it's looked for a little later. */
  wake(after = gathered): void {
    const { clock, keyv } = this.#dependencies;
    if (this.#isClosed || this.#cancelLook || clock.now() - this.#unusedAt < minute) return;
    this.#track(async () => {
      const used = await keyv.keysStartingWith([placePrefix, notePrefix]);
      if (used.length === 0) this.#unusedAt = clock.now();
      else if (!this.#isClosed)
        this.#cancelLook ??= clock.after(after, () => {
          this.#cancelLook = undefined;
          this.#track(() => this.look());
        });
    });
  }

  /** Tells what's to be told, by one process at a time. Call at start, and now and then. */
  async look(): Promise<void> {
    const { keyv, locks, log } = this.#dependencies;
    const found = [
      ...(await keyv.startingWith<Watched>(placePrefix)),
      ...(await keyv.startingWith<Note>(notePrefix)),
    ];
    const places = new Map(
      found.map(({ platform, workspace }) => [`${platform} ${workspace}`, { platform, workspace }]),
    );
    for (const [name, place] of places)
      await locks
        .run(`audit ${name}`, () => this.#tell(place))
        .catch((error: unknown) => {
          if (this.#isClosed) return;
          log.warn({ error, ...place }, 'an audit channel could not be told what happened');
          this.wake(minute);
        });
  }

  /** Nothing is told any more of a server or workspace from which the bot was removed. */
  async forget(place: Place): Promise<void> {
    const { keyv } = this.#dependencies;
    await keyv.delete(placeKey(place));
    await keyv.deleteStartingWith(notesOf(place));
  }

  /** What a person did by then isn't told any more; `workspace` is empty where their id is the same everywhere. */
  async forgetPerson(
    { platform, workspace, person }: ReturnType<typeof personKey>,
    before: number,
  ): Promise<void> {
    const { keyv } = this.#dependencies;
    // What's reported in direct messages is of no place.
    const prefixes = workspace === '' ? [''] : [`${workspace} `, ' '];
    // A report without a name has whose it is in its key only.
    const isTheirs = ({ key, person: by }: Note) => by?.id === person || key.endsWith(` ${person}`);
    for (const prefix of prefixes)
      for (const note of await keyv.startingWith<Note>(`${notePrefix}${platform} ${prefix}`))
        if (isTheirs(note) && note.at <= before) await keyv.delete(note.key);
  }

  /** Resolves when nothing of it's under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook?.();
    await Promise.all(this.#underWay);
  }

  #track(work: () => Promise<void>): void {
    const { log } = this.#dependencies;
    const tracked = work()
      .catch((error: unknown) => {
        if (!this.#isClosed) log.warn({ error }, 'what is to be told in audit channels could not be read');
      })
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  /** Reports don't wait until the rest is gathered. */
  async #tell(place: Place, what: 'all' | 'reports' = 'all'): Promise<void> {
    const { keyv, placeSettings, clock } = this.#dependencies;
    const at = { ...place, channel: '' };
    const { audit_channel: channel } = (await placeSettings.at(at, 'workspace')).values;
    const watched = await keyv.get<Watched>(placeKey(place));
    if (channel === '' || !watched) {
      await keyv.delete(placeKey(place));
      return this.#tellWithoutChannel(place);
    }
    if (watched.refusedAt !== undefined && clock.now() - watched.refusedAt < pause)
      return this.#tellWithoutChannel(place);
    let state = watched;
    for (let count = 0; count < messagesAtOnce; count++) {
      state = state.batch ? state : await this.#gather(state, what);
      await keyv.set(placeKey(place), state);
      if (!state.batch) return;
      if (!(await this.#post(state, state.batch, channel))) return this.#tellWithoutChannel(place);
      for (const key of state.batch.notes) await keyv.delete(key);
      const { batch: _, refusedAt: __, ...told } = state;
      state = told;
      await keyv.set(placeKey(place), state);
    }
    this.wake();
  }

  /** Finds what's to be told next. */
  async #gather(state: Watched, what: 'all' | 'reports'): Promise<Watched> {
    const { database, keyv, clock } = this.#dependencies;
    const notes = oneMessageOf(await keyv.startingWith<Note>(notesOf(state)));
    const isReport = notes[0]?.kind === 'report';
    if (what === 'reports' && !isReport) return state;
    const until = Math.max(state.until, clock.now() - oldest);
    const given = await givenSince(database, state, until - overlap);
    const before = await commandsIn(database, state, { ids: state.open });
    const seen = new Set(state.seen);
    const paid = [...before, ...given.filter(({ id }) => !seen.has(id))];
    const over = paid.filter(({ isOver }) => isOver).slice(0, isReport ? 0 : linesAtOnce - notes.length);
    const told = new Set(over.map(({ id }) => id));
    const last = Math.max(until, given.at(-1)?.createdAt ?? 0);
    const next: Watched = {
      ...state,
      until: last,
      seen: given.filter(({ createdAt }) => createdAt > last - overlap).map(({ id }) => id),
      open: [...new Set(paid.map(({ id }) => id))].filter((id) => !told.has(id)),
    };
    if (over.length + notes.length === 0) return next;
    return { ...next, batch: { id: randomId(), commands: [...told], notes: notes.map(({ key }) => key) } };
  }

  /** @returns false if the channel doesn't take it. */
  async #post(state: Watched, batch: Batch, channel: string): Promise<boolean> {
    const { keyv, jobs, clock } = this.#dependencies;
    const { platform, workspace, locale } = state;
    const say = words(locale, platform);
    const there: Address = { platform, workspace, channel };
    const adapter = adapterOf(this.#dependencies, there);
    const isExternal = await adapter.isExternal(there);
    const notes = await Promise.all(batch.notes.map((key) => keyv.get<Note>(key)));
    const told = {
      notes: notes.flatMap((note) => note ?? []),
      commands: await jobs.named(batch.commands, []),
    };
    for (const isBare of [false, true]) {
      const message = await batchMessage(told, say, { ...this.#dependencies, isBare });
      if (!message) return true;
      if (isExternal) break;
      try {
        await adapter.postThere(there, message, `audit:${batch.id}`);
        return true;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined) throw error;
        if (refusal !== 'moderated') break;
      }
    }
    await keyv.set(placeKey(state), { ...state, refusedAt: clock.now() } satisfies Watched);
    await this.#complain(state, isExternal ? say.audit.becameExternal : say.audit.refused);
    return false;
  }

  /** Tells an administrator or operator that another channel is needed. */
  async #complain(state: Watched, text: string): Promise<void> {
    const { platform, workspace } = state;
    if (!(await this.#dependencies.firstTime(`audit refused ${platform} ${workspace}`, complaintSpacing)))
      return;
    await this.tellSomebody(state, async () => ({ text }), `audit:refused:${randomId()}`);
  }

  /** Reports reach somebody in any case; the rest is told in a channel or not at all. */
  async #tellWithoutChannel(place: Place): Promise<void> {
    const { keyv } = this.#dependencies;
    const notes = await keyv.startingWith<Note>(notesOf(place));
    if (!(await this.isOn(place)))
      for (const { kind, key } of notes) if (kind !== 'report') await keyv.delete(key);
    // Where nobody can be reached with one, the others wait for the next time, too.
    for (const note of notes) if (note.kind === 'report' && !(await this.#tellDirectly(note))) return;
  }

  /** @returns false if nobody can be reached: it's kept. */
  async #tellDirectly(note: ReportNote): Promise<boolean> {
    const { keyv, jobs, mayModerate } = this.#dependencies;
    const { platform, workspace } = note;
    const message = async (person: string) => {
      const locale = await latestLocale({ platform, workspace, person }, this.#dependencies);
      const mayDelete = (job: Job) => mayModerate({ id: person }, job);
      return reportMessage(note, words(locale, platform), this.#dependencies, mayDelete, person);
    };
    const reported = await jobs.find(note.about);
    const isTold = await this.tellSomebody(note, message, `audit:${note.key}`, {
      // Direct messages are of no place, but those of a workspace are none of another's business.
      from: workspace || (reported?.address.workspace ?? ''),
      // They may not look after the place any more.
      mayKnow: async (person) => reported !== undefined && mayModerate({ id: person }, reported),
    });
    if (isTold) await keyv.delete(note.key);
    return isTold;
  }

  /**
   * Tells reports now whose notes' ids begin so. @returns false if nobody can be reached: that's tried again now and then, for a
   * week.
   */
  async tellReport(place: Place, ids: string): Promise<boolean> {
    const { keyv, locks, log } = this.#dependencies;
    const tell = async () => {
      await this.#tell(place, 'reports');
      if ((await keyv.keysStartingWith([`${notesOf(place)}${ids}`])).length === 0) return true;
      // Others may come before it where the channel takes them.
      const watched = await keyv.get<Watched>(placeKey(place));
      return watched !== undefined && watched.refusedAt === undefined;
    };
    return locks.run(`audit ${place.platform} ${place.workspace}`, tell).catch((error: unknown) => {
      log.warn({ error, ...place }, 'a report could not be brought to anybody yet');
      this.wake(minute);
      return true;
    });
  }

  /**
   * Sends a direct message to the person who last chose a setting there, if they `mayKnow`, by default as an administrator, or to an
   * operator of the workspace that it comes `from`: the first who can be reached. @returns false if nobody can.
   */
  async tellSomebody(
    place: Place,
    message: (person: string) => Promise<Message>,
    key: string,
    {
      from = place.workspace,
      mayKnow = (person) => adapterOf(this.#dependencies, place).administers(person, place.workspace),
    }: { readonly from?: string; readonly mayKnow?: (person: string) => Promise<boolean> } = {},
  ): Promise<boolean> {
    const { placeSettings, operators } = this.#dependencies;
    const { platform, workspace } = place;
    const changes = await placeSettings.changes({ ...place, channel: '' }, 20);
    const chose = changes.flatMap(({ person }) => (person === '' ? [] : [{ workspace, person, mayKnow }]));
    const running = (await operators.on(platform, from).catch(() => [])).filter(
      (one) => workspace === '' || one.workspace === '' || one.workspace === workspace,
    );
    const all = [...chose, ...running.map((one) => ({ ...one, mayKnow: anyway }))];
    const people = new Map(all.map((one) => [one.person, one]));
    for (const { workspace: home, person, mayKnow: isAllowed } of people.values())
      try {
        if (!(await isAllowed(person))) continue;
        const adapter = adapterOf(this.#dependencies, place);
        const direct = await adapter.directMessages(home || workspace, person);
        await adapter.post(direct, await message(person), `${key}:${person}`);
        return true;
      } catch (error) {
        if (refusalOf(error) === undefined) throw error;
      }
    return false;
  }
}

const anyway = async () => true;

/** A report stands by itself, before all else: people answer it. */
function oneMessageOf(notes: readonly Note[]): readonly Note[] {
  const inOrder = notes.toSorted((one, other) => one.at - other.at);
  const report = inOrder.find(({ kind }) => kind === 'report');
  return report ? [report] : inOrder.slice(0, linesAtOnce);
}

/** All that was given there after a moment, oldest first: a minute may have more than are read at once. */
async function givenSince(database: Database, place: Place, after: number): Promise<readonly GivenCommand[]> {
  const given = new Map<string, GivenCommand>();
  for (let since = after, isWhole = false; !isWhole;) {
    const { size } = given;
    const read = await commandsIn(database, place, { after: since, most: mostCommands });
    for (const one of read) given.set(one.id, one);
    isWhole = read.length < mostCommands || given.size === size;
    // Several may be of the same moment.
    since = (read.at(-1)?.createdAt ?? 0) - 1;
  }
  return [...given.values()];
}

const placePrefix = 'place ';
const notePrefix = 'note ';
const placeKey = ({ platform, workspace }: Place) => `${placePrefix}${platform} ${workspace}`;
const notesOf = ({ platform, workspace }: Place) => `${notePrefix}${platform} ${workspace} `;
