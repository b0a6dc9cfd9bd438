import type { Layer } from './stage.ts';

/** A world to put subjects into. */
export interface Scenery {
  /** Everything behind the main subject, the ground it stands on included. */
  readonly behind: readonly Layer[];
  /** Everything before it. */
  readonly front: readonly Layer[];
  /** How high the ground is where the main subject stands. */
  readonly ground: (x: number) => number;
  /** The depth of that ground. */
  readonly depth: number;
  /** Nothing bright lies behind the subjects. */
  readonly isDark?: boolean;
  /** Where boats and whales swim, when there is water. */
  readonly water?: { readonly level: number; readonly depth: number };
}
