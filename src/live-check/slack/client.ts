import { webApi } from '@slack/bolt';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isAnswerLost, retryAfter, slackCode } from '../../platforms/slack/api/errors.ts';
import { silentLogger } from '../../platforms/slack/api/log.ts';
import { clientOptions } from '../../platforms/slack/api/slack-api.ts';
import { type CheckedChannel, CleanUp, type Help } from '../run-steps.ts';
import { onePixelPng } from '../sample-files.ts';

/** The start of every text that the check posts. */
export const label = 'troupe live check';

type Arguments = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

/** Of a message that was posted. */
interface Posted {
  readonly ts: string;
  /** As Slack keeps it. */
  readonly message?: { readonly blocks?: readonly object[] };
}

/** A channel, or a thread in it. */
interface Target {
  readonly channel: string;
  readonly thread?: string | undefined;
}

/** What the check reads of a user. */
interface Member {
  readonly id: string;
  readonly team_id?: string;
  readonly is_bot?: boolean;
  readonly is_stranger?: boolean;
}

/** Messages of a channel or thread. */
interface Found {
  readonly messages: readonly {
    readonly ts: string;
    readonly bot_id?: string;
    readonly text?: string;
  }[];
}

/** Milliseconds to wait for a rate limit at most. */
const longestWait = 61_000;
const maxTries = 3;
/** Members of a channel that are looked up. */
const maxMembers = 30;
/** Messages that are read in a thread or channel. */
const maxMessages = 200;
/** Milliseconds to wait until Slack has processed a file. */
const processingTimeout = 30_000;
const pollInterval = 1_500;
/** Errors that mean something is gone or has ended already. */
const goneCodes: readonly string[] = [
  'message_not_found',
  'message_not_in_streaming_state',
  'file_not_found',
];

/** Calls the Web API within Slack's rate limits, and deletes at the end what it has created. */
export class CheckClient {
  readonly cleanUp = new CleanUp();
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  #lostResponses = false;

  constructor(apiUrl: string, token: string, clock: Clock) {
    this.#client = new webApi.WebClient(token, { ...clientOptions(apiUrl), logger: silentLogger });
    this.#clock = clock;
  }

  /** Calls a method; waits for rate limits. The response is what Slack documents, which isn't checked. */
  async call<Response = Answer>(method: string, args: Arguments = {}): Promise<Response> {
    for (let left = maxTries; ; left--) {
      try {
        return await this.once<Response>(method, args);
      } catch (error) {
        const seconds = retryAfter(error);
        if (seconds === undefined || left <= 1 || seconds * 1_000 > longestWait) throw error;
        await sleep(this.#clock, seconds * 1_000);
      }
    }
  }

  /** Calls a method without waiting. */
  async once<Response = Answer>(method: string, args: Arguments = {}): Promise<Response> {
    try {
      return (await this.#client.apiCall(method, { ...args })) as Response;
    } catch (error) {
      if (isAnswerLost(error)) this.#lostResponses = true;
      throw error;
    }
  }

  /** Posts a message, which is deleted at the end. */
  async post({ channel, thread }: Target, text: string, blocks?: readonly object[]): Promise<Posted> {
    const posted = await this.call<Posted>('chat.postMessage', {
      channel,
      ...(thread !== undefined && { thread_ts: thread }),
      ...{ unfurl_links: false, unfurl_media: false },
      text: `${label}: ${text}`,
      ...(blocks && { blocks }),
    });
    this.#removeMessage(channel, posted.ts);
    return posted;
  }

  /** Members of a channel, as far as they are looked up. */
  async *membersOf(channel: string): AsyncGenerator<Member> {
    const { members } = await this.call<{ members: string[] }>('conversations.members', {
      ...{ channel, limit: maxMembers },
    });
    for (const id of members.slice(0, maxMembers)) {
      const { user } = await this.call<{ user: Member }>('users.info', { user: id });
      yield user;
    }
  }

  /** Starts a stream, which is ended and deleted at the end; returns its timestamp. */
  async startStream({ channel, thread }: Target, args: Arguments): Promise<string> {
    const at = { channel, thread_ts: thread };
    const { ts } = await this.call<Posted>('chat.startStream', { ...at, ...args });
    this.#removeMessage(channel, ts);
    this.cleanUp.add(`a stream (${channel} ${ts})`, () =>
      this.#callOrGone('chat.stopStream', { channel, ts }),
    );
    return ts;
  }

  /** Uploads a file that's shared nowhere; returns its id. */
  async upload(extension: string, bytes: Uint8Array): Promise<string> {
    const name = `troupe-live-check.${extension}`;
    const { upload_url, file_id: file } = await this.call<{ upload_url: string; file_id: string }>(
      'files.getUploadURLExternal',
      { filename: name, length: bytes.byteLength, alt_txt: label },
    );
    this.cleanUp.add(`the file ${name} (${file})`, () => this.#callOrGone('files.delete', { file }));
    const sent = await fetch(upload_url, { method: 'POST', body: new Uint8Array(bytes) });
    if (!sent.ok) throw new Error(`the upload failed with ${sent.status}`);
    await this.call('files.completeUploadExternal', { files: [{ id: file, title: name }] });
    return file;
  }

  /** Waits until Slack has processed an uploaded picture: before that no block can show it. */
  async processed(id: string, signal: AbortSignal): Promise<void> {
    for (const end = this.#clock.now() + processingTimeout; this.#clock.now() < end;) {
      const { file } = await this.call<{ file: { mimetype?: string } }>('files.info', { file: id });
      if (file.mimetype) return;
      await sleep(this.#clock, pollInterval, signal);
    }
  }

  /**
   * Deletes at the end the check's messages that are unknown because the responses to their posts were lost: in a thread,
   * or in the channel since the timestamp `since`.
   */
  removeLeftovers({ channel, thread }: Target, since: string): void {
    this.cleanUp.add('messages whose responses were lost', async () => {
      if (!this.#lostResponses) return;
      const { messages } = await (thread === undefined
        ? this.call<Found>('conversations.history', { channel, oldest: since, limit: maxMessages })
        : this.call<Found>('conversations.replies', { channel, ts: thread, limit: maxMessages }));
      for (const { ts, bot_id, text } of messages) {
        if (bot_id === undefined || !text?.startsWith(label) || ts === thread) continue;
        // It may be a stream that hasn't ended.
        await this.#callOrGone('chat.stopStream', { channel, ts });
        await this.#callOrGone('chat.delete', { channel, ts });
      }
    });
  }

  #removeMessage(channel: string, ts: string): void {
    this.cleanUp.add(`a message (${channel} ${ts})`, () => this.#callOrGone('chat.delete', { channel, ts }));
  }

  /** Calls a method that deletes or ends something, which may be gone already; repeats the call if its response is lost. */
  async #callOrGone(method: string, args: Arguments): Promise<void> {
    for (let left = maxTries; ; left--) {
      try {
        await this.call(method, args);
        return;
      } catch (error) {
        if (goneCodes.includes(slackCode(error) ?? '')) return;
        if (!isAnswerLost(error) || left <= 1) throw error;
      }
    }
  }
}

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
