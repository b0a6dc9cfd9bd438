import { expect } from 'vitest';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { paidCommandNames } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import type { CrashPlace, Wish } from '../../../crash/place.ts';
import type { Bots } from './bots.ts';

/** Who has an answer that has begun and that the service still writes. */
export const answering = `
  select ledger.process from ledger join live_answers on live_answers.job_id = ledger.job
  where ledger.state = 'reserved' and ledger.kind = 'chat'`;

const { errors, spending } = words('en');
/** What people are told where the database is away, or where Slack takes too long to say who somebody is. */
const notNow: readonly string[] = [
  discordWords('en').noDatabase,
  errors.database,
  ...paidCommandNames.map(spending.membersOnly).flatMap((said) => [said, said.replaceAll('`', '')]),
];

/** Something asked for, and where. */
export interface Given {
  readonly place: CrashPlace;
  readonly wish: Wish;
}

/** People who ask for everything at once on every platform, and look at what becomes of it. */
export class Scene {
  readonly #bots: Bots;
  #round = 0;

  constructor(bots: Bots) {
    this.#bots = bots;
  }

  everything(): Promise<readonly Given[]> {
    return this.give(() => wishesOf(++this.#round));
  }

  /**
   * Resolves with what is on record. On a busy machine a few wishes are not: they came too late for their platform, or the
   * database or Slack took too long, and their people were told so.
   */
  async give(wishes: (place: CrashPlace) => readonly Wish[]): Promise<readonly Given[]> {
    const before = this.#refused();
    const given = this.#bots.places.flatMap((place) =>
      wishes(place).map((wish) => {
        place.give(wish);
        return { place, wish };
      }),
    );
    let recorded: readonly Given[] = [];
    await this.#bots.until('all are on record', async () => {
      const rows = await this.#bots.query<{ options: string }>(
        `select options from jobs where state <> 'failed'`,
      );
      recorded = given.filter(({ wish }) => rows.some(({ options }) => options.includes(wish.prompt)));
      const missing = given.filter((one) => !recorded.includes(one) && !one.place.notTaken(one.wish));
      return missing.length <= this.#refused() - before;
    });
    return recorded;
  }

  /** Resolves when everything that was asked for is being made. */
  async underWay(given: readonly Given[]): Promise<void> {
    const { service } = this.#bots;
    await this.#bots.until('everything is under way', async () => {
      const answers = await this.#bots.query<{ options: string }>(
        `select jobs.options from ledger join jobs on jobs.id = ledger.job where ledger.kind = 'chat'`,
      );
      return given.every(({ wish: { command, prompt } }) =>
        command === 'ask'
          ? answers.some(({ options }) => options.includes(prompt))
          : service.made.has(prompt),
      );
    });
  }

  async isOver(given: readonly Given[]): Promise<boolean> {
    return given.every(isOver) && (await this.#bots.isQuiet());
  }

  /** Each ended in one way, once, and was paid for once. */
  judge(given: readonly Given[]): void {
    expect(given.length).toBeGreaterThan(0);
    for (const { place, wish } of given) {
      const { delivered, uncertain, told } = place.fate(wish);
      const about = `${place.name}: ${wish.prompt}`;
      expect(this.#bots.service.made.get(wish.prompt) ?? 0, `paid for ${about}`).toBeLessThanOrEqual(1);
      if (wish.command === 'ask') continue;
      expect({ about, ends: delivered + uncertain + told }).toEqual({ about, ends: 1 });
    }
  }

  /** Nobody was told that something was interrupted or failed. */
  judgeUninterrupted(given: readonly Given[]): void {
    for (const { place, wish } of given) {
      const { told, uncertain } = place.fate(wish);
      const said = place.texts().filter((text) => text.includes(wish.prompt) || text.includes('⚠️'));
      expect({ wish, told, uncertain }, said.join('\n')).toEqual({ wish, told: 0, uncertain: 0 });
    }
  }

  /** How often somebody was told that they can't be served now; a command's words may stand below that. */
  #refused(): number {
    const texts = this.#bots.places.flatMap((place) => place.texts());
    return texts.filter((text) => notNow.some((said) => text.startsWith(said))).length;
  }
}

/** Whoever isn't asked to tell a story is somebody of their own: a failure names them, and not what they asked for. */
function wishesOf(round: number): readonly Wish[] {
  return [
    { command: 'video', prompt: `a film of round ${round}`, about: `fay${round}` },
    { command: 'imagine', prompt: `an image of round ${round}`, about: `ira${round}` },
    { command: 'ask', prompt: `question ${round} one: tell me a story of 90 words` },
    { command: 'ask', by: 'bob', prompt: `question ${round} two: tell me a story of 80 words` },
    { command: 'speak', prompt: `Clip ${round}.`, about: `sam${round}` },
  ];
}

function isOver({ place, wish }: Given): boolean {
  const { delivered, uncertain, told } = place.fate(wish);
  return wish.command === 'ask' || delivered + uncertain + told > 0;
}
