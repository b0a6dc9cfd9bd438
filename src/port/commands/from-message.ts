import type { Locale, Localized } from '../locale.ts';
import type { AnyValues, IncomingFile, RawValues } from './option.ts';

/** A message that somebody chose a command for, as its platform shows it. Plain data. */
export interface ChosenMessage {
  /** The name of the person or app that wrote it. */
  readonly author: string;
  /** Its text with names instead of ids, and what it forwards; empty where it has only files. */
  readonly text: string;
  readonly files: readonly IncomingFile[];
  /** What a quote of it is forgotten with, once one of them is deleted: the message, and those that it forwards. */
  readonly sources?: readonly string[];
  /** Where people can open it, if its platform has addresses for messages. */
  readonly link?: string;
}

/** Whose message a command is about, and where it is: values that nobody types (see {@link aboutMessage}). */
export interface MessageReference {
  readonly author: string;
  readonly link?: string;
}

/** The values that say which message a command is about. They stay with it: its answer's header shows them. */
export function aboutMessage({ author, link }: MessageReference): AnyValues {
  return { about: author, ...(link !== undefined && { about_link: link }) };
}

/** Which message a command is about, by its values; undefined where it wasn't chosen in a message's menu. */
export function messageItIsAbout({ about, about_link: link }: AnyValues): MessageReference | undefined {
  if (typeof about !== 'string') return undefined;
  return { author: about, ...(typeof link === 'string' && { link }) };
}

/** How a command begins: what its form shows, and what goes along with it. */
export interface Beginning {
  /** The form's inputs as filled in. A text may be longer than its input: it's used as a whole if nobody changes it. */
  readonly values: RawValues;
  /** What nobody types: quoted messages, images. */
  readonly added: AnyValues;
  /** What the form says about the message, in a few lines of plain text. */
  readonly note?: string;
}

/**
 * An entry in the menu of every message: a message command on Discord, a message shortcut on Slack, a menu in the console.
 * It opens a short form.
 */
export interface FromMessage {
  /** At most 24 characters (Slack's shortcuts; Discord allows 32). Discord and the console show it in both languages. */
  readonly label: Localized;
  /** At most 150 characters; Slack shows it. */
  readonly description: Localized;
  /** The options that the form asks for, at most five. */
  readonly fields: readonly string[];
  /** How the command begins from a message, or why it can't: a sentence for the person. */
  begin(message: ChosenMessage, locale: Locale): Beginning | { readonly refused: string };
}
