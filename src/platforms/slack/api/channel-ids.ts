import type { Signals } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Records } from '../../../store/index.ts';

/** Of so many channels with another id, the newest, all ids are known; few private channels are ever shared. */
const most = 100_000;
const prefix = 'channel id ';
/** Some process was told of another id. */
const topic = 'slack channel id';

/** A channel’s id before, and the one that it has since. */
interface Move {
  readonly from: string;
  readonly to: string;
}

/** Where payloads name their channel; nothing else of them is looked at. */
const inPayloads: readonly (readonly string[])[] = [
  ['channel_id'],
  ['channel', 'id'],
  ['container', 'channel_id'],
  ['event', 'channel'],
  ['event', 'channel', 'id'],
  ['event', 'inputs', 'channel'],
];
/** Where calls do. */
const inCalls: typeof inPayloads = [['channel'], ['channel_id']];

/**
 * Ids of channels. Slack gives a private channel another one for good when it’s shared with another workspace
 * (channel_id_changed); everything that’s kept of it, and the marks of its messages, go on with its first. So payloads are
 * handled under the first id, and calls are sent with the one that it has now. In memory: neither waits for the database.
 *
 * What came under a later id before this was told of it goes on under that: who looks for what’s kept of a channel, a thread
 * or a message looks under all its ids.
 */
export class ChannelIds {
  readonly #store: Pick<Records, 'set' | 'startingWith'>;
  readonly #signals: Signals;
  readonly #next = new BoundedMap<string, string>({ most });
  readonly #before = new BoundedMap<string, string>({ most });
  #moved: (to: string) => void = () => {};

  constructor(store: Pick<Records, 'set' | 'startingWith'>, signals: Signals) {
    this.#store = store;
    this.#signals = signals;
    signals.on(topic, (move) => this.#note(JSON.parse(move) as Move));
  }

  /** Told from now on of each id that this process learns a channel has. */
  onMoved(moved: (to: string) => void): void {
    this.#moved = moved;
  }

  /** Reads what’s on record: at the start, and where the word of another process may have been lost. */
  async load(): Promise<void> {
    for (const move of await this.#store.startingWith<Move>(prefix)) this.#note(move);
  }

  /** A channel has another id from now on. Slack may say so several times, and of several moves in any order. */
  async moved(from: string, to: string): Promise<void> {
    const move: Move = { from, to };
    // What comes next is of the new id.
    this.#note(move);
    await this.#store.set(`${prefix}${from}`, move);
    // Those that don’t hear it read it a while later.
    await this.#signals.send(topic, JSON.stringify(move)).catch(() => undefined);
  }

  /** The id that a channel has now, by any that it has had. */
  now(id: string): string {
    return last(this.#next, id);
  }

  /** The id that a channel had first, by any that it has had. */
  first(id: string): string {
    return last(this.#before, id);
  }

  /** All ids that a channel has had, by any of them: its first, …, the one that it has now. */
  all(id: string): readonly string[] {
    const ids: string[] = [];
    for (let one: string | undefined = this.first(id); one !== undefined; one = this.#next.get(one))
      ids.push(one);
    return ids;
  }

  /** A payload with the first ids of its channels. */
  inPayload<T extends object>(payload: T): T {
    return changed(payload, inPayloads, (id) => this.first(id));
  }

  /** The arguments of a call with the ids that its channels have now. */
  inCall<T extends object>(args: T): T {
    return changed(args, inCalls, (id) => this.now(id));
  }

  #note({ from, to }: Move): void {
    // Known, or back at an id that it has had, which Slack doesn’t do: the ids never go in a circle.
    if ([this.#next, this.#before].some((ids) => last(ids, from) === last(ids, to))) return;
    this.#next.set(from, to);
    this.#before.set(to, from);
    this.#moved(to);
  }
}

/** The end of a chain of ids. */
function last(ids: BoundedMap<string, string>, id: string): string {
  let found = id;
  for (let next = ids.get(id); next !== undefined; next = ids.get(next)) found = next;
  return found;
}

/** The same object, or a copy with other ids in these places. */
function changed<T extends object>(object: T, places: typeof inPayloads, to: (id: string) => string): T {
  return places.reduce<T>((before, place) => changedAt(before, place, to) as T, object);
}

function changedAt(value: unknown, [key, ...rest]: readonly string[], to: (id: string) => string): unknown {
  if (key === undefined) return typeof value === 'string' ? to(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const before = (value as Readonly<Record<string, unknown>>)[key];
  const after = changedAt(before, rest, to);
  return after === before ? value : { ...value, [key]: after };
}
