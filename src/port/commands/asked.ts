import type { Locale } from '../locale.ts';
import type { AnyValues } from './option.ts';

/** Who asked what, as it's said above a message where nothing else tells whose that is. */
export interface Asked {
  /** Without a name where nobody else sees the message. */
  readonly requester: { readonly name?: string; readonly locale: Locale };
  readonly command: string;
  readonly options: AnyValues;
  /** What they asked for; empty where the message itself repeats it. */
  readonly text: string;
}
