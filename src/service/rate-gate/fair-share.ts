import type { Clock } from '../../lib/clock.ts';
import type { Caller, Wish } from './fair-queue.ts';

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
