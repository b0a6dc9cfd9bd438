import { sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { type Address, conversationKey, type Job, type Place } from '../../port/index.ts';
import { type Database, hasTexts, type Records } from '../../store/index.ts';

const [minute, day] = [60_000, 86_400_000];
/** So many questions of bots are answered one after the other; then it's a loop. */
const most = 6;
/** After such a pause, in milliseconds, they begin anew. */
const pause = 10 * minute;
/** That a loop was cut is known for so long, or until a person comes. */
const turnsLife = 90 * day;

/** Turns of bots in a channel with its threads since a person last gave a command there. */
interface BotTurnsThere {
  /** Their events. */
  readonly events: readonly string[];
  /** When the last of them was, in milliseconds since the epoch. */
  readonly last: number;
  /** The event that was one too many. */
  readonly cutBy?: string;
}

interface BotTurnsDependencies {
  readonly database: Database;
  readonly keyv: Records;
  readonly clock: Clock;
}

/** Notices where bots only talk with one another, whichever they are, and in whichever threads of a channel. */
export class BotTurns {
  readonly #dependencies: BotTurnsDependencies;

  constructor(dependencies: BotTurnsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts a bot's question, each event once. @returns whether it's answered, be it with a word that this is a loop: what comes
   * after that isn't, until a person gives a command there.
   */
  async take(eventId: string, address: Address): Promise<boolean> {
    const { keyv, clock } = this.#dependencies;
    const key = keyOf(address);
    const now = clock.now();
    const known = await keyv.get<BotTurnsThere>(key);
    const isAnew = known !== undefined && (await this.#isOver(known, address));
    let isTaken = false;
    await keyv.change<BotTurnsThere>(key, turnsLife, (found) => {
      const { events = [], cutBy } = isAnew && found?.last === known.last ? {} : (found ?? {});
      isTaken = events.includes(eventId) || cutBy === undefined;
      if (events.includes(eventId) || cutBy !== undefined) return undefined;
      const isTooMany = events.length >= most;
      return { events: [...events, eventId], last: now, ...(isTooMany && { cutBy: eventId }) };
    });
    return isTaken;
  }

  /** Whether a job is the question of a bot that was one too many: it's told so, and asks the service nothing. */
  async areCutBy({ eventId, requester, address }: Job): Promise<boolean> {
    if (!requester.bot) return false;
    const known = await this.#dependencies.keyv.get<BotTurnsThere>(keyOf(address));
    return known?.cutBy === eventId;
  }

  /** A workspace isn't known any more. */
  async forgetPlace(place: Place): Promise<void> {
    await this.#dependencies.keyv.deleteStartingWith(keyOf({ ...place, channel: '' }));
  }

  async #isOver({ last, cutBy }: BotTurnsThere, address: Address): Promise<boolean> {
    const { database, clock } = this.#dependencies;
    if (cutBy === undefined && clock.now() - last >= pause) return true;
    const { platform, workspace, channel } = address;
    const ofPerson = await database
      .selectFrom('jobs')
      .select('id')
      .where(hasTexts('jobs.address', { platform, workspace, channel }))
      .where('created_at', '>', last)
      // Within what people write there, the quotation marks are escaped.
      .where(sql<boolean>`requester not like ${'%"bot":true%'}`)
      .limit(1)
      .executeTakeFirst();
    return ofPerson !== undefined;
  }
}

/** A channel with its threads. */
function keyOf({ platform, workspace, channel }: Address): string {
  return conversationKey({ platform, workspace, channel });
}
