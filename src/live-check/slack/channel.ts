import type { Help } from '../helper.ts';
import type { CheckedChannel } from '../run-steps.ts';
import { onePixelPng } from '../sample-files.ts';
import { type CheckClient, label } from './client.ts';

/** A thread in the channel, or in a person's direct messages. */
export interface Place {
  readonly channel: string;
  readonly thread: string;
}

/** Whose token it is (`auth.test`). */
export interface Identity {
  readonly team_id: string;
  readonly enterprise_id?: string;
  readonly is_enterprise_install?: boolean;
  readonly response_metadata?: { readonly scopes?: readonly string[] };
}

/** A press of a button or a typed command, as far as it's used. */
export interface Action {
  /** A command's. */
  readonly text?: string;
  readonly response_url: string;
  /** A press's. */
  readonly actions?: readonly { readonly action_id: string }[];
}

/** Where the steps are tried. */
export interface SlackChannel extends CheckedChannel {
  readonly slack: CheckClient;
  readonly me: Identity;
  /** The check's thread in the channel. */
  readonly inChannel: Place;
  /** The first person in the channel. */
  readonly person: string;
  /** The check's thread in that person's direct messages. */
  readonly inDirectMessage: Place;
  /** A sentence if nobody helps. */
  readonly help: Help<Action> | string;
  readonly signal: AbortSignal;
  /** A thread in which streams work. */
  streams?: Place;
}

/** Uploads a picture that no message shares, as a block of one. */
export async function picture({ slack, signal }: SlackChannel): Promise<object> {
  const id = await slack.upload('png', onePixelPng);
  await slack.processed(id, signal);
  return { type: 'image', slack_file: { id }, alt_text: label };
}

/** A row with buttons of the check's own, which the bot ignores. */
export function buttonRow(...buttons: readonly (readonly [id: string, label: string])[]) {
  const elements = buttons.map(([action_id, text]) => {
    return { type: 'button', action_id, text: { type: 'plain_text', text } };
  });
  return { type: 'actions', elements };
}
