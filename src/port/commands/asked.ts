import type { Locale } from '../locale.ts';
import type { AnyValues } from './option.ts';

/** Who gave which command with which values. */
interface Given {
  readonly requester: { readonly name: string; readonly locale: Locale };
  readonly command: string;
  readonly options: AnyValues;
}

/** Who asked what, as it's said above a message where nothing else tells whose that is. */
export interface Asked extends Given {
  /** What they asked for; empty where the message itself repeats it. */
  readonly text: string;
}

/** Whose command a job is; `textOption` as its definition names it. */
export function askedIn(
  { requester, command, options }: Given,
  definition: { readonly textOption?: string } | undefined,
): Asked {
  return { requester, command, options, text: String(options[definition?.textOption ?? ''] ?? '') };
}
