import type { EndReason } from '../../lib/telemetry/index.ts';
import type { Address } from '../address.ts';
import type { AnyCommand, Person } from '../commands/command.ts';
import type { AnyValues, RawValues } from '../commands/option.ts';

/** What a place doesn't allow the bot, told by its platform with the event: known before anything is spent. */
export interface PostingLimits {
  /** The permission without which no file can be posted, by the name people find in their settings. */
  readonly files?: string;
  /** Voice messages can be posted even so: they're none of those files. */
  readonly voiceMessages?: true;
  /** Why nothing can be posted at all, in a sentence to the requester; what is missing is no permission then. */
  readonly shut?: string;
  /** Every kind of file that would serve is forbidden there, while others are taken: their endings, listed. */
  readonly fileKinds?: string;
}

/** A command that a message may as well have meant. Its values are not checked yet. */
export interface MeantCommand {
  readonly command: string;
  readonly options: RawValues;
  /** As a request's. */
  readonly added?: AnyValues;
}

/** Who runs a command, and where. */
export interface Caller {
  readonly address: Address;
  readonly requester: Person;
  /** What the place doesn't allow, where its platform tells. */
  readonly postingLimits?: PostingLimits;
  /** Nobody is there to answer a question: what has to be confirmed is refused. */
  readonly unattended?: true;
  /** What's carried out instead if the rules refuse, so that nobody is told of a refusal. */
  readonly instead?: MeantCommand;
}

/** What a place's rules say to a command. */
export type Verdict<Settings = unknown> =
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
      readonly settings: Settings;
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
export type CommandRules<Dependencies, Settings = unknown> = (
  command: AnyCommand<Dependencies>,
  values: AnyValues,
  caller: Caller,
) => Promise<Verdict<Settings>>;
