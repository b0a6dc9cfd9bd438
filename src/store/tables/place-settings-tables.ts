/** What administrators have chosen; see `src/place-settings`. */
export interface PlaceSettingsTable {
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON. */
  value: string;
}

/** Who changed which setting when. Rows are never deleted. */
export interface SettingChangesTable {
  id: string;
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON; null: it was not chosen here. */
  before: string | null;
  after: string | null;
  person: string;
  /** What the person was called then. */
  person_name: string;
  /** Milliseconds since the epoch. */
  changed_at: number;
}

export interface PlaceTables {
  place_settings: PlaceSettingsTable;
  setting_changes: SettingChangesTable;
}
