import { sql } from 'kysely';
import type { Address, Person } from '../port/index.ts';
import { type Database, inTransaction, takeTurn } from '../store/index.ts';
import {
  type AnyDefinition,
  definitions,
  type SettingName,
  settingNames,
  type SettingValues,
} from './definitions.ts';
import {
  type PersonalChoices,
  type PersonalDefaults,
  personalDefaultsIn,
  personKey,
} from './personal-defaults.ts';
import {
  isPersonaRow,
  keepSetting,
  noteChange,
  type Persona,
  personaIn,
  personaNamed,
  personasIn,
  removeSetting,
  settingsOf,
} from './personas.ts';

/** Where a value comes from. A channel's choice overrides its workspace's, and that the environment's. */
export type Source = 'channel' | 'workspace' | 'environment';

/** The value of every setting in a channel or workspace, and where each comes from. */
export interface EffectiveSettings {
  readonly values: SettingValues;
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** The personas of the workspace. */
  readonly personas: readonly Persona[];
  /** The operator's ceiling of this workspace's credits a day, which holds like the environment's; there's none if absent. */
  readonly ceiling?: number;
  /** The operator has switched the bot off in this workspace. */
  readonly isSwitchedOff?: true;
}

/** Whose choices: a channel's, its workspace's, or those the operator made for the workspace, which nobody there can lift. */
export type ChoiceScope = 'channel' | 'workspace' | 'operator';

/** What the operator chose for a workspace. */
export interface OperatorsChoice {
  readonly platform: string;
  readonly workspace: string;
  readonly isOff: boolean;
  /** Credits a day; 0 for none. */
  readonly ceiling: number;
}

/** The choice; undefined undoes it. */
export type Choices = { readonly [Name in SettingName]?: SettingValues[Name] | undefined };

/** A change somebody made. */
export interface SettingChange {
  /** A setting, or the workspace's personas. */
  readonly name: SettingName | 'personas';
  readonly scope: 'channel' | 'workspace';
  /** As it's entered; undefined if it wasn't chosen here. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly personName: string;
  readonly person: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** The environment's limit of what can be chosen. */
export interface Bound {
  readonly kind: 'most' | 'least';
  readonly value: number;
}

/** Whether a choice is stricter than the environment's limit. */
function isWithin(chosen: number, { kind, value }: Bound): boolean {
  return kind === 'least' ? chosen > value : chosen !== 0 && chosen < value;
}

/** Stands for a channel in rows about a person; no channel has this id. */
const personsOwn = '@';

/** Stands for a channel in rows of what the operator chose for a workspace; no channel has this id. */
export const operatorsOwn = '!';

/** Workspaces of which it's listed what the operator chose. */
const mostLimited = 200;

/** The settings of channels and workspaces: a channel's override its workspace's, those the environment's, whose budgets are limits. */
export class PlaceSettings {
  readonly #database: Database;
  readonly #environment: SettingValues;
  readonly #now: () => number;
  readonly #idsOf: (address: Address) => readonly string[];

  /**
   * `idsOf`: all ids that a channel has had, the first one first. What was chosen under a later one came later; from then on
   * all is chosen under the first.
   */
  constructor(
    database: Database,
    environment: SettingValues,
    now: () => number,
    idsOf: (address: Address) => readonly string[] = ({ channel }) => [channel],
  ) {
    this.#database = database;
    this.#environment = environment;
    this.#now = now;
    this.#idsOf = idsOf;
  }

  /** The settings of a channel, or of its workspace as a whole. One read of the database. */
  async at(address: Address, scope: 'channel' | 'workspace' = 'channel'): Promise<EffectiveSettings> {
    return this.#effective(address, await this.#rowsAt(address, scope).execute());
  }

  /** The settings of a channel, and what a person chose for themselves. One read of the database. */
  async forPerson(
    address: Address,
    person: string,
  ): Promise<{ readonly settings: EffectiveSettings; readonly personal: PersonalDefaults }> {
    const own = personKey(address, person);
    const rows = await this.#rowsAt(address, 'channel')
      .unionAll(
        this.#database
          .selectFrom('personal_defaults')
          .select([sql.lit(personsOwn).as('channel'), 'name', 'value'])
          .where(({ and }) => and(own)),
      )
      .execute();
    const ofPerson = rows.filter(({ channel }) => channel === personsOwn);
    const ofPlace = rows.filter(({ channel }) => channel !== personsOwn);
    return { settings: this.#effective(address, ofPlace), personal: personalDefaultsIn(ofPerson) };
  }

  /** Changes what a person chose for themselves. */
  async choosePersonally(address: Address, person: string, choices: PersonalChoices): Promise<void> {
    const own = personKey(address, person);
    await inTransaction(this.#database, async (database) => {
      for (const [name, value] of Object.entries(choices)) {
        const chosen = { value: JSON.stringify(value) };
        const change =
          value === undefined
            ? database.deleteFrom('personal_defaults').where(({ and }) => and({ ...own, name }))
            : database
                .insertInto('personal_defaults')
                .values({ ...own, name, ...chosen })
                .onConflict((conflict) =>
                  conflict.columns(['platform', 'workspace', 'person', 'name']).doUpdateSet(chosen),
                );
        await change.execute();
      }
    });
  }

