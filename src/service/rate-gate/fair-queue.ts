import type { Clock } from '../../lib/clock.ts';

/** Whose call it is. */
export interface Caller {
  /** Such as a channel. */
  readonly key: string;
  /** The same person under whichever key. */
  readonly person?: string | undefined;
}

/** How many calls somebody wants under a key. */
export interface Wish extends Caller {
  readonly count: number;
}

/** A key or a person with waiting entries. */
interface Party {
  /** Since when it waits for its next turn; counts up with all that happens in the queue. */
  since: number;
  /** Number of its waiting entries. */
  waiting: number;
}

/** The entries of one person under one key. */
interface Line<Entry> {
  readonly key: Party;
  readonly person: Party | undefined;
  readonly entries: Entry[];
  /** How many of the first have had a turn already that was none. */
  ahead: number;
}

/**
 * A fair queue: keys take turns, and so do people, whichever keys they use: somebody who waits under a hundred keys has one
 * turn where another has one. Within both, first come, first served. Whoever has no waiting entries takes no memory.
 */
export class FairQueue<Entry extends Caller> {
  readonly #lines = new Map<string, Line<Entry>>();
  readonly #keys = new Map<string, Party>();
  readonly #people = new Map<string, Party>();
  /** In the order of arrival. */
  readonly #entries = new Set<Entry>();
  #now = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Who waits, and for how many. */
  *wishes(): Generator<Wish> {
    for (const { entries } of this.#lines.values()) {
      const [entry] = entries;
      if (entry) yield { key: entry.key, person: entry.person, count: entries.length };
    }
  }

