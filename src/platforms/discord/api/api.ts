import type { REST } from '@discordjs/rest';
import {
  type APIApplication,
  type APIApplicationCommand,
  type APIChannel,
  type APIGatewayBotInfo,
  type APIGuild,
  type APIGuildChannel,
  type APIGuildMember,
  type APIInteractionResponse,
  type APIMessage,
  type APIOverwrite,
  type APIThreadMember,
  type APIUser,
  InteractionResponseType,
  MessageFlags,
  MessageType,
  type RESTGetAPIGuildApplicationCommandsPermissionsResult,
  type RESTGetAPIGuildThreadsResult,
  RESTJSONErrorCodes,
  type RESTPostAPIInteractionCallbackWithResponseResult,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord-api-types/v10';
import { SharedRuns } from '../../../lib/clock.ts';
import { PlatformError, undefinedIfRefused } from '../../../port/index.ts';
import { ChannelRefusals, errorCode, isOutside, throwDeletedIf } from './errors.ts';
import { type MessageContent, nonceLifetime, nonceOf, withLists } from './messages.ts';
import { channelBucket, type Pace, type RateLimits, tokenBucket, type Turn } from './rate-limits.ts';
import { NewTokens, RestClient, type RestOptions } from './rest.ts';

/** The types of what people and bots write; others are Discord's own notices. */
export const writtenTypes: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** The log-ins of a day (events/gateway, sharding), where others' servers in Discord's place don't tell how many are left. */
const usualLogIns = { total: 1_000, remaining: 1_000, reset_after: 86_400_000, max_concurrency: 1 };

type ToldOfGateway = Pick<APIGatewayBotInfo, 'url'> & Partial<APIGatewayBotInfo>;

/** Discord's REST API as far as the bot uses it. */
export class DiscordApi {
  readonly #rest: RestClient;
  readonly #channelRefusals: ChannelRefusals;
  readonly #newTokens: NewTokens;
  readonly #members = new SharedRuns<APIGuildMember>();

  constructor(options: RestOptions) {
    this.#rest = new RestClient(options);
    this.#channelRefusals = new ChannelRefusals(this.#rest.clock);
    this.#newTokens = new NewTokens(this.#rest.clock);
  }

  /** Discord's rate limits, by which everything is sent that the bot writes. */
  get limits(): RateLimits {
    return this.#rest.limits;
  }

  /** Stops the timers that would keep the process alive. */
  close(): void {
    this.#rest.close();
  }

  /** With its bot's user, which has an id of its own (of bots before 2017): Discord may leave it out (resources/application). */
  async application(): Promise<APIApplication> {
    const application = await this.#rest.asBot<APIApplication>((rest) =>
      rest.get(Routes.currentApplication()),
    );
    const me = () => undefinedIfRefused(this.#rest.asBot<APIUser>((rest) => rest.get(Routes.user())));
    const bot = application.bot ?? (await me());
    return bot ? { ...application, bot } : application;
  }

  /** The gateway's address, the number of shards that Discord recommends, and how many may identify. */
  async gateway(): Promise<APIGatewayBotInfo> {
    const told = await this.#rest.asBot<ToldOfGateway>((rest) => rest.get(Routes.gatewayBot()));
    return { shards: 1, ...told, session_start_limit: { ...usualLogIns, ...told.session_start_limit } };
  }

  /** The registered commands with all their languages, of one server if `guildId` is given. */
  commands(applicationId: string, guildId?: string): Promise<APIApplicationCommand[]> {
    const query = new URLSearchParams({ with_localizations: 'true' });
    return this.#rest.asBot((rest) => rest.get(commandsRoute(applicationId, guildId), { query }));
  }

  /** Who may use the commands in a server, as its administrators set it; the app's own id stands for all commands. */
  commandPermissions(
    applicationId: string,
    guildId: string,
  ): Promise<RESTGetAPIGuildApplicationCommandsPermissionsResult> {
    return this.#rest.asBot((rest) =>
      rest.get(Routes.guildApplicationCommandsPermissions(applicationId, guildId)),
    );
  }

  putCommands(
    applicationId: string,
    guildId: string | undefined,
    body: RESTPutAPIApplicationCommandsJSONBody,
  ): Promise<APIApplicationCommand[]> {
    return this.#rest.asBot((rest) => rest.put(commandsRoute(applicationId, guildId), { body }));
  }

  /**
   * Sends an interaction's first response. "Already acknowledged" counts as done: that's the response to a repeated
   * request whose first response was lost, and where the interaction came twice.
   * @returns the id of the loading message that everybody sees, if it shows one and Discord tells that.
   */
  async acknowledge(id: string, token: string, body: APIInteractionResponse): Promise<string | undefined> {
    const query = showsLoading(body) ? new URLSearchParams({ with_response: 'true' }) : undefined;
    const request = { body, auth: false, ...(query && { query }) };
    const response = await unlessCode(
      this.#rest.byToken<RESTPostAPIInteractionCallbackWithResponseResult | undefined>((rest) =>
        rest.post(Routes.interactionCallback(id, token), request),
      ),
      RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    );
    return query && response?.interaction?.response_message_id;
  }

  /** An interaction was acknowledged in the response to the request that brought it. */
  acknowledgedInResponse(token: string): void {
    this.#newTokens.add(token);
  }

  /**
   * Posts as the bot; the same nonce within some minutes returns the first message again. All tries end within `life`
   * milliseconds, for which Discord certainly knows the nonce: a message that may be there has to be searched for after
   * that. If somebody deleted the message meanwhile, Discord may know its nonce and have no message to return (10008,
   * discord.py#10116): then it's posted again.
   * @throws {PlatformError} `deleted` if somebody deleted the channel or thread.
   */
  async createMessage(
    channelId: string,
    { body, files = [], pace }: MessageContent,
    nonce: string,
    life = nonceLifetime,
  ): Promise<APIMessage> {
    const post = (once: object, signal: AbortSignal) => {
      const request = { body: { ...body, ...once }, files: [...files], signal };
      return this.#inChannel<APIMessage>(
        channelId,
        (rest) => rest.post(Routes.channelMessages(channelId), request),
        { ...pace, bucket: channelBucket('post', channelId), signal },
      );
    };
    try {
      return await this.#withNonce(nonce, life, post);
    } catch (error) {
      // The channel exists all the same.
      if (errorCode(error) === RESTJSONErrorCodes.UnknownMessage)
        throw new PlatformError('refused', undefined, { cause: error });
      return throwDeletedIf(error, [RESTJSONErrorCodes.UnknownChannel]);
    }
  }

  /** @throws {PlatformError} `deleted` if somebody deleted the message, or its channel or thread. */
  editMessage(
    channelId: string,
    id: string,
    { body, files = [], pace }: MessageContent,
  ): Promise<APIMessage> {
    const request = { body, files: [...files] };
    const edited = this.#inChannel<APIMessage>(
      channelId,
      (rest) => rest.patch(Routes.channelMessage(channelId, id), request),
      { ...pace, bucket: channelBucket('edit', channelId) },
    );
    return edited.catch(throwDeletedIfUnknown);
  }

  async message(channelId: string, id: string): Promise<APIMessage> {
    const get = (rest: REST) => rest.get(Routes.channelMessage(channelId, id));
    return withLists(await this.#inChannel<APIMessage>(channelId, get));
  }

  /**
   * Whether a message that was there is deleted.
   * @throws {PlatformError} `deleted` if somebody deleted its channel or thread.
   */
  async isDeleted(channelId: string, id: string): Promise<boolean> {
    const found = unlessCode(this.message(channelId, id), RESTJSONErrorCodes.UnknownMessage);
    return (
      (await found.catch((error) => throwDeletedIf(error, [RESTJSONErrorCodes.UnknownChannel]))) === undefined
    );
  }

  /** The first `limit` messages (at most 100) after the one of this id, newest first. */
  messagesAfter(channelId: string, id: string, limit: number): Promise<APIMessage[]> {
    const query = new URLSearchParams({ after: id, limit: String(limit) });
    return this.#inChannel(channelId, (rest) => rest.get(Routes.channelMessages(channelId), { query }));
  }

  /** Deletes a message; one that is gone already counts as deleted. */
  async deleteMessage(channelId: string, id: string): Promise<void> {
    const deleted = this.#inChannel(channelId, (rest) => rest.delete(Routes.channelMessage(channelId, id)));
    await unlessCode(deleted, RESTJSONErrorCodes.UnknownMessage);
  }

  /**
   * Posts a further message by an interaction's token: with a nonce it's repeated until it's there, as in
   * {@link createMessage}; without one it's sent at most once, because Discord wouldn't recognise it.
   * @throws {UnconfirmedError} without a nonce, if nobody knows whether it's there.
   */
  async followUp(
    applicationId: string,
    token: string,
    { body, files = [], pace }: MessageContent,
    recognised?: { readonly nonce: string; readonly life: number },
  ): Promise<APIMessage> {
    const route = Routes.webhook(applicationId, token);
    const options = { files: [...files], auth: false };
    const turn = { ...pace, bucket: tokenBucket(token) };
    return this.#newTokens.send(token, () => {
      if (!recognised)
        return this.#rest.byTokenOnce<APIMessage>((rest) => rest.post(route, { body, ...options }), turn);
      return this.#withNonce(recognised.nonce, recognised.life, (once, signal) =>
        this.#rest.byToken((rest) => rest.post(route, { body: { ...body, ...once }, ...options, signal }), {
          ...turn,
          signal,
        }),
      );
    });
  }

  /**
   * Edits a message of an interaction by its token; `@original` is the first response.
   * @throws {PlatformError} `deleted` if somebody deleted the message.
   */
  editByToken(
    applicationId: string,
    token: string,
    id: string,
    { body, files = [], pace }: MessageContent,
  ): Promise<APIMessage> {
    const route = Routes.webhookMessage(applicationId, token, id);
    const request = { body, files: [...files], auth: false };
    return this.#byToken<APIMessage>(token, (rest) => rest.patch(route, request), pace).catch(
      throwDeletedIfUnknown,
    );
  }

  messageByToken(applicationId: string, token: string, id: string): Promise<APIMessage> {
    const route = Routes.webhookMessage(applicationId, token, id);
    return this.#byToken(token, (rest) => rest.get(route, { auth: false }));
  }

  /** Deletes a message of an interaction; one that is gone already counts as deleted. */
  async deleteByToken(applicationId: string, token: string, id: string): Promise<void> {
    const route = Routes.webhookMessage(applicationId, token, id);
    const deleted = this.#byToken(token, (rest) => rest.delete(route, { auth: false }));
    await unlessCode(deleted, RESTJSONErrorCodes.UnknownMessage);
  }

  /** Opens the thread of a message, unless it has one: a thread has its message's id. */
  async openThread(channelId: string, messageId: string, name: string): Promise<void> {
    const opened = this.#inChannel(channelId, (rest) =>
      rest.post(Routes.threads(channelId, messageId), { body: { name } }),
    );
    await unlessCode(opened, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage);
  }

  /** Renames, archives or unarchives a thread. */
  async editThread(threadId: string, body: { name?: string; archived: boolean }): Promise<void> {
    await this.#inChannel(threadId, (rest) => rest.patch(Routes.channel(threadId), { body }));
  }

  /** Shows the typing indicator for ten seconds. */
  async typing(channelId: string, pace: Pace = {}): Promise<void> {
    const turn = { ...pace, bucket: channelBucket('typing', channelId) };
    await this.#inChannel(channelId, (rest) => rest.post(Routes.channelTyping(channelId)), turn);
  }

  async leaveGuild(id: string): Promise<void> {
    await this.#rest.asBot((rest) => rest.delete(Routes.userGuild(id)));
  }

  /**
   * A server as the gateway tells of it when the bot logs in: with its channels and active threads, and the bot's own
   * membership.
   * @throws {PlatformError} `not-a-member` or `gone` if the bot isn't in it.
   */
  async server(id: string, botId: string): Promise<ServerData> {
    const get = <T>(route: `/${string}`) => this.#rest.asBot<T>((rest) => rest.get(route));
    // First alone: each refusal counts towards a ban.
    const guild = await get<APIGuild>(Routes.guild(id));
    const [channels, { threads, members }, me] = await Promise.all([
      get<APIGuildChannel[]>(Routes.guildChannels(id)),
      get<RESTGetAPIGuildThreadsResult>(Routes.guildActiveThreads(id)),
      get<APIGuildMember>(Routes.guildMember(id, botId)),
    ]);
    const joined = new Map(members.map((member) => [member.id, member]));
    return {
      ...guild,
      channels,
      threads: threads.map((thread) => ({ ...thread, member: joined.get(thread.id) })),
      members: [me],
      joined_at: me.joined_at ?? '',
    };
  }

  /** Whether the bot is in a server now. */
  async isIn(server: string): Promise<boolean> {
    try {
      await this.#rest.asBot((rest) => rest.get(Routes.guild(server)));
      return true;
    } catch (error) {
      if (isOutside(error)) return false;
      throw error;
    }
  }

  /** A channel or thread, as it is now. */
  channel(id: string): Promise<ChannelData> {
    return this.#rest.asBot((rest) => rest.get(Routes.channel(id)));
  }

  /** A server's member, as they are now. Refused with 10007 if they aren't one. */
  member(guildId: string, userId: string): Promise<APIGuildMember> {
    // A list may ask about one person for each of its lines.
    return this.#members.run(`${guildId} ${userId}`, () =>
      this.#rest.asBot((rest) => rest.get(Routes.guildMember(guildId, userId))),
    );
  }

  /** A thread's member. Refused with 10007 if they aren't one. */
  threadMember(threadId: string, userId: string): Promise<APIThreadMember> {
    return this.#inChannel(threadId, (rest) => rest.get(Routes.threadMembers(threadId, userId)));
  }

  /**
   * The id of the channel of direct messages with a user.
   * @throws {PlatformError} `no-permission` if Discord refuses it: for a while it may take the bot for a spammer (20026,
   *   discord-api-docs#2669).
   */
  async directChannel(userId: string): Promise<string> {
    const opened = this.#rest.asBot<APIChannel>((rest) =>
      rest.post(Routes.userChannels(), { body: { recipient_id: userId } }),
    );
    const { id } = await opened.catch((error: unknown) => {
      if (!(error instanceof PlatformError) || error.kind !== 'refused') throw error;
      throw new PlatformError('no-permission', undefined, { cause: error.cause });
    });
    return id;
  }

  #byToken<T>(token: string, send: (rest: REST) => Promise<unknown>, pace: Pace = {}): Promise<T> {
    const turn = { ...pace, bucket: tokenBucket(token) };
    return this.#newTokens.send(token, () => this.#rest.byToken<T>(send, turn));
  }

  /** A request about a channel, unless Discord has refused such ones there. */
  #inChannel<T>(channelId: string, send: (rest: REST) => Promise<unknown>, turn?: Turn): Promise<T> {
    const isOptional = turn?.urgency === 'optional';
    return this.#channelRefusals.unlessRefused(channelId, isOptional, () => this.#rest.asBot<T>(send, turn));
  }

  /** Posts with a nonce for as long as that is valid; with another one if Discord has no message to return for it. */
  async #withNonce(
    nonce: string,
    life: number,
    post: (once: object, signal: AbortSignal) => Promise<APIMessage>,
  ): Promise<APIMessage> {
    const ended = new AbortController();
    const cancel = this.#rest.clock.after(life, () => ended.abort());
    const postWith = (each: string) => post({ nonce: each, enforce_nonce: true }, ended.signal);
    try {
      return await postWith(nonce).catch((error: unknown) => {
        if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
        return postWith(nonceOf(nonce, 'deleted'));
      });
    } finally {
      cancel();
    }
  }
}