  #rowsAt(address: Address, scope: 'channel' | 'workspace') {
    const ids = scope === 'channel' ? this.#idsOf(address) : [];
    return settingsOf(this.#database, address, ['', operatorsOwn, ...ids]);
  }

  #effective(
    address: Address,
    rows: { readonly channel: string; readonly name: string; readonly value: string }[],
  ): EffectiveSettings {
    const values: Record<string, unknown> = { ...this.#environment };
    const sources = Object.fromEntries(settingNames.map((name) => [name, 'environment'])) as Record<
      SettingName,
      Source
    >;
    const byOperator = rows.filter(({ channel }) => channel === operatorsOwn);
    const byOthers = rows.filter(({ channel }) => channel !== operatorsOwn);
    for (const row of this.#inOrder(address, byOthers)) {
      if (!isSettingName(row.name)) continue;
      const chosen: unknown = JSON.parse(row.value);
      if (isOutdated(row.name, chosen)) continue;
      const bound = this.boundOf(row.name);
      const counts = bound === undefined || isWithin(Number(chosen), bound);
      values[row.name] = counts ? chosen : bound.value;
      sources[row.name] = counts ? (row.channel === '' ? 'workspace' : 'channel') : 'environment';
    }
    const { off = [], workspace_credits: ceiling = 0 } = choicesIn(byOperator);
    if (off.length > 0) values.off = [...new Set([...(values.off as SettingValues['off']), ...off])];
    return {
      values: values as unknown as SettingValues,
      sources,
      personas: personasIn(rows).map(withoutOutdated),
      ...(ceiling > 0 && { ceiling }),
      ...(off.length > 0 && { isSwitchedOff: true }),
    };
  }

  /** What the operator chose for workspaces, at most for two hundred. */
  async chosenByOperator(): Promise<readonly OperatorsChoice[]> {
    const rows = await this.#database
      .selectFrom('place_settings')
      .select(['platform', 'workspace', 'name', 'value'])
      // Literally, as its index has it.
      .where('channel', '=', sql.lit(operatorsOwn))
      .orderBy('platform')
      .orderBy('workspace')
      .limit(2 * mostLimited)
      .execute();
    const byPlace = Map.groupBy(rows, ({ platform, workspace }) => `${platform} ${workspace}`);
    return [...byPlace.values()].flatMap((chosen) => {
      const [first] = chosen;
      const { off = [], workspace_credits: ceiling = 0 } = choicesIn(chosen);
      return first
        ? [{ platform: first.platform, workspace: first.workspace, isOff: off.length > 0, ceiling }]
        : [];
    });
  }

  /** The most or the least that can be chosen, if the environment sets a limit. */
  boundOf(name: SettingName): Bound | undefined {
    const { bound: kind }: AnyDefinition = definitions[name];
    const value = this.#environment[name];
    return kind && typeof value === 'number' && value > 0 ? { kind, value } : undefined;
  }

  /** What's chosen for the channel itself, or for the workspace itself, or was at a moment before. */
  async chosen(address: Address, scope: 'channel' | 'workspace', at?: number): Promise<Choices> {
    const rows = await this.#rows(this.#database, address, scope);
    const since =
      at === undefined ? [] : await this.#changesSince(address, this.#channelsOf(address, scope), at);
    for (const { name, before } of since)
      if (before === null) rows.delete(name);
      else rows.set(name, before);
    const choices = [...rows].map(([name, value]): [string, unknown] => [
      name,
      isPersonaRow(name) ? withoutOutdated(personaIn(value)) : JSON.parse(value),
    ]);
    return withoutOutdated(Object.fromEntries(choices)) as Choices;
  }

  /**
   * Makes choices for a channel or workspace, and records who made them; what `note` writes about those that changed comes with
   * them, or they don't either.
   * @returns the settings that changed.
   */
  async choose(
    address: Address,
    scope: ChoiceScope,
    choices: Choices,
    person: Person,
    note?: (transaction: Database, names: readonly SettingName[]) => Promise<void>,
  ): Promise<readonly SettingName[]> {
    const { platform, workspace } = address;
    const [channel = '', ...later] = this.#channelsOf(address, scope);
    return inTransaction(this.#database, async (database) => {
      await takeTurn(database, 'settings');
      const before = await this.#rows(database, address, scope);
      const changed: SettingName[] = [];
      for (const [name, value] of Object.entries(choices) as [SettingName, unknown][]) {
        const after = value === undefined ? undefined : JSON.stringify(value);
        if (after === before.get(name)) continue;
        changed.push(name);
        const row = { platform, workspace, channel, name };
        const outdated = after === undefined ? [channel, ...later] : later;
        if (outdated.length > 0) await removeSetting(database, row, outdated);
        if (after !== undefined) await keepSetting(database, row, after);
        await noteChange(database, row, [before.get(name), after], person, this.#now());
      }
      if (changed.length > 0) await note?.(database, changed);
      return changed;
    });
  }

  /** The latest changes of a channel and its workspace, newest first. */
  async changes(address: Address, limit: number): Promise<readonly SettingChange[]> {
    const rows = await this.#database
      .selectFrom('setting_changes')
      .selectAll()
      .where('platform', '=', address.platform)
      .where('workspace', '=', address.workspace)
      .where('channel', 'in', ['', operatorsOwn, ...this.#idsOf(address)])
      .orderBy('changed_at', 'desc')
      .limit(limit)
      .execute();
    return rows.flatMap((row): SettingChange[] => {
      const name = isPersonaRow(row.name) ? 'personas' : row.name;
      if (name !== 'personas' && !isSettingName(name)) return [];
      return [
        {
          name,
          scope: row.channel === '' || row.channel === operatorsOwn ? 'workspace' : 'channel',
          before: entered(name, row.before),
          after: entered(name, row.after),
          person: row.person,
          personName: row.person_name,
          changedAt: row.changed_at,
        },
      ];
    });
  }

  /** The latest first. */
  #changesSince({ platform, workspace }: Address, channels: readonly string[], at: number) {
    return this.#database
      .selectFrom('setting_changes')
      .select(['name', 'before'])
      .where(({ and }) => and({ platform, workspace }))
      .where('channel', 'in', channels)
      .where('changed_at', '>', at)
      .orderBy('changed_at', 'desc')
      .execute();
  }

  async #rows(database: Database, address: Address, scope: ChoiceScope) {
    const rows = await settingsOf(database, address, this.#channelsOf(address, scope)).execute();
    return new Map(this.#inOrder(address, rows).map(({ name, value }) => [name, value]));
  }

  /** The ids of a channel, or what stands for its workspace. */
  #channelsOf(address: Address, scope: ChoiceScope): readonly string[] {
    if (scope === 'operator') return [operatorsOwn];
    return scope === 'channel' ? this.#idsOf(address) : [''];
  }

  /** The workspace's before the channel's, and what came under a later id last: the last one counts. */
  #inOrder<Row extends { readonly channel: string }>(address: Address, rows: readonly Row[]): readonly Row[] {
    const order = ['', ...this.#idsOf(address)];
    return rows.toSorted((one, other) => order.indexOf(one.channel) - order.indexOf(other.channel));
  }
}

/** What the operator chose, of rows of one workspace. */
function choicesIn(rows: readonly { readonly name: string; readonly value: string }[]): Choices {
  return Object.fromEntries(
    rows.map(({ name, value }): [string, unknown] => [name, JSON.parse(value)]),
  ) as Choices;
}

/** A value as it's entered. */
export function written(name: SettingName, value: unknown): string {
  // Each value was read by its own definition, which is what the type of the pair says.
  return (definitions[name].write as (value: unknown) => string)(value);
}

/** Whether a stored value isn't allowed, or not any more. */
function isOutdated(name: SettingName, value: unknown): boolean {
  const { readAgain, read }: AnyDefinition = definitions[name];
  return readAgain === true && read(written(name, value)) === undefined;
}

/** Choices, or a persona, whose parts are named as settings are, without what isn't allowed. */
function withoutOutdated<T extends object>(choices: T): T {
  const allowed = Object.entries(choices).filter(
    ([name, value]) => !isSettingName(name) || !isOutdated(name, value),
  );
  return Object.fromEntries(allowed) as T;
}

function entered(name: SettingName | 'personas', json: string | null): string | undefined {
  if (json === null) return undefined;
  if (name !== 'personas') return written(name, JSON.parse(json));
  const { name: persona, number: _, ...parts } = personaIn(json);
  return [persona, ...Object.values(parts)].join(' · ');
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(definitions, name);
}

/** Settings with what a persona has instead; by default, the one that they name. Without one, `as` is empty. */
export function withPersona<S extends Pick<EffectiveSettings, 'values' | 'personas'>>(
  settings: S,
  name = settings.values.as,
): S {
  const persona = personaNamed(name, settings.personas);
  if (!persona) return { ...settings, values: { ...settings.values, as: '' } };
  const { name: as, prompt, number: _, ...own } = persona;
  // A language belongs to its voice.
  const language = own.voice === undefined ? {} : { language: '' };
  const text = prompt === undefined ? {} : { persona: prompt };
  return { ...settings, values: { ...settings.values, ...language, ...text, ...own, as } };
}
