import type { Locale } from '../../../port/locale.ts';

/** Elements that Markdown can become; nothing else reaches the page. */
export type RichTag =
  | 'p'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'strong'
  | 'em'
  | 's'
  | 'code'
  | 'pre'
  | 'blockquote'
  | 'small'
  | 'ul'
  | 'ol'
  | 'li'
  | 'a'
  | 'br'
  | 'hr'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';

/** One element of rendered Markdown. */
export interface RichElement {
  readonly tag: RichTag;
  readonly children: readonly RichNode[];
  /** Of `a`: http, https or mailto. */
  readonly href?: string;
  /** Of `pre`: the fence's language. */
  readonly language?: string;
  /** Of `ol`: its first number. */
  readonly start?: number;
  /** Of `th` and `td`. */
  readonly align?: 'left' | 'center' | 'right';
}
/** Rendered Markdown: text, or an element. A tree and not HTML, so that there is nothing to inject. */
export type RichNode = string | RichElement;

export interface WireFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly kind: 'image' | 'audio' | 'voice' | 'video' | 'file';
  readonly description: string;
  /** In bytes. */
  readonly size: number;
  readonly seconds?: number;
}

export interface WireButton {
  readonly id: string;
  readonly label: string;
  readonly style: 'plain' | 'primary' | 'danger';
}

/** A command as it was given. */
export interface WireCommand {
  readonly name: string;
  /** The words of its text option. */
  readonly text: string;
  /** The other options, in words. */
  readonly options: readonly { readonly name: string; readonly value: string }[];
}

export interface WireMessage {
  /** Greater for a later message. */
  readonly id: number;
  /** The channel's or the thread's id. */
  readonly place: string;
  readonly revision: number;
  readonly author: 'you' | 'bot';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: readonly RichNode[];
  readonly command?: WireCommand;
  readonly files: readonly WireFile[];
  readonly buttons: readonly WireButton[];
  /** Address of a result too large to keep. */
  readonly link?: string;
  /** It is meant for the person's attention. */
  readonly mention?: true;
  /** Only this browser's session sees it. */
  readonly private?: true;
  /** Words are still being added. */
  readonly isDraft?: true;
}

/** A message that is no longer there. */
export interface WireGone {
  readonly id: number;
  readonly place: string;
  readonly revision: number;
  readonly gone: true;
}

export interface WireChannel {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly gone?: true;
}

export interface WireThread {
  readonly id: string;
  readonly revision: number;
  readonly channel: string;
  /** The message it hangs under. */
  readonly message: number;
  readonly name: string;
  readonly messages: number;
  /** Its last message in a few words. */
  readonly preview: string;
  readonly gone?: true;
}

/** An option as the page's forms and completion need it. */
export interface WireOption {
  readonly name: string;
  readonly type: 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'file' | 'addresses';
  readonly description: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly maxCharacters?: number;
  readonly maxBytes?: number;
  /** What its text has to look like, in words. */
  readonly allowed?: string;
  /** Suggestions can be asked for. */
  readonly suggests?: true;
  readonly media?: 'image' | 'video';
  readonly reach?: 'data' | 'address';
}

export interface WireCommandDefinition {
  readonly name: string;
  /** What it is called in the page's language, where that has a name for it. */
  readonly localName?: string;
  readonly description: string;
  readonly options: readonly WireOption[];
  readonly textOption?: string;
}

/** What the page starts from. */
export interface WireState {
  readonly revision: number;
  readonly locale: Locale;
  readonly channels: readonly WireChannel[];
  readonly threads: readonly WireThread[];
  readonly commands: readonly WireCommandDefinition[];
  /** The largest file that can be uploaded, in bytes. */
  readonly maxUploadBytes: number;
  /** Whether there is a log-in to leave. */
  readonly loggedIn: boolean;
}

export interface WirePage {
  readonly messages: readonly WireMessage[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

/** Event `hello`, the first of every stream. */
export interface WireHello {
  /** Of the page's files; another one than the page's own means that it is outdated. */
  readonly version: string;
}

/** Event `changes`: everything that became different up to `revision`. */
export interface WireChanges {
  readonly revision: number;
  readonly channels: readonly WireChannel[];
  readonly threads: readonly WireThread[];
  readonly messages: readonly (WireMessage | WireGone)[];
}

/** Event `draft`: the newest state of a message that is being written. */
export interface WireDraft {
  readonly id: number;
  readonly place: string;
  readonly body: readonly RichNode[];
  readonly buttons: readonly WireButton[];
}

/** Event `working`: where a command was taken and nothing has been answered yet. */
export interface WireWorking {
  readonly places: readonly string[];
}

/** A value of an option: as typed, or an uploaded file. */
export type WireValue = string | number | boolean | { readonly file: string };
export type WireValues = Readonly<Record<string, WireValue>>;

export interface WireCommandRequest {
  /** Chosen by the page; sending the same again does nothing twice. */
  readonly eventId: string;
  readonly place: string;
  readonly command: string;
  readonly options: WireValues;
  readonly locale: Locale;
  /** The browser's, an IANA name. */
  readonly timeZone?: string;
}

export interface WirePressRequest {
  readonly eventId: string;
  readonly message: number;
  readonly action: string;
  /** What was entered in the form the button opened. */
  readonly values?: WireValues;
  readonly locale: Locale;
  readonly timeZone?: string;
}

/** A form that a button opens. */
export interface WireForm {
  readonly title: string;
  readonly command: string;
  readonly fields: readonly string[];
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Files its fields hold already. */
  readonly files: Readonly<Record<string, WireFile>>;
}

export type WireOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly body: readonly RichNode[] }
  | { readonly kind: 'form'; readonly form: WireForm };

export interface WireSuggestion {
  readonly value: string;
  readonly label: string;
}

/** What goes with every status from 400 on. */
export interface WireFault {
  readonly error: 'log-in' | 'forbidden' | 'not-found' | 'bad-request' | 'too-large' | 'broken';
}