/** Undefined if Discord refuses the work with this code. */
export async function unlessCode<T>(work: Promise<T>, code: RESTJSONErrorCodes): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) !== code) throw error;
    return undefined;
  }
}

/** Whether a response shows everybody that the bot is thinking. */
function showsLoading(response: APIInteractionResponse): boolean {
  if (response.type !== InteractionResponseType.DeferredChannelMessageWithSource) return false;
  return ((response.data?.flags ?? 0) & MessageFlags.Ephemeral) === 0;
}

/** A message whose id is known was there, and so was its channel. */
function throwDeletedIfUnknown(error: unknown): never {
  return throwDeletedIf(error, [RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.UnknownChannel]);
}

function commandsRoute(applicationId: string, guildId: string | undefined) {
  return guildId === undefined
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}

/** A channel or thread as Discord sends it, over the gateway and over HTTP. */
export interface ChannelData {
  readonly id: string;
  readonly type: number;
  readonly flags?: number | undefined;
  readonly name?: string | null;
  readonly parent_id?: string | null | undefined;
  /** Who opened a thread. */
  readonly owner_id?: string | undefined;
  readonly position?: number;
  readonly permission_overwrites?: readonly APIOverwrite[] | undefined;
  readonly thread_metadata?: { readonly archived?: boolean; readonly locked?: boolean } | undefined;
  /** The bot's own membership of a thread. */
  readonly member?: unknown;
}

/** A member as Discord sends it. */
export type MemberData = Pick<APIGuildMember, 'roles' | 'nick' | 'communication_disabled_until'>;

/** A server as Discord sends it when the bot logs in; over HTTP it comes in parts. */
export interface ServerData extends Pick<
  APIGuild,
  'id' | 'owner_id' | 'system_channel_id' | 'rules_channel_id' | 'preferred_locale' | 'premium_tier' | 'roles'
> {
  readonly name?: string;
  readonly member_count?: number;
  readonly joined_at: string;
  readonly channels?: readonly ChannelData[];
  readonly threads?: readonly ChannelData[];
  readonly members?: readonly (MemberData & Pick<APIGuildMember, 'user'>)[];
}
