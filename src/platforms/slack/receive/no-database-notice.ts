import { eventsComeWithin, type Locale, localeOfText, PlatformError } from '../../../port/index.ts';
import { RecentEvents } from '../api/recent-events.ts';
import { type MessageEvent, messageId } from '../incoming/slack-message.ts';
import { mentionedUsers } from '../markup/incoming-text.ts';
import { messageView } from '../markup/sections.ts';
import { isDirect } from '../post/address.ts';
import type { SlackServices } from '../services.ts';
import type { BotIdentity } from '../setup/workspace-access.ts';
import { sentenceFor } from './handler-context.ts';
import { isPersonal } from './on-message.ts';

/** What's read of Slack's payloads, of whichever kind one is. */
interface Payload {
  readonly type?: string;
  readonly response_url?: string;
  readonly trigger_id?: string;
  readonly text?: string;
  readonly user_id?: string;
  readonly user?: { readonly id?: string };
  readonly view?: {
    readonly type?: string;
    readonly blocks?: readonly { readonly type?: string; readonly block_id?: string }[];
  };
  readonly event?: MessageEvent & {
    readonly function_execution_id?: string;
    readonly bot_access_token?: string;
  };
  readonly authorizations?: readonly { readonly user_id?: string }[] | null;
  readonly is_ext_shared_channel?: boolean;
}

/** A payload, and what's known around it without the database. */
export interface ReceivedPayload {
  readonly body: object;
  /** How often Slack has sent it before. */
  readonly retryNum: number | undefined;
  /** The bot where it belongs; undefined until that's known. */
  readonly bot: () => Pick<BotIdentity, 'token' | 'workspace'> | undefined;
  /** Acknowledges it to Slack; a form's acknowledgement says what the form shows. */
  readonly acknowledge: (response?: object) => Promise<void>;
}

type NoticeServices = Pick<
  SlackServices,
  'access' | 'api' | 'arrivals' | 'people' | 'responseUrls' | 'clock'
>;

/**
 * Tells people why nothing comes of what they did, with what came with it and what's in memory: that needs no database. A
 * payload is acknowledged only once its person has been told: otherwise Slack sends it again, or says itself that the app
 * didn't respond.
 */
export class NoDatabaseNotice {
  readonly #services: NoticeServices;
  /** Messages whose authors were told: a mention comes as two events, and Slack may send any again. */
  readonly #told: RecentEvents;

  constructor(services: NoticeServices) {
    this.#services = services;
    this.#told = new RecentEvents(services.clock, eventsComeWithin);
  }

  /** Whether somebody waits for what comes of a payload, as far as that alone says. */
  isAwaited({ body, retryNum }: ReceivedPayload): boolean {
    const { type, event, authorizations }: Payload = body;
    if (type !== 'event_callback') return true;
    // Nobody sits in front of a workflow: it waits for Slack's next tries, and fails after the last.
    if (event?.type === 'function_executed') return (retryNum ?? 0) >= 3;
    if (event?.type !== 'app_mention' && event?.type !== 'message') return false;
    if (!isPersonal(event)) return false;
    if (event.type === 'app_mention' || isDirect(event.channel)) return true;
    return isMention(event, authorizations) || this.#mentionsOther(event);
  }

  /** Whether a message mentions the bot of another workspace, which may share the channel. */
  #mentionsOther({ text = '' }: MessageEvent): boolean {
    return mentionedUsers(text).some((id) => this.#services.access.placeOfBot(id) !== undefined);
  }

  /** Resolves when its author has been told because of a payload before; undefined if they aren't. */
  toldBefore({ body }: ReceivedPayload): Promise<void> | undefined {
    const { event }: Payload = body;
    return event?.ts === undefined ? undefined : this.#told.done(messageId(event));
  }

