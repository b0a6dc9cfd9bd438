import {
  type APIApplication,
  type APIApplicationCommand,
  type APIChannel,
  type APIGatewayBotInfo,
  type APIInteractionResponse,
  type APIMessage,
  DiscordAPIError,
  type RateLimitData,
  type RawFile,
  REST,
  RESTEvents,
  RESTJSONErrorCodes,
  type RESTPutAPIApplicationCommandsJSONBody,
  type ResponseLike,
  Routes,
} from 'discord.js';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { PlatformError } from '../../../port/index.ts';
import { ClockSteps } from './clock-steps.ts';
import { errorCode, isNetworkError, mayHaveArrived, platformErrorOf, UnconfirmedError } from './errors.ts';
import { makeRequest } from './make-request.ts';
import type { MessageBody } from './message-body.ts';
import { nonceMemory, nonceOf } from './nonce.ts';
import { UnknownChannels } from './unknown-channels.ts';

export interface DiscordApiOptions {
  readonly token: string;
  /** REST root, without the version. */
  readonly apiUrl: string;
  /** The part of the bot's requests a second that this process may make; all of them by default. */
  readonly share?: number;
  readonly clock?: Clock;
}

/** Long enough for 25 MiB on a slow line, in milliseconds. */
const requestLimit = 60_000;
/** Requests a second of the whole bot; those by an interaction's token don't count (topics/rate-limits). */
const globalRequestsPerSecond = 50;
/** Every interaction's token is a bucket of its own, forgotten after so long, in milliseconds. */
const tokenForgottenAfter = 60_000;
const lostAnswerTries = 3;
/** What the rate limits hold up for longer is given back instead of waited for, in milliseconds. */
const longestWait = 20_000;

/**
 * Discord's REST interface as the bot uses it, on a REST manager of its own: the library's client can be thrown
 * away and made anew without touching what is under way. Errors arrive as `PlatformError` where a person can be
 * told something about them.
 */
export class DiscordApi {
  readonly #token: string;
  readonly #clock: Clock;
  readonly #rest: REST;
  /** For what an interaction's token is the permission for. */
  readonly #tokenRest: REST;
  /** For the one kind of request that Discord cannot recognise when it comes twice; by a token, too. */
  readonly #onceRest: REST;
  readonly #clockSteps = new ClockSteps();
  readonly #gone = new UnknownChannels();

  constructor({ token, apiUrl, share = 1, clock = systemClock }: DiscordApiOptions) {
    this.#token = token;
    this.#clock = clock;
    const options = {
      version: '10',
      api: apiUrl.replace(/\/$/, ''),
      timeout: requestLimit,
      makeRequest,
      rejectOnRateLimit: ({ retryAfter, timeToReset }: RateLimitData) =>
        Math.max(retryAfter, timeToReset) > longestWait,
    };
    const most = Math.max(1, Math.floor(globalRequestsPerSecond * share));
    this.#rest = new REST({ ...options, globalRequestsPerSecond: most }).setToken(token);
    const byToken = {
      ...options,
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      handlerSweepInterval: tokenForgottenAfter,
    };
    this.#tokenRest = new REST(byToken);
    this.#onceRest = new REST({ ...byToken, retries: 0 });
  }

  /** Hears every answer with its headers; the path tells which bucket it is of. */
  onResponse(listener: (method: string, path: string, response: ResponseLike) => void): void {
    for (const rest of this.#all)
      rest.on(RESTEvents.Response, ({ method, path }, response) => listener(method, path, response));
  }

  /** Stops the timers that keep a process alive. */
  close(): void {
    for (const rest of this.#all) {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    }
  }

  application(): Promise<APIApplication> {
    return this.#ask(() => this.#rest.get(Routes.currentApplication()));
  }

  /** Where the gateway is, how many shards Discord recommends, and how many may identify. */
  gateway(): Promise<APIGatewayBotInfo> {
    return this.#ask(() => this.#rest.get(Routes.gatewayBot()));
  }

  /** Registered commands with all their languages; of one server where `guildId` is given. */
  commands(applicationId: string, guildId?: string): Promise<APIApplicationCommand[]> {
    const query = new URLSearchParams({ with_localizations: 'true' });
    return this.#ask(() => this.#rest.get(commandsRoute(applicationId, guildId), { query }));
  }

  putCommands(
    applicationId: string,
    guildId: string | undefined,
    body: RESTPutAPIApplicationCommandsJSONBody,
  ): Promise<APIApplicationCommand[]> {
    return this.#ask(() => this.#rest.put(commandsRoute(applicationId, guildId), { body }));
  }

  /**
   * Gives an interaction its first answer. Already acknowledged counts as done: it is what a repeated request
   * hears whose first answer was lost.
   */
  async acknowledge(id: string, token: string, body: APIInteractionResponse): Promise<void> {
    try {
      await this.#ask(() =>
        this.#tokenRest.post(Routes.interactionCallback(id, token), { body, auth: false }),
      );
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) throw error;
    }
  }

