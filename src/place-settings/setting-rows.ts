import { randomId } from '../lib/text.ts';
import type { Person, Place } from '../port/index.ts';
import type { Database } from '../store/index.ts';

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