  /** Adds an entry behind the others of its key, or ahead of them if it had its turn already. */
  add(entry: Entry, isAhead = false): void {
    const now = ++this.#now;
    const { key, person } = entry;
    const name = lineName(entry);
    const line = this.#lines.get(name) ?? {
      key: partyOf(this.#keys, key, now),
      person: person === undefined ? undefined : partyOf(this.#people, person, now),
      entries: [],
      ahead: 0,
    };
    this.#lines.set(name, line);
    line.entries.splice(isAhead ? 0 : line.entries.length, 0, entry);
    if (isAhead) line.ahead++;
    line.key.waiting++;
    if (line.person) line.person.waiting++;
    this.#entries.add(entry);
  }

  /** Removes an entry that no longer waits; false if it wasn't in the queue. */
  remove(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false;
    const name = lineName(entry);
    const line = this.#lines.get(name);
    if (!line) return false;
    take(line, entry);
    if (line.entries.length === 0) this.#lines.delete(name);
    if (--line.key.waiting === 0) this.#keys.delete(entry.key);
    if (line.person && --line.person.waiting === 0) this.#people.delete(entry.person ?? '');
    return true;
  }

  /** Whether an entry waits that may go. */
  hasNext(mayGo: (caller: Caller) => boolean): boolean {
    return firstOf(this.#lines.values(), mayGo) !== undefined;
  }

  /** Takes the next entry of those who may go: what else its key and its person have goes behind all that waits. */
  next(mayGo?: (caller: Caller) => boolean): Entry | undefined {
    const line = firstOf(this.#lines.values(), mayGo);
    const [entry] = line?.entries ?? [];
    if (!line || !entry) return undefined;
    serve(line, ++this.#now);
    this.remove(entry);
    return entry;
  }

  /**
   * The newest entry of whoever has most of them waiting: a person, or a key, and of its people the one with the most
   * anywhere. Where all have as many, the newest of all.
   */
  newestOfMost(): Entry | undefined {
    let found: { readonly entry: Entry; readonly most: number; readonly own: number } | undefined;
    for (const entry of this.#entries) {
      const own = this.#people.get(entry.person ?? '')?.waiting ?? 0;
      const most = Math.max(this.#keys.get(entry.key)?.waiting ?? 0, own);
      if (!found || most > found.most || (most === found.most && own >= found.own))
        found = { entry, most, own };
    }
    return found?.entry;
  }

  /** All entries in the order in which they will be served if no others arrive. */
  *inOrder(): Generator<Entry> {
    const copies = new Map<Party, Party>();
    const copyOf = (party: Party) => {
      const copy = copies.get(party) ?? { ...party };
      copies.set(party, copy);
      return copy;
    };
    const lines = new Set<Line<Entry>>();
    for (const { key, person, entries, ahead } of this.#lines.values())
      lines.add({ key: copyOf(key), person: person && copyOf(person), entries: [...entries], ahead });
    let now = this.#now;
    for (let line = firstOf(lines); line; line = firstOf(lines)) {
      const [entry] = line.entries;
      if (!entry) return;
      serve(line, ++now);
      take(line, entry);
      if (line.entries.length === 0) lines.delete(line);
      yield entry;
    }
  }
}

function lineName({ key, person }: Caller): string {
  return JSON.stringify([key, person]);
}

function partyOf(parties: Map<string, Party>, name: string, now: number): Party {
  const party = parties.get(name) ?? { since: now, waiting: 0 };
  parties.set(name, party);
  return party;
}

function take<Entry>(line: Line<Entry>, entry: Entry): void {
  const index = line.entries.indexOf(entry);
  line.entries.splice(index, 1);
  if (index < line.ahead) line.ahead--;
}

function serve({ key, person }: Line<unknown>, now: number): void {
  key.since = now;
  if (person) person.since = now;
}

/** Which line has the next turn, of those that may go. */
function firstOf<Entry extends Caller>(
  lines: Iterable<Line<Entry>>,
  mayGo: (caller: Caller) => boolean = () => true,
): Line<Entry> | undefined {
  let first: Line<Entry> | undefined;
  for (const line of lines) {
    const [entry] = line.entries;
    if (entry && (!first || isBefore(line, first)) && mayGo(entry)) first = line;
  }
  return first;
}

function isBefore(one: Line<unknown>, other: Line<unknown>): boolean {
  const order =
    waitsSince(one) - waitsSince(other) ||
    Number(other.ahead > 0) - Number(one.ahead > 0) ||
    (one.person?.since ?? 0) - (other.person?.since ?? 0) ||
    one.key.since - other.key.since;
  return order < 0;
}

/** Since when both its key and its person have waited; who was sent back goes first of their key. */
function waitsSince({ key, person, ahead }: Line<unknown>): number {
  return ahead > 0 ? key.since : Math.max(key.since, person?.since ?? 0);
}

/** A minute, in milliseconds: the service counts arrivals, not departures, and half a second covers the difference. */
export const minute = 60_500;

/**
 * The part of the limit that the busy share. The other tenth stays free for those who call occasionally: with a limit of
 * 120 that is 12 calls a minute that never wait, with 10 it is one.
 */
const sharedByBusy = 0.9;
/**
 * The part of the limit that one key, or one person, may use. If no other was seen recently it's three quarters: a single
 * conversation is hardly slowed down, and another one's first call still passes immediately. If others are expected
 * it's half, so that a second busy one gets as much as the first without waiting for its minute to pass.
 */
const mostOfOne = { alone: 0.75, amongOthers: 0.5 };
/** Calls without a key, such as the voice list, have no share to keep to. */
const noKey = '';
/** How long others are expected back, in milliseconds: people often pause for minutes in a conversation. */
const expectedFor = 10 * 60_000;

interface Use extends Wish {
  readonly at: number;
}

/**
 * How much of a group's limit each key (a channel) and each person may use in a minute, so that the next one never has to
 * wait because a busy one has just used it up. The limit is split evenly between keys: those that want little get all of
 * it, and the others get equal parts of the rest. But a person's calls under all keys count as one key at most, so nobody
 * gets more by using many; and no person gets more than a whole key.
 */
export class FairShare {
  readonly #limit: number;
  readonly #clock: Clock;
  /** The calls of the last minute, oldest first; hardly more than the limit. */
  readonly #uses: Use[] = [];
  readonly #keys = new LastTwo();
  readonly #people = new LastTwo();

  /** `limit`: requests per minute of all keys together. */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Records a call that passed. */
  noteUse({ key, person }: Caller): void {
    const at = this.#clock.steady();
    this.#uses.push({ key, person, count: 1, at });
    this.#keys.note(key, at);
    if (person !== undefined) this.#people.note(person, at);
  }

  /** Returns whose calls may pass now, of those who wait. */
  whoMayPass(waiting: Iterable<Wish>): (caller: Caller) => boolean {
    this.#forget();
    const used = counted(this.#uses);
    const wishes = [...this.#uses, ...waiting];
    const wanted = counted(wishes);
    const weights = weightsOf(wishes, wanted.people);
    const wants = [...wanted.keys].map(([key, want]) => ({ want, weight: weights.get(key) ?? 1 }));
    const all = levelOf(wants, this.#limit);
    const equal = this.#limit / wants.reduce((sum, { weight }) => sum + weight, 0);
    const some = Math.max(equal, levelOf(wants, this.#limit * sharedByBusy));
    const kept = this.#limit * (1 - sharedByBusy);
    const isCrowded = wanted.all > this.#limit && this.#uses.length >= this.#limit - kept;
    const isLeft = (own: number, want: number, weight: number, others: number | undefined) => {
      if (own === 0) return true;
      // Several who became busy one after the other would use up the tenth as well.
      if (isCrowded && own >= kept) return false;
      const areExpected = others !== undefined && this.#clock.steady() < others + expectedFor;
      const part = this.#limit * (areExpected ? mostOfOne.amongOthers : mostOfOne.alone);
      return own < (want > all * weight ? Math.min(part, some * weight) : part);
    };
    const ofKey = memoized((key) =>
      isLeft(
        used.keys.get(key) ?? 0,
        wanted.keys.get(key) ?? 0,
        weights.get(key) ?? 1,
        this.#keys.otherAt(key),
      ),
    );
    const ofPerson = memoized((person) =>
      isLeft(used.people.get(person) ?? 0, wanted.people.get(person) ?? 0, 1, this.#people.otherAt(person)),
    );
    return ({ key, person }) => key === noKey || (ofKey(key) && (person === undefined || ofPerson(person)));
  }

  /** Milliseconds until another call may pass if nothing else happens. */
  get changesIn(): number {
    const [oldest] = this.#uses;
    return oldest ? Math.max(0, oldest.at + minute - this.#clock.steady()) : 0;
  }

  #forget(): void {
    const now = this.#clock.steady();
    const past = this.#uses.findIndex(({ at }) => at > now - minute);
    this.#uses.splice(0, past === -1 ? this.#uses.length : past);
  }
}

/** The last two who called, and when. */
class LastTwo {
  #last: { readonly name: string; readonly at: number } | undefined;
  #other: { readonly name: string; readonly at: number } | undefined;

  note(name: string, at: number): void {
    if (this.#last && this.#last.name !== name) this.#other = this.#last;
    this.#last = { name, at };
  }

  /** When somebody else called last. */
  otherAt(name: string): number | undefined {
    return (this.#last?.name === name ? this.#other : this.#last)?.at;
  }
}

/** Number of calls by key and by person. */
function counted(wishes: readonly Wish[]) {
  const keys = new Map<string, number>();
  const people = new Map<string, number>();
  let all = 0;
  for (const { key, person, count } of wishes) {
    keys.set(key, (keys.get(key) ?? 0) + count);
    if (person !== undefined) people.set(person, (people.get(person) ?? 0) + count);
    all += count;
  }
  return { keys, people, all };
}

/** What each key counts as: at most 1, and less where its people want most of theirs under other keys. */
function weightsOf(
  wishes: readonly Wish[],
  wantedBy: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { key, person, count } of wishes) {
    const weight = person === undefined ? 1 : count / (wantedBy.get(person) ?? count);
    weights.set(key, Math.min(1, (weights.get(key) ?? 0) + weight));
  }
  return weights;
}

/**
 * The highest cap for a weight of 1 at which all together get at most `limit`; those who want less get all they want.
 */
function levelOf(
  wants: readonly { readonly want: number; readonly weight: number }[],
  limit: number,
): number {
  let left = limit;
  let weightLeft = wants.reduce((sum, { weight }) => sum + weight, 0);
  for (const { want, weight } of wants.toSorted((a, b) => a.want / a.weight - b.want / b.weight)) {
    const equal = left / weightLeft;
    if (want > equal * weight) return equal;
    left -= want;
    weightLeft -= weight;
  }
  return Number.POSITIVE_INFINITY;
}

function memoized(isLeft: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const answer = known.get(name) ?? isLeft(name);
    known.set(name, answer);
    return answer;
  };
}
