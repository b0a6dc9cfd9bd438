import type { SpokenCommand, SpokenOption } from '../../../port/command-line/spoken.ts';
import type { ControlOutcome, TrailStep } from '../../../port/control-room.ts';
import type { Locale } from '../../../port/locale.ts';

/** The only elements Markdown is rendered to. */
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
/** Rendered Markdown: text or an element. A tree instead of HTML, so nothing can be injected. */
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
  /** Its meaning, where its label is only a sign. */
  readonly description?: string;
  readonly style: 'plain' | 'primary' | 'danger';
  /** Asked before it does anything. */
  readonly confirm?: { readonly question: string; readonly yes: string };
  /** Greater for a row further down; 0 if absent. */
  readonly row?: number;
}

/** A command as the person sent it. */
export interface WireCommand {
  readonly name: string;
  /** The value of its text option. */
  readonly text: string;
  /** The other options, as text. */
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
  /** URL of a result that is too large to store. */
  readonly link?: string;
  /** Its files and its link are hidden until they're clicked. */
  readonly spoiler?: true;
  /** It mentions the person. */
  readonly mention?: true;
  /** The name of the persona that says it. */
  readonly persona?: string;
  /** The beginning of the message it replies to. */
  readonly repliesTo?: string;
  /** Only this browser's session sees it. */
  readonly private?: true;
  /** It is still being written. */
  readonly isDraft?: true;
}

/** A deleted message. */
export interface WireDeletedMessage {
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
  /** The message it was opened under. */
  readonly message: number;
  readonly name: string;
  readonly messages: number;
  /** The beginning of its last message. */
  readonly preview: string;
  readonly gone?: true;
}

/** An option of a command, for the page's forms and completion. */
export interface WireOption extends SpokenOption {
  readonly type: 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'file' | 'addresses';
  readonly description: string;
  readonly required: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly maxCharacters?: number;
  readonly maxBytes?: number;
  /** The allowed values of a text with a pattern, in words. */
  readonly allowed?: string;
  /** It has suggestions to fetch. */
  readonly suggests?: true;
  readonly media?: 'image' | 'video';
  readonly reach?: 'data' | 'address';
  /** The title it stands under in a form of all options. */
  readonly group?: string;
}

/** A command, with what it takes to find it in a message. */
export interface WireCommandDefinition extends SpokenCommand<WireOption> {
  /** Its name in the page's language, if it has one. */
  readonly localName?: string;
  readonly description: string;
  /** Its entry in the menu of every message. */
  readonly fromMessage?: { readonly label: string; readonly action: string };
}

/** The state a page starts with. */
export interface WireState {
  readonly revision: number;
  readonly locale: Locale;
  readonly channels: readonly WireChannel[];
  readonly threads: readonly WireThread[];
  readonly commands: readonly WireCommandDefinition[];
  /** The largest file that can be uploaded, in bytes. */
  readonly maxUploadBytes: number;
  /** Whether there is a session to log out of. */
  readonly loggedIn: boolean;
  /** Whether the operator's view is there, too. */
  readonly hasControlRoom: boolean;
}

export interface WirePage {
  readonly messages: readonly WireMessage[];
  /** Whether there are older messages. */
  readonly more: boolean;
}

/** Event `hello`, the first of every stream. */
export interface WireHello {
  /** Version of the page's files; the page is outdated if its own differs. */
  readonly version: string;
}

/** Event `changes`: everything that changed up to `revision`. */
export interface WireChanges {
  readonly revision: number;
  readonly channels: readonly WireChannel[];
  readonly threads: readonly WireThread[];
  readonly messages: readonly (WireMessage | WireDeletedMessage)[];
}

/** Event `draft`: the newest state of a message that is being written. */
export interface WireDraft {
  readonly id: number;
  readonly place: string;
  readonly body: readonly RichNode[];
  readonly buttons: readonly WireButton[];
}

/** Event `working`: places with a command in progress that has no answer yet. */
export interface WireWorking {
  readonly places: readonly string[];
}

/** An option's value: typed, or an uploaded file. */
export type WireValue = string | number | boolean | { readonly file: string };
export type WireValues = Readonly<Record<string, WireValue>>;

/** What every request of a command says besides the command. */
interface WireGiven {
  /** Idempotency key chosen by the page. */
  readonly eventId: string;
  readonly place: string;
  /** The message it replies to. */
  readonly replyTo?: number | undefined;
  readonly locale: Locale;
  /** The browser's time zone, an IANA name. */
  readonly timeZone?: string | undefined;
}

/** A command by its name, or a message whose text tells which. */
export type WireAsked =
  | { readonly command: string; readonly options: WireValues }
  | {
      readonly text: string;
      /** Files, by the option of the command that the page found in the text. */
      readonly options: WireValues;
    };

export type WireCommandRequest = WireGiven & WireAsked;

export interface WirePressRequest {
  readonly eventId: string;
  readonly message: number;
  readonly action: string;
  /** Values of the form that the button opened. */
  readonly values?: WireValues | undefined;
  readonly locale: Locale;
  readonly timeZone?: string | undefined;
}

/** A form that a button opens. */
export interface WireForm {
  readonly title: string;
  readonly command: string;
  readonly fields: readonly string[];
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Files its fields start with. */
  readonly files: Readonly<Record<string, WireFile>>;
}

export type WireOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly body: readonly RichNode[] }
  | {
      readonly kind: 'form';
      readonly form: WireForm;
      /** The action that submits it, where it's another than the one that opened it. */
      readonly action?: string;
    };

export interface WireSuggestion {
  readonly value: string;
  readonly label: string;
}

/** What an action of the control room came to. */
export interface WireControlled {
  readonly outcome: ControlOutcome;
}

/** A command's way, in the control room. */
export interface WireTrail {
  readonly steps: readonly TrailStep[];
}

/** Body of every response with a status of 400 or more. */
export interface WireError {
  readonly error: 'log-in' | 'forbidden' | 'not-found' | 'bad-request' | 'too-large' | 'broken';
}
