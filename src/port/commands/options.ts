import { isSeen, shortened } from '../../lib/text.ts';
import type { MessageAddress } from '../address.ts';
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
  /** What it has to look like, and that in words; values by what else people call them, in lower case. */
  readonly pattern?: {
    readonly expression: RegExp;
    readonly allowed: string;
    readonly names?: Readonly<Record<string, string>>;
  };
  /** Where suggestions come from while it is typed. */
  readonly suggest?: SuggestionSource;
  /** It names people, roles or groups: mentions in it stay ids, as `<@…>` and `<!subteam^…>` where a platform has text. */
  readonly people?: {
    /** What a form says under its menu of people; nothing by default. */
    readonly note?: Localized;
    /** What an empty list of them means, which is entered as `none`. */
    readonly none?: Localized;
  };
  /** It names a channel by its id: a form has a menu of channels where its platform has those. */
  readonly channel?: true;
  /** It names roles or groups beside something else: mentions in it stay ids, too. */
  readonly ids?: true;
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Choices by what else people call them, in lower case. */
  readonly alsoCalled?: Readonly<Record<string, string>>;
}
export interface NumberOption extends OptionBase {
  readonly type: 'integer' | 'number';
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

export type Option = TextOption | ChoiceOption | NumberOption | BooleanOption | FileOption | AddressesOption;

export type Options = Readonly<Record<string, Option>>;

export type SuggestionSource = 'voices' | 'languages' | 'sizes' | 'personas';
/** UTF-16 units of a label that every platform shows; of what's longer it may be the beginning alone. */
export const alwaysShown = 75;
export interface Suggestion {
  readonly value: string;
  readonly label: string;
  /** What people call it, where that's less than its label. */
  readonly name?: string;
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
  /** Whoever attached it hid it until somebody clicks it. */
  readonly spoiler?: true;
  /** It's the so many-th image of a message, from 1, and that has yet to be asked for: nothing else is known of it. */
  readonly shownIn?: { readonly message: MessageAddress; readonly image: number };
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
  /** Their request; empty where the message itself repeats it. */
  readonly text: string;
}

export type FaultCode =
  | 'unknown-option'
  | 'missing'
  | 'too-long'
  | 'too-many-bytes'
  | 'not-a-choice'
  | 'not-listed'
  | 'not-an-integer'
  | 'not-a-number'
  | 'out-of-range'
  | 'not-a-boolean'
  | 'not-a-file'
  | 'a-file'
  | 'wrong-media'
  | 'not-https'
  | 'no-link'
  | 'too-large'
  | 'too-many'
  | 'too-many-files'
  | 'takes-no-files'
  | 'wrong-form'
  | 'needs'
  | 'other-version';

/** One thing wrong with one option; a sentence is made of it in the person's language. */
export interface OptionFault {
  readonly option: string;
  readonly code: FaultCode;
  /** The given value, shortened to be shown. */
  readonly given?: string;
  /** Allowed values: choices, a range, a length. */
  readonly allowed?: string;
}

export type Parsed = { readonly values: AnyValues } | { readonly faults: readonly OptionFault[] };

type Checked = { value: AnyValues[string] } | { fault: Omit<OptionFault, 'option'> };

/** Checks every value, typed or on record, against its definition; all faults at once. Text of which nothing is seen counts as not given. */
export function parseOptions(
  definitions: Options,
  raw: Readonly<Record<string, AnyValues[string] | undefined>>,
): Parsed {
  const faults: OptionFault[] = [];
  const values: Record<string, AnyValues[string]> = {};
  for (const name of Object.keys(raw)) {
    if (!Object.hasOwn(definitions, name)) {
      faults.push({ option: name, code: 'unknown-option', allowed: Object.keys(definitions).join(', ') });
    }
  }
  for (const [name, definition] of Object.entries(definitions)) {
    const given = raw[name];
    if (given === undefined || (typeof given === 'string' && !isSeen(given))) {
      if (definition.required) faults.push({ option: name, code: 'missing' });
      continue;
    }
    const checked = checkOption(definition, given);
    if ('fault' in checked) faults.push({ option: name, given: shown(given), ...checked.fault });
    else values[name] = checked.value;
  }
  return faults.length > 0 ? { faults } : { values };
}

function checkOption(definition: Option, given: AnyValues[string]): Checked {
  if (isList(given))
    return definition.type === 'addresses'
      ? checkAddresses(definition.max, given)
      : { fault: { code: 'wrong-form', allowed: definition.type } };
  if (typeof given === 'object' && definition.type !== 'file') return { fault: { code: 'a-file' } };
  switch (definition.type) {
    case 'file':
      return checkFile(definition.media, given);
    case 'boolean':
      return checkBoolean(given);
    case 'integer':
    case 'number':
      return checkNumber(definition, given);
    case 'choice': {
      const typed = plain(given).toLowerCase();
      const called = definition.alsoCalled?.[typed] ?? typed;
      const choice = definition.choices.find((name) => name.toLowerCase() === called);
      return choice === undefined
        ? { fault: { code: 'not-a-choice', allowed: definition.choices.join(', ') } }
        : { value: choice };
    }
    case 'addresses':
      return checkAddresses(
        definition.max,
        String(given)
          .split(/[\s,，]+/u)
          .filter(Boolean),
      );
    case 'text':
      return checkText(definition, String(given));
  }
}

function checkText(definition: TextOption, text: string): Checked {
  const { maxCharacters, maxBytes, pattern } = definition;
  if (maxCharacters !== undefined && characters(text) > maxCharacters) {
    return { fault: { code: 'too-long', given: String(characters(text)), allowed: String(maxCharacters) } };
  }
  if (maxBytes !== undefined && Buffer.byteLength(text) > maxBytes) {
    return {
      fault: { code: 'too-many-bytes', given: String(Buffer.byteLength(text)), allowed: String(maxBytes) },
    };
  }
  if (!pattern) return { value: text };
  const typed = plain(text).toLowerCase();
  const readings = [pattern.names?.[typed] ?? text.trim(), plain(text), typed];
  const value = readings.find((reading) => pattern.expression.test(reading));
  return value === undefined ? { fault: { code: 'wrong-form', allowed: pattern.allowed } } : { value };
}

/** A short value with a Chinese keyboard’s signs as what they stand for: `１６：９` is `16:9`, `1920×1080` is `1920x1080`. */
function plain(given: unknown): string {
  return String(given)
    .normalize('NFKC')
    .trim()
    .replace(/(?<=\d) ?[x×*] ?(?=\d)/gi, 'x');
}

/** Code points, so that an emoji counts once as the service's characters do. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkNumber(definition: NumberOption, given: unknown): Checked {
  const value = typeof given === 'number' ? given : Number(plain(given));
  const allowed = `${definition.min}–${definition.max}`;
  if (!Number.isFinite(value)) {
    return { fault: { code: definition.type === 'integer' ? 'not-an-integer' : 'not-a-number', allowed } };
  }
  if (definition.type === 'integer' && !Number.isSafeInteger(value)) {
    return { fault: { code: 'not-an-integer', allowed } };
  }
  if (value < definition.min || value > definition.max) return { fault: { code: 'out-of-range', allowed } };
  return { value };
}

const truths = new Map([
  ...['true', 'yes', 'on', '1', '是', '开'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0', '否', '关'].map((word) => [word, false] as const),
]);

function checkBoolean(given: unknown): Checked {
  const value = typeof given === 'boolean' ? given : truths.get(plain(given).toLowerCase());
  return value === undefined ? { fault: { code: 'not-a-boolean', allowed: 'true, false' } } : { value };
}

function checkFile(media: 'image' | 'video', given: unknown): Checked {
  if (typeof given !== 'object' || given === null) return { fault: { code: 'not-a-file' } };
  const file = given as IncomingFile;
  if (!file.contentType.startsWith(`${media}/`)) {
    return { fault: { code: 'wrong-media', given: file.contentType || file.name, allowed: `${media}/*` } };
  }
  return { value: file };
}

function checkAddresses(max: number, addresses: readonly string[]): Checked {
  const wrong = addresses.find((address) => !isHttps(address));
  if (wrong !== undefined) return { fault: { code: 'not-https', given: shown(wrong), allowed: 'https://…' } };
  if (addresses.length > max) {
    return { fault: { code: 'too-many', given: String(addresses.length), allowed: String(max) } };
  }
  return { value: addresses };
}

function isList(given: AnyValues[string]): given is readonly string[] {
  return Array.isArray(given);
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

/** At most 60 characters of what was given, for a sentence about it. */
function shown(given: unknown): string {
  const text = typeof given === 'object' && given !== null ? (given as IncomingFile).name : String(given);
  return shortened(text, 60);
}

/** As many of the files as options take: those that somebody only refers to don't have to be used. */
export function takenFiles(options: Options, files: readonly IncomingFile[]): readonly IncomingFile[] {
  return (['image', 'video'] as const).flatMap((media) =>
    files
      .filter(({ contentType }) => contentType.startsWith(`${media}/`))
      .slice(0, Object.values(options).filter((one) => one.type === 'file' && one.media === media).length),
  );
}

/** Values with files among them, or why the files can't be used. */
type Assigned = { readonly values: RawValues } | { readonly faults: readonly OptionFault[] };

/** Gives each file of a message to a command's first free option for its kind. */
export function assignFiles(
  options: Options,
  values: RawValues,
  files: readonly IncomingFile[] = [],
): Assigned {
  const assigned: Record<string, RawValues[string]> = { ...values };
  const faults: OptionFault[] = [];
  for (const media of ['image', 'video'] as const) {
    const ofKind = files.filter(({ contentType }) => contentType.startsWith(`${media}/`));
    const slots = Object.entries(options).filter(([, one]) => one.type === 'file' && one.media === media);
    const free = slots.filter(([name]) => (values[name] ?? '') === '');
    if (slots.length > 0 && ofKind.length > free.length)
      faults.push({
        option: media,
        code: 'too-many-files',
        given: String(ofKind.length),
        allowed: String(free.length),
      });
    for (const [index, [name]] of free.entries()) if (ofKind[index]) assigned[name] = ofKind[index];
  }
  const kinds = kindsOf(options);
  for (const { name, contentType } of files)
    if (!kinds.some((kind) => contentType.startsWith(`${kind}/`)))
      faults.push(
        kinds.length === 0
          ? { option: name, code: 'takes-no-files' }
          : { option: name, code: 'wrong-media', given: contentType, allowed: kinds.map(any).join(', ') },
      );
  return faults.length > 0 ? { faults } : { values: assigned };
}

/** The kinds of files that a command takes. */
function kindsOf(options: Options): readonly string[] {
  return [
    ...new Set(Object.values(options).flatMap((option) => (option.type === 'file' ? [option.media] : []))),
  ];
}

const any = (kind: string) => `${kind}/*`;
