import type { Layer } from './stage.ts';

/** A world for subjects. */
export interface Scenery {
  /** Layers behind the main subject, with the ground it stands on. */
  readonly behind: readonly Layer[];
  /** Layers in front of it. */
  readonly front: readonly Layer[];
  /** Height of the ground at the main subject. */
  readonly ground: (x: number) => number;
  /** The depth of that ground. */
  readonly depth: number;
  /** Whether the background is dark. */
  readonly isDark?: boolean;
  /** The water line for boats and whales, if there is water. */
  readonly water?: { readonly level: number; readonly depth: number };
}