  /** Tells whose payload it is, and acknowledges it. @throws where that isn't possible now. */
  async tell(received: ReceivedPayload, error?: unknown): Promise<void> {
    const { acknowledge, bot } = received;
    const { event, response_url, trigger_id, type, view }: Payload = received.body;
    const locale = await this.#localeFor(received);
    const text = sentenceFor(error, { locale });
    if (type === 'view_submission') return acknowledge(inForm(view, text, bot()?.workspace ?? ''));
    if (event) await this.#tellAuthor(event, received.body, bot(), text);
    else if (response_url) await this.#services.responseUrls.sayUncounted(response_url, text);
    else if (trigger_id) await this.#openWindow(view?.type, trigger_id, bot(), text);
    await acknowledge();
  }

  async #tellAuthor(
    event: NonNullable<Payload['event']>,
    body: Payload,
    { token: ofBot }: Partial<BotIdentity> = {},
    text: string,
  ): Promise<void> {
    const { api, arrivals } = this.#services;
    const { channel, thread_ts: thread, user, bot_access_token: own } = event;
    const token = own ?? ofBot;
    if (token === undefined) throw new PlatformError('unreachable', 'the token is in the database');
    if (event.type === 'function_executed') {
      const ended = { function_execution_id: event.function_execution_id, error: text };
      return void (await api.callOnce('functions.completeError', ended, token));
    }
    // Perhaps to another process.
    if (await this.#isLeftToMention(body, token)) return;
    const said = { channel, text, ...(thread !== undefined && { thread_ts: thread }) };
    await this.#told.once(messageId(event), async () => {
      if (isDirect(channel)) await api.callOnce('chat.postMessage', said, token);
      else await api.callOnce('chat.postEphemeral', { ...said, user }, token);
    });
    arrivals.wasTold(messageId(event));
  }

  /**
   * Whether a `message` also comes as an `app_mention`, perhaps to another process: a mention in a channel does. With files,
   * and in channels shared with other workspaces, it may come only as a `message` (bolt-python#925; seen in Slack Connect).
   */
  async #isLeftToMention(body: Payload, token: string): Promise<boolean> {
    const { event, authorizations, is_ext_shared_channel: isShared } = body;
    if (event?.type !== 'message' || isShared === true || !isMention(event, authorizations)) return false;
    const { channel, channel_type: kind, files = [], subtype } = event;
    if (files.length > 0 || subtype === 'file_share' || isDirect(channel)) return false;
    if (kind !== undefined) return kind === 'channel' || kind === 'group';
    const { api } = this.#services;
    const asked = api.callOnce('conversations.info', { channel }, token);
    const info = (await asked.catch(() => undefined))?.channel as { readonly is_mpim?: boolean } | undefined;
    return info?.is_mpim === false;
  }

  /** A button in the Home tab or in a window has no `response_url`. */
  async #openWindow(
    above: string | undefined,
    trigger: string,
    bot: ReturnType<ReceivedPayload['bot']>,
    text: string,
  ): Promise<void> {
    if (!bot) throw new PlatformError('unreachable', 'the token is in the database');
    const view = messageView({ text }, { workspace: bot.workspace, channel: '' });
    const method = above === 'modal' ? 'views.push' : 'views.open';
    await this.#services.api.callOnce(method, { trigger_id: trigger, view }, bot.token);
  }

  /** The person's language if it's in memory; else Chinese where they write it. */
  async #localeFor({ body, bot }: ReceivedPayload): Promise<Locale> {
    const { event, text = event?.text ?? '', user_id, user }: Payload = body;
    const id = event?.user ?? user_id ?? user?.id;
    const known = id && (await this.#services.people.knownLocale(bot()?.workspace ?? '', id));
    return known || (localeOfText(text) ?? 'en');
  }
}

/** Whether a message mentions the bot that it’s for. */
function isMention({ text = '' }: MessageEvent, authorizations: Payload['authorizations']): boolean {
  const mentioned = mentionedUsers(text);
  return (authorizations ?? []).some(({ user_id }) => user_id !== undefined && mentioned.includes(user_id));
}

/** The sentence at the form's first input, so that what was entered stays; in the form's place where it has none. */
function inForm(view: Payload['view'], text: string, workspace: string): object {
  const input = view?.blocks?.find(({ type }) => type === 'input')?.block_id;
  if (input !== undefined) return { response_action: 'errors', errors: { [input]: text } };
  return { response_action: 'update', view: messageView({ text }, { workspace, channel: '' }) };
}
