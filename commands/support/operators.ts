import type Keyv from 'keyv';
import type { Clock } from '../../src/clock.ts';
import { type Address, isSamePerson, type Locale, type Operator, type Person } from '../../src/port/index.ts';

/** What the platforms say is asked again after so long, in milliseconds. */
const freshFor = 3_600_000;
/** An operator's language is forgotten after so long, in milliseconds. */
const localeLife = 90 * 86_400_000;

export interface OperatorsParts {
  /** `OPERATORS`; empty where it is not set. */
  readonly chosen: readonly Operator[];
  /** Those the platforms name; asked where nobody is chosen. Rejects where a platform cannot be asked. */
  readonly named: () => Promise<readonly Operator[]>;
  /** Which language operators speak. */
  readonly notes: Keyv;
  readonly clock: Clock;
}

/** Who runs the bot. */
export class Operators {
  readonly #parts: OperatorsParts;
  #asked: { readonly at: number; readonly all: Promise<readonly Operator[]> } | undefined;
  /** The latest answer of the platforms. */
  #known: readonly Operator[];

  constructor(parts: OperatorsParts) {
    this.#parts = parts;
    this.#known = parts.chosen;
  }

  /** Everybody who runs the bot. @throws where a platform that knows cannot be asked. */
  async all(): Promise<readonly Operator[]> {
    const { chosen, named, clock } = this.#parts;
    if (chosen.length > 0) return chosen;
    if (!this.#asked || clock.steady() >= this.#asked.at + freshFor) {
      const all = named();
      this.#asked = { at: clock.steady(), all };
      all.then(
        (known) => (this.#known = known),
        () => (this.#asked = undefined),
      );
    }
    return this.#asked.all;
  }

  /** Whether somebody runs the bot, as far as is known without asking. */
  includes({ id }: Pick<Person, 'id'>, at: Address): boolean {
    return this.#known.some((operator) => isSamePerson(operator, id, at));
  }

  /** Notes an operator's language, to tell them in it what they did not ask for. */
  async see(person: Person, at: Address): Promise<void> {
    const operator = this.#known.find((one) => isSamePerson(one, person.id, at));
    if (!operator || (await this.localeOf(operator)) === person.locale) return;
    await this.#parts.notes.set(keyOf(operator), person.locale, localeLife);
  }

  /** The language an operator was seen to speak; English where they were not seen. */
  async localeOf(operator: Operator): Promise<Locale> {
    return (await this.#parts.notes.get<Locale>(keyOf(operator))) ?? 'en';
  }
}

function keyOf({ platform, workspace, person }: Operator): string {
  return `operator ${platform} ${workspace} ${person}`;
}
