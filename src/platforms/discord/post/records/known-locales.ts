import type Keyv from 'keyv';
import { BoundedMap } from '../../../../lib/bounded-map.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { type Locale, localeOf, localeOfText } from '../../../../port/index.ts';

const hour = 3_600_000;
/** How long somebody's language is kept, in milliseconds. */
const recordLifetime = 180 * 24 * hour;
/** How long it's known without a look at the record, which another process may have changed. */
const remembered = { most: 10_000, milliseconds: hour };

/** The languages that people use Discord in. Every interaction tells it; messages don't. */
export class KnownLocales {
  readonly #records: Keyv;
  readonly #recent: BoundedMap<string, Locale>;

  constructor(records: Keyv, clock: Pick<Clock, 'steady'>) {
    const { most, milliseconds } = remembered;
    this.#records = records;
    this.#recent = new BoundedMap({ most, lifetime: { milliseconds, clock } });
  }

  /** Keeps the language of somebody's interaction. */
  async note(person: string, locale: Locale): Promise<void> {
    if (this.#recent.get(person) === locale) return;
    this.#recent.set(person, locale);
    await this.#records.set(recordName(person), locale, recordLifetime);
  }

  /** The language for somebody: the one they last used Discord in, else that of what they wrote, else their server's. */
  async of(person: string, text: string, serverLocale?: string): Promise<Locale> {
    if (this.#recent.has(person)) return this.guess(person, text, serverLocale);
    const known = await this.#records.get<Locale>(recordName(person));
    if (known) this.#recent.set(person, known);
    return this.guess(person, text, serverLocale);
  }

  /** The same from memory, where there's no time for the record. */
  guess(person: string, text: string, serverLocale?: string): Locale {
    return this.#recent.get(person) ?? localeOfText(text, serverLocale) ?? localeOf(serverLocale);
  }
}

function recordName(person: string): string {
  return `locale of ${person}`;
}
