import type Keyv from 'keyv';
import type { Clock } from '../../lib/clock.ts';
import { RefreshedValue } from '../../lib/refreshed-value.ts';
import {
  type Address,
  isSamePerson,
  type Locale,
  type Operator,
  type Person,
  type PlatformName,
} from '../../port/index.ts';

/** An operator's language is forgotten after so long, in milliseconds. */
const localeLife = 90 * 86_400_000;

export interface OperatorsDependencies {
  /** `OPERATORS`; empty if it's not set. */
  readonly chosen: readonly Operator[];
  /** Where operators' languages are kept. */
  readonly notes: Keyv;
  readonly clock: Clock;
}

/** Who runs the bot: the people that `OPERATORS` names; if it's not set, those that each platform names. */
export class Operators {
  readonly #dependencies: OperatorsDependencies;
  readonly #named = new Map<PlatformName, RefreshedValue<readonly Operator[]>>();

  constructor(dependencies: OperatorsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds a platform that can name its operators; it's asked if `OPERATORS` isn't set. */
  add(platform: PlatformName, ask: () => Promise<readonly Operator[]>): void {
    this.#named.set(platform, new RefreshedValue(ask, this.#dependencies.clock));
  }

  /** All operators, platform by platform. A platform that can't be asked rejects. */
  groups(): readonly Promise<readonly Operator[]>[] {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return [Promise.resolve(chosen)];
    return [...this.#named.values()].map((named) => named.get());
  }

  /** The operators on a platform. @throws if the platform can't be asked and has never answered. */
  async on(platform: PlatformName): Promise<readonly Operator[]> {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return chosen.filter((operator) => operator.platform === platform);
    return (await this.#named.get(platform)?.get()) ?? [];
  }

  /** Whether somebody runs the bot, as far as is known without asking. */
  includes({ id }: Pick<Person, 'id'>, at: Address): boolean {
    return this.#find(id, at) !== undefined;
  }

  /** Notes an operator's language, for notices they didn't ask for. */
  async see(person: Person, at: Address): Promise<void> {
    const operator = this.#find(person.id, at);
    if (!operator || (await this.localeOf(operator)) === person.locale) return;
    await this.#dependencies.notes.set(noteOf(operator), person.locale, localeLife);
  }

  /** The language an operator last used; English if it's unknown. */
  async localeOf(operator: Operator): Promise<Locale> {
    return (await this.#dependencies.notes.get<Locale>(noteOf(operator))) ?? 'en';
  }

  #find(id: string, at: Address): Operator | undefined {
    const { chosen } = this.#dependencies;
    const known = chosen.length > 0 ? chosen : (this.#named.get(at.platform)?.known ?? []);
    return known.find((operator) => isSamePerson(operator, id, at));
  }
}

/** Identifies an operator. */
export function operatorKey({ platform, workspace, person }: Operator): string {
  return `${platform} ${workspace} ${person}`;
}

function noteOf(operator: Operator): string {
  return `operator ${operatorKey(operator)}`;
}
