import type { Button } from './commands/message.ts';
import type { RawValues } from './commands/option.ts';
import type { Caller } from './requests.ts';

/** A button on a person’s own page: it runs a command as if they had typed it, or an action on a job (`actionId`). */
export type HomeButton = Button & {
  /** The command; absent for an action. */
  readonly call?: { readonly command: string; readonly options: RawValues };
};

/** A part of a person’s own page. */
export interface HomeSection {
  readonly title: string;
  /** Markdown, with moments as `momentFor` writes them. */
  readonly text: string;
  readonly buttons?: readonly HomeButton[];
}

/**
 * Makes a person’s own page, where a platform has one: what the bot can do, what’s in progress, what was used. Read
 * anew whenever the page is shown: quick, and nothing is asked of the service.
 */
export type HomePage = (caller: Caller) => Promise<readonly HomeSection[]>;