  /**
   * Posts as the bot; the same nonce within some minutes gives the first message again. All tries end within `life`
   * milliseconds, for which Discord surely knows it: one that may be there has to be looked for after that. Where
   * somebody deleted it meanwhile, Discord may know it and have no message to give (10008, discord.py#10116): it's
   * posted anew.
   */
  async createMessage(
    channelId: string,
    body: MessageBody,
    files: readonly RawFile[],
    nonce: string,
    life = nonceMemory,
  ): Promise<APIMessage> {
    const post = (once: object, signal: AbortSignal) =>
      this.#gone.ask(channelId, () =>
        this.#ask<APIMessage>(
          () =>
            this.#rest.post(Routes.channelMessages(channelId), {
              body: { ...body, ...once },
              files: [...files],
              signal,
            }),
          signal,
        ),
      );
    try {
      return await this.#recognised(nonce, life, post);
    } catch (error) {
      // The channel is there all the same.
      if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
      throw new PlatformError('refused', undefined, { cause: error });
    }
  }

  /** Posts with a nonce, as long as that lives; anew where Discord has no message to give for it. */
  async #recognised(
    nonce: string,
    life: number,
    post: (once: object, signal: AbortSignal) => Promise<APIMessage>,
  ): Promise<APIMessage> {
    const ended = new AbortController();
    const cancel = this.#clock.after(life, () => ended.abort());
    const posted = (once: string) => post({ nonce: once, enforce_nonce: true }, ended.signal);
    try {
      return await posted(nonce).catch((error: unknown) => {
        if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
        return posted(nonceOf(nonce, 'deleted'));
      });
    } finally {
      cancel();
    }
  }

  editMessage(
    channelId: string,
    id: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<APIMessage> {
    return this.#askIn(channelId, () =>
      this.#rest.patch(Routes.channelMessage(channelId, id), { body, files: [...files] }),
    );
  }

  message(channelId: string, id: string): Promise<APIMessage> {
    return this.#askIn(channelId, () => this.#rest.get(Routes.channelMessage(channelId, id)));
  }

  /** The first `limit` messages (at most 100) after the one of this id, newest first. */
  messagesAfter(channelId: string, id: string, limit: number): Promise<APIMessage[]> {
    const query = new URLSearchParams({ after: id, limit: String(limit) });
    return this.#askIn(channelId, () => this.#rest.get(Routes.channelMessages(channelId), { query }));
  }

  async deleteMessage(channelId: string, id: string): Promise<void> {
    await unlessGone(this.#askIn(channelId, () => this.#rest.delete(Routes.channelMessage(channelId, id))));
  }

  /**
   * Posts a further message by an interaction's token: with a nonce until it's there, while that lives (`createMessage`);
   * else at most once, because Discord can't recognise it.
   * @throws {UnconfirmedError} without a nonce, where nobody knows whether it's there.
   */
  async followUp(
    applicationId: string,
    token: string,
    body: MessageBody,
    files: readonly RawFile[],
    recognised?: { readonly nonce: string; readonly life: number },
  ): Promise<APIMessage> {
    const route = Routes.webhook(applicationId, token);
    const options = { files: [...files], auth: false };
    if (recognised) {
      const { nonce, life } = recognised;
      return this.#recognised(nonce, life, (once, signal) =>
        this.#ask(
          () => this.#tokenRest.post(route, { body: { ...body, ...once }, ...options, signal }),
          signal,
        ),
      );
    }
    this.#forgetLimits();
    try {
      return (await this.#onceRest.post(route, { body, ...options })) as APIMessage;
    } catch (error) {
      throw mayHaveArrived(error) ? new UnconfirmedError(error) : platformErrorOf(error);
    }
  }

  /** Edits a message of an interaction by its token; `@original` is the first answer. */
  editByToken(
    applicationId: string,
    token: string,
    id: string,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<APIMessage> {
    const route = Routes.webhookMessage(applicationId, token, id);
    return this.#ask(() => this.#tokenRest.patch(route, { body, files: [...files], auth: false }));
  }

  messageByToken(applicationId: string, token: string, id: string): Promise<APIMessage> {
    const route = Routes.webhookMessage(applicationId, token, id);
    return this.#ask(() => this.#tokenRest.get(route, { auth: false }));
  }

  async deleteByToken(applicationId: string, token: string, id: string): Promise<void> {
    const route = Routes.webhookMessage(applicationId, token, id);
    await unlessGone(this.#ask(() => this.#tokenRest.delete(route, { auth: false })));
  }

  /** Opens the thread of a message, or finds the one it has: both have the message's id. */
  async openThread(channelId: string, messageId: string, name: string): Promise<void> {
    try {
      await this.#askIn(channelId, () =>
        this.#rest.post(Routes.threads(channelId, messageId), { body: { name } }),
      );
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage) throw error;
    }
  }

  async unarchive(threadId: string): Promise<void> {
    await this.#askIn(threadId, () =>
      this.#rest.patch(Routes.channel(threadId), { body: { archived: false } }),
    );
  }

  /** Shows "is typing" for ten seconds. */
  async typing(channelId: string): Promise<void> {
    await this.#askIn(channelId, () => this.#rest.post(Routes.channelTyping(channelId)));
  }

  async leaveGuild(id: string): Promise<void> {
    await this.#ask(() => this.#rest.delete(Routes.userGuild(id)));
  }

  async directChannel(userId: string): Promise<string> {
    const channel = await this.#ask<APIChannel>(() =>
      this.#rest.post(Routes.userChannels(), { body: { recipient_id: userId } }),
    );
    return channel.id;
  }

  get #all(): readonly REST[] {
    return [this.#rest, this.#tokenRest, this.#onceRest];
  }

  /** Asks something of a channel, unless Discord has said that there is none. */
  #askIn<T>(channelId: string, work: () => Promise<unknown>): Promise<T> {
    return this.#gone.ask(channelId, () => this.#ask<T>(work));
  }

  /**
   * Sends what may be sent again: where the connection closed before the answer, which the library takes for
   * final; and once after a 401, for which the library forgets its token for good. Not after the signal is aborted,
   * which the library tells of in words of its own.
   */
  async #ask<T>(work: () => Promise<unknown>, signal?: AbortSignal): Promise<T> {
    let unauthorized = false;
    for (let tries = 1; ; tries++) {
      this.#forgetLimits();
      try {
        return (await work()) as T;
      } catch (error) {
        this.#rest.setToken(this.#token);
        if (signal?.aborted && !(error instanceof DiscordAPIError))
          throw new PlatformError('unreachable', undefined, { cause: error });
        if (isNetworkError(error) && tries < lostAnswerTries) continue;
        if (isTokenRefused(error) && !unauthorized) {
          unauthorized = true;
          continue;
        }
        throw platformErrorOf(error);
      }
    }
  }

  /**
   * The library notes by the machine's clock when its rate limits end. Where that is set back, they would hold every
   * request up for as long as it was ahead: they are learnt anew from the next answers.
   */
  #forgetLimits(): void {
    if (!this.#clockSteps.happened()) return;
    for (const rest of [this.#rest, this.#onceRest]) {
      rest.handlers.clear();
      rest.globalReset = -1;
    }
  }
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
  }
}

function isTokenRefused(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 401 && error.code === 0;
}

function commandsRoute(applicationId: string, guildId: string | undefined) {
  return guildId === undefined
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}
