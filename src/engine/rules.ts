import type { EndReason } from '../lib/telemetry/index.ts';
import type { EffectiveSettings } from '../place-settings/index.ts';
import type { AnyValues, Caller } from '../port/index.ts';
import type { Command } from './command.ts';

/** What a place's rules say to a command. */
export type Verdict =
  | {
      readonly kind: 'refused';
      /** Why, and what to do. */
      readonly text: string;
      /** For those who run the bot; `rules` by default. */
      readonly reason?: EndReason;
      /** The same was said here a moment ago: if no answer is owed, it isn't repeated. */
      readonly repeated?: true;
    }
  | {
      readonly kind: 'allowed';
      /** The values given, and what the place has chosen for those that were not. */
      readonly values: AnyValues;
      /** What the place has chosen, as the rules read it: the command runs with the same. */
      readonly settings: EffectiveSettings;
      /** What the requester is asked first; the command waits for their yes. */
      readonly question?: string;
      /** Those values that say what the question promises. */
      readonly promised?: AnyValues;
      /** What it costs, in credits as people read them; absent where that's nothing. */
      readonly cost?: string;
    };

/** What the rules decided about a command that may run. */
export type Admitted = Extract<Verdict, { readonly kind: 'allowed' }>;
/** Why the rules refused a command. */
export type Refusal = Extract<Verdict, { readonly kind: 'refused' }>;

/** Judges a command before it runs. Nothing is spent by it; quick enough for a platform's three seconds. */
export type CommandRules = (command: Command, values: AnyValues, caller: Caller) => Promise<Verdict>;
