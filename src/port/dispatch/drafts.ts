import type { AnyValues } from '../commands/option.ts';

/** What a form that was opened from a message can't carry itself, until it's submitted. Plain data. */
export interface Draft {
  readonly command: string;
  /** Whose form it is. */
  readonly requester: string;
  /** Texts that the form shows only the beginning of: as shown, and as a whole. */
  readonly cut: Readonly<Record<string, { readonly shown: string; readonly whole: string }>>;
  readonly added: AnyValues;
}

/** Drafts on record for an hour, so that a form survives a restart between its opening and its submission. */
export interface Drafts {
  /** Returns the draft's id. */
  keep(draft: Draft): Promise<string>;
  find(id: string): Promise<Draft | undefined>;
}
