import type { Locale, Localized } from '../locale.ts';

interface OptionBase {
  readonly description: Localized;
  readonly required?: true;
}

/** Free text. Length is counted in characters, or bytes of UTF-8 where the service counts those. */
export interface TextOption extends OptionBase {
  readonly type: 'text';
  readonly maxCharacters?: number;
  readonly maxBytes?: number;
  /** What it has to look like, and that in words. */
  readonly pattern?: { readonly expression: RegExp; readonly allowed: string };
  /** Where suggestions come from while it is typed. */
  readonly suggest?: SuggestionSource;
  /** It names people, roles or groups: mentions in it stay ids, as `<@…>` and `<!subteam^…>` where a platform has text. */
  readonly people?: {
    /** What a form says under its menu of people; nothing by default. */
    readonly note?: Localized;
  };
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}
export interface NumberOption extends OptionBase {
  readonly type: 'number';
  readonly min: number;
  readonly max: number;
}
export interface BooleanOption extends OptionBase {
  readonly type: 'boolean';
}
/** A file of the person's. `address`: the service fetches it itself, so it must be at a public https address. */
export interface FileOption extends OptionBase {
  readonly type: 'file';
  readonly media: 'image' | 'video';
  readonly reach: 'data' | 'address';
}
/** Public https addresses separated by spaces. */
export interface AddressesOption extends OptionBase {
  readonly type: 'addresses';
  readonly media: 'image' | 'video';
  readonly max: number;
}

export type Option =
  | TextOption
  | ChoiceOption
  | IntegerOption
  | NumberOption
  | BooleanOption
  | FileOption
  | AddressesOption;

export type Options = Readonly<Record<string, Option>>;

export type SuggestionSource = 'voices' | 'languages' | 'sizes';
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

/** A file somebody gave. Plain data: stored with the job, read again through its platform's adapter. */
export interface IncomingFile {
  readonly name: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** A public https address from which anybody can fetch it, where it has one. */
  readonly url?: string;
  /** How its platform finds it again. */
  readonly source: string;
}

type ValueOf<O extends Option> = O extends { type: 'choice'; choices: readonly (infer C)[] }
  ? C
  : O extends { type: 'text' }
    ? string
    : O extends { type: 'integer' | 'number' }
      ? number
      : O extends { type: 'boolean' }
        ? boolean
        : O extends { type: 'file' }
          ? IncomingFile
          : readonly string[];

/** Values as a command gets them: required ones present, the others perhaps. */
export type ValuesOf<D extends Options> = {
  readonly [K in keyof D as D[K] extends { required: true } ? K : never]: ValueOf<D[K]>;
} & {
  readonly [K in keyof D as D[K] extends { required: true } ? never : K]?: ValueOf<D[K]>;
};

/** What a platform has read: text as typed, or a value the platform already gave its type. */
export type RawValues = Readonly<Record<string, string | number | boolean | IncomingFile | undefined>>;
/** Values of a command whose definition is not known statically. Plain data. */
export type AnyValues = Readonly<
  Record<string, string | number | boolean | IncomingFile | readonly string[]>
>;

/** Who asked what, as it's said above a message where nothing else tells whose that is. */
export interface Asked {
  /** Without a name where nobody else sees the message. */
  readonly requester: { readonly name?: string; readonly locale: Locale };
  readonly command: string;
  readonly options: AnyValues;
  /** What they asked for; empty where the message itself repeats it. */
  readonly text: string;
}
