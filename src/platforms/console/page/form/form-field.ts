import type { WireValues } from '../../api/wire.ts';

/** A form field for one option, or for several file options. */
export interface FormField {
  readonly node: HTMLElement;
  /** Resolves when its uploads are done. */
  ready?(): Promise<void>;
  /** The entered values; options left empty are absent. */
  values(): WireValues;
}
