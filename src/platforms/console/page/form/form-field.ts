import type { WireValues } from '../../api/wire.ts';

/** A field that stands for one option, or for several of the same kind. */
export interface FormField {
  readonly node: HTMLElement;
  /** Resolves when nothing of it is on its way any more. */
  settled?(): Promise<void>;
  /** What was entered; an option that was left alone is absent. */
  values(): WireValues;
}
