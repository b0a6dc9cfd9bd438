/** Settings that administrators chose; see `src/place-settings`. */
export interface PlaceSettingsTable {
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON. */
  value: string;
}

/** Log of setting changes. Rows are never deleted. */
export interface SettingChangesTable {
  id: string;
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON; null: not set here. */
  before: string | null;
  after: string | null;
  person: string;
  /** The person's name at that time. */
  person_name: string;
  /** Milliseconds since the epoch. */
  changed_at: number;
}

/** What people chose for themselves. */
export interface PersonalDefaultsTable {
  platform: string;
  /** Empty where a person has the same id everywhere. */
  workspace: string;
  person: string;
  name: string;
  /** JSON. */
  value: string;
}

export interface PlaceTables {
  personal_defaults: PersonalDefaultsTable;
  place_settings: PlaceSettingsTable;
  setting_changes: SettingChangesTable;
}
