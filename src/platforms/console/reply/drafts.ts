import type { Button } from '../../../port/index.ts';
import { richText } from '../api/markdown.ts';
import type { RichNode } from '../api/wire.ts';
import type { Place } from '../store/places.ts';

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
 * Messages that are being written. Their newest state is kept in memory and reaches the database about once a
 * second, because a write to the disk for every few words would be a write for nobody.
 */
export class Drafts {
  readonly #growths = new Map<number, Draft>();
  #version = 0;

  get(id: number): Draft | undefined {
    return this.#growths.get(id);
  }

  set(growth: Omit<Draft, 'version' | 'body'>): void {
    this.#growths.set(growth.id, { ...growth, body: richText(growth.text), version: ++this.#version });
  }

  delete(id: number): void {
    this.#growths.delete(id);
  }

  /** The newest state's version. */
  get version(): number {
    return this.#version;
  }

  /** What has grown after `version` and may be seen by this session. */
  since(version: number, session: string): Draft[] {
    return [...this.#growths.values()].filter(
      (growth) => growth.version > version && (growth.session === undefined || growth.session === session),
    );
  }
}
