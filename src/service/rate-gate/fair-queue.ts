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
