import { randomInt } from 'node:crypto';
import { randomId } from '../lib/text.ts';
import type { Address, Person, Place } from '../port/index.ts';
import type { ChatModel } from '../service-rules/models.ts';
import { type Database, inTransaction, takeTurn } from '../store/index.ts';

/** What administrators choose for a persona: a name, and how it answers. What's absent is as without a persona. */
export interface PersonaParts {
  readonly name: string;
  /** Takes the place of the setting `persona`. */
  readonly prompt?: string;
  readonly voice?: string;
  readonly model?: ChatModel;
  readonly image_size?: string;
}

/** A named preset of a workspace. */
export interface Persona extends PersonaParts {
  /** Its buttons carry this: it stays the same under another name, and no other persona gets it soon. */
  readonly number: number;
}

/** The most in a workspace: each has a button, beside two others. */
export const maxPersonas = 20;

/** How many characters a name has at most. */
export const maxPersonaName = 32;

/** One line without what nobody sees, besides what joins and colors emoji. */
const visible = /^(?:(?!\p{Default_Ignorable_Code_Point})[^\p{C}\p{Zl}\p{Zp}]|\u200d|\ufe0f)+$/u;
const letter = /[\p{L}\p{N}\p{S}]/u;
/** What may format or link where a platform can't escape it. */
const marks = /[*_~`|<>[\]\\]|:\/\//;

/** A persona's name as it's kept, or undefined if nobody may have it. */
export function readPersonaName(entered: string): string | undefined {
  const name = entered.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const isReserved = reserved.includes(keyOf(name));
  const isShort = [...name].length <= maxPersonaName;
  const isPlain = visible.test(name) && letter.test(name) && !marks.test(name);
  return isShort && isPlain && !isReserved ? name : undefined;
}

/** No persona, where its name is entered. */
export const noPersona = 'none';

const reserved = [noPersona, 'inherit'];

/** Names with the same key are the same. */
function keyOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\u200d/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** The persona that a name means, in any case. */
export function personaNamed<P extends PersonaParts>(name: string, personas: readonly P[]): P | undefined {
  const key = keyOf(name);
  return personas.find((persona) => keyOf(persona.name) === key);
}

/** The row of a persona in a workspace's settings. */
const prefix = 'persona ';
const rowOf = (name: string) => `${prefix}${keyOf(name)}`;

/** Whether a row of settings is a persona. */
export function isPersonaRow(name: string): boolean {
  return name.startsWith(prefix);
}

/** A persona as it's on record. */
export function personaIn(json: string): Persona {
  return JSON.parse(json) as Persona;
}

/** The personas among choices. */
export function personasAmong(choices: Readonly<Record<string, unknown>>): readonly Persona[] {
  return Object.entries(choices).flatMap(([name, value]) => (isPersonaRow(name) ? [value as Persona] : []));
}

/** The personas among rows of settings, by name. */
export function personasIn(
  rows: readonly { readonly name: string; readonly value: string }[],
): readonly Persona[] {
  return rows
    .filter(({ name }) => isPersonaRow(name))
    .map(({ value }) => personaIn(value))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Why a persona isn't kept: there are too many, another has its name, or it has been removed. */
export type PersonaFault = 'full' | 'taken' | 'gone';

/** Writes in a transaction that somebody changed a workspace's personas. */
type NoteOfPersona = (transaction: Database, address: Address, person: Person) => Promise<void>;

/** Changes the personas of workspaces. They're rows of their settings, which are read together with those. */
export class Personas {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #note: NoteOfPersona;

  /** What `note` writes about a change comes with it, or that doesn't either. */
  constructor(database: Database, now: () => number, note: NoteOfPersona = async () => {}) {
    this.#database = database;
    this.#now = now;
    this.#note = note;
  }

  /** Adds a persona to an address's workspace, or changes the one with a number: channels that chose it go on with it. */
  save(
    address: Address,
    parts: PersonaParts,
    person: Person,
    number?: number,
  ): Promise<Persona | PersonaFault> {
    return inTransaction(this.#database, async (database) => {
      await takeTurn(database, 'settings');
      const all = personasIn(await settingsOf(database, address, ['']).execute());
      const before = all.find((one) => one.number === number);
      if (number !== undefined && !before) return 'gone';
      if (!before && all.length >= maxPersonas) return 'full';
      const same = personaNamed(parts.name, all);
      if (same && same !== before) return 'taken';
      const persona = { number: before?.number ?? newNumber(all), ...parts };
      await this.#replace(database, address, before, persona, person);
      return persona;
    });
  }

  /** Removes a persona: channels that chose it go on without one. False if it's gone already. */
  remove(address: Address, number: number, person: Person): Promise<boolean> {
    return inTransaction(this.#database, async (database) => {
      await takeTurn(database, 'settings');
      const all = personasIn(await settingsOf(database, address, ['']).execute());
      const before = all.find((one) => one.number === number);
      if (before) await this.#replace(database, address, before, undefined, person);
      return before !== undefined;
    });
  }

  async #replace(
    database: Database,
    address: Address,
    before: Persona | undefined,
    after: Persona | undefined,
    person: Person,
  ): Promise<void> {
    const { platform, workspace } = address;
    const [had, has] = [before, after].map((one) => one && JSON.stringify(one));
    if (had === has) return;
    const rowNamed = (name = '') => ({ platform, workspace, channel: '', name: rowOf(name) });
    if (before) {
      await removeSetting(database, rowNamed(before.name), ['']);
      await this.#rename(database, { platform, workspace }, before.name, after?.name);
    }
    const row = rowNamed((after ?? before)?.name);
    if (has !== undefined) await keepSetting(database, row, has);
    await noteChange(database, row, [had, has], person, this.#now());
    await this.#note(database, address, person);
  }

  /** Channels that chose a persona choose it by its new name, or none. */
  async #rename(
    database: Database,
    { platform, workspace }: Place,
    before: string,
    after: string | undefined,
  ): Promise<void> {
    if (before === after) return;
    const theirs = { platform, workspace, name: 'as', value: JSON.stringify(before) };
    const changed =
      after === undefined
        ? database.deleteFrom('place_settings').where(({ and }) => and(theirs))
        : database
            .updateTable('place_settings')
            .set({ value: JSON.stringify(after) })
            .where(({ and }) => and(theirs));
    await changed.execute();
  }
}

/** More than any number of a persona. */
export const personaNumbers = 10_000;

/** By chance, so that the button of one that was removed doesn't change one that was added since. */
function newNumber(others: readonly Persona[]): number {
  const number = randomInt(1, personaNumbers);
  return others.some((other) => other.number === number) ? newNumber(others) : number;
}

/** What's chosen under a name for a channel, or for what stands for one. */
interface SettingRow extends Place {
  readonly channel: string;
  readonly name: string;
}

/** What's chosen in a workspace for these channels. */
export function settingsOf(database: Database, { platform, workspace }: Place, channels: readonly string[]) {
  return database
    .selectFrom('place_settings')
    .select(['channel', 'name', 'value'])
    .where(({ and }) => and({ platform, workspace }))
    .where('channel', 'in', channels);
}

/** Makes a choice in the place of the one that's there: another process may have made it just now. */
export async function keepSetting(database: Database, row: SettingRow, value: string): Promise<void> {
  await database
    .insertInto('place_settings')
    .values({ ...row, value })
    .onConflict((conflict) =>
      conflict.columns(['platform', 'workspace', 'channel', 'name']).doUpdateSet({ value }),
    )
    .execute();
}

/** Undoes a choice in all of these channels. */
export async function removeSetting(
  database: Database,
  { platform, workspace, name }: Omit<SettingRow, 'channel'>,
  channels: readonly string[],
): Promise<void> {
  await database
    .deleteFrom('place_settings')
    .where(({ and }) => and({ platform, workspace, name }))
    .where('channel', 'in', channels)
    .execute();
}

/** Puts on record who changed a choice; undefined where there was or is none. */
export async function noteChange(
  database: Database,
  row: SettingRow,
  [before, after]: readonly [string | undefined, string | undefined],
  { id: person, name: person_name }: Person,
  changed_at: number,
): Promise<void> {
  const change = { before: before ?? null, after: after ?? null, person, person_name, changed_at };
  await database
    .insertInto('setting_changes')
    .values({ id: randomId(), ...row, ...change })
    .execute();
}
