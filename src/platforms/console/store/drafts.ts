import type { Button } from '../../../port/index.ts';
import { richText } from '../api/markdown.ts';
import type { RichNode } from '../api/wire.ts';
import type { Place } from './channels.ts';

/** The newest state of a message that is being written. */
export interface Draft {
  readonly id: number;
  readonly place: Place;
  readonly session: string | undefined;
  readonly text: string;
  readonly body: readonly RichNode[];
  readonly buttons: readonly Button[];
  /** Greater for a later state, of any message. */
  readonly version: number;
}

/**
 * Messages that are being written. Their newest state is kept in memory; the database gets it about once a
 * second.
 */
export class Drafts {
  readonly #drafts = new Map<number, Draft>();
  #version = 0;

  get(id: number): Draft | undefined {
    return this.#drafts.get(id);
  }

  set(draft: Omit<Draft, 'version' | 'body'>): void {
    this.#drafts.set(draft.id, { ...draft, body: richText(draft.text), version: ++this.#version });
  }

  delete(id: number): void {
    this.#drafts.delete(id);
  }

  /** Version of the newest draft. */
  get version(): number {
    return this.#version;
  }

  /** Drafts visible to this session that changed after `version`. */
  since(version: number, session: string): Draft[] {
    return [...this.#drafts.values()].filter(
      (draft) => draft.version > version && (draft.session === undefined || draft.session === session),
    );
  }
}
