import { type APIMessage, ChannelType, MessageType, PermissionFlagsBits } from 'discord-api-types/v10';
import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import {
  type Locale,
  localeOf,
  paidCommandNames,
  refusalOf,
  undefinedIfFailed,
} from '../../../port/index.ts';
import type { FirstTime } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { messageBody, nonceOf, snowflakeAt, splitText } from '../api/messages.ts';
import type { Log } from '../connection/own-application.ts';
import { findMessageAfter } from '../post/posted-messages.ts';
import type { DiscordServices } from '../post/services.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import {
  type Channel,
  missingPermissions,
  permissionsFor,
  permissionsInChannel,
  permissionsInServer,
  type Server,
} from '../servers/server.ts';
import { discordWords } from '../words.ts';

const day = 86_400_000;
/** Milliseconds after joining a server for which the bot still introduces itself: it may have been off just then. */
const newFor = day;
/** Milliseconds for which it's remembered where it did so. */
const rememberedFor = 30 * day;
/** Channels that are tried at most: a server's moderation may refuse a message anywhere. */
const maxTries = 3;
/** Pages that are read of what was written there since it joined. */
const maxPages = 5;

interface WelcomeDependencies extends Pick<
  DiscordServices,
  'api' | 'identity' | 'registered' | 'gateway' | 'postedMessages'
> {
  /** Where it was posted. */
  readonly records: Keyv;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Introduces the bot in servers that it was invited to, once per invitation: what it can do, which permissions it lacks
 * for that, and how to set it up. Discord's event about a server doesn't tell whether the bot is new there: it's also
 * sent at the start and after an outage. The time at which the bot joined does.
 */
export class Welcome {
  readonly #dependencies: WelcomeDependencies;
  /** Invitations that are being handled: several events may name a server at once. */
  readonly #underWay = new Set<string>();

  constructor(dependencies: WelcomeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Posts the introduction if the bot is new in a server; in no channel if it may not write in any. */
  async greetIfNew(guild: Server): Promise<void> {
    const { clock, log, records } = this.#dependencies;
    // On a machine whose clock is far behind, every server would be new.
    const isNew = Math.abs(clock.now() - guild.joinedAt) < newFor;
    if (!guild.available || !isNew) return;
    const invitation = `welcome ${guild.id} ${guild.joinedAt}`;
    if (this.#underWay.has(invitation)) return;
    this.#underWay.add(invitation);
    try {
      if ((await records.has(invitation)) || !(await this.#greet(guild, invitation))) return;
      await records.set(invitation, true, rememberedFor);
      log.info({ guild: guild.id }, 'introduced itself in a new server');
    } catch (error) {
      log.warn({ error, guild: guild.id }, 'could not introduce itself in a new server');
    } finally {
      this.#underWay.delete(invitation);
    }
  }

  /** False if no channel takes it. Where the bot has written since it joined, a restored database may have lost that. */
  async #greet(guild: Server, key: string): Promise<boolean> {
    const { gateway, postedMessages } = this.#dependencies;
    const open = channelsOf(guild).filter(({ id }) => gateway.missingToPost(id).length === 0);
    for (const channel of open.slice(0, maxTries)) {
      try {
        if (await this.#hasWritten(channel)) return true;
        await postedMessages.postOnce(channel.id, key, { body: messageBody(this.#text(guild, channel)) });
        return true;
      } catch (error) {
        if (!refusalOf(error)) throw error;
      }
    }
    return false;
  }

  async #hasWritten({ id, server: { joinedAt } }: Channel): Promise<boolean> {
    const { api, identity } = this.#dependencies;
    // Discord announces who joins in a message of their own, of another type.
    const isOwn = ({ author, type }: APIMessage) =>
      author.id === identity().id && type === MessageType.Default;
    return (await findMessageAfter(api, id, snowflakeAt(joinedAt), isOwn, maxPages)) !== undefined;
  }

  #text(guild: Server, channel: Channel): string {
    const { welcome } = discordWords(localeOf(guild.preferredLocale));
    const text = [
      welcome.hello(`<@${this.#dependencies.identity().id}>`),
      welcome.start,
      '',
      ...missingLines(guild, channel),
    ].join('\n');
    return splitText({ text: this.#dependencies.registered.linkedText(text, guild.id) })[0];
  }
}

/** What each command lacks in the whole server; a channel of the bot's own may be all it's meant to have. */
function missingLines(guild: Server, channel: Channel): readonly string[] {
  const { welcome } = discordWords(localeOf(guild.preferredLocale));
  const { me } = guild;
  if (me === undefined) return [];
  const granted = permissionsInServer(guild, me) | (permissionsInChannel(channel, me) ?? 0n);
  const lines = paidCommandNames.flatMap((command) => {
    const names = missingPermissions(granted, permissionsFor[command]);
    const listed = names.map((name) => welcome.permissions[name]).join(welcome.between);
    return names.length > 0 ? [welcome.line(command, listed)] : [];
  });
  return lines.length > 0 ? [welcome.missing, ...lines, '', welcome.grant] : [welcome.nothingMissing];
}

/**
 * The channels to introduce itself in, best first: the one for system messages, then from the top, without the rules and
 * those in which people can't write.
 */
function channelsOf(guild: Server): readonly Channel[] {
  const { channels, rulesChannelId, systemChannelId } = guild;
  const open = [...channels.values()].filter(
    (channel) =>
      channel.type === ChannelType.GuildText &&
      (channel.id === systemChannelId || (channel.id !== rulesChannelId && !isReadOnly(channel))),
  );
  return open.sort(
    comparing((channel) => [
      channel.id === systemChannelId ? 0 : 1,
      channels.get(channel.parentId ?? '')?.position ?? -1,
      channel.position,
    ]),
  );
}

/** Whether everybody sees less of a channel than of the server, or can't write there though they can elsewhere. */
function isReadOnly(channel: Channel): boolean {
  const everybody = { id: '', roles: [] };
  const usual = permissionsInServer(channel.server, everybody);
  const here = permissionsInChannel(channel, everybody) ?? usual;
  const needed = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
  return (usual & ~here & needed) !== 0n;
}

/** Sorts by lists of numbers, the first number that differs deciding. */
function comparing<T>(order: (item: T) => readonly number[]): (one: T, other: T) => number {
  return (one, other) => {
    const others = order(other);
    const differences = order(one).map((number, index) => number - (others[index] ?? 0));
    return differences.find((difference) => difference !== 0) ?? 0;
  };
}

/** Milliseconds before the same server or person is notified again. */
const repeatAfter = 86_400_000;

interface AllowedServersDependencies {
  /** `ALLOWED_GUILDS`. */
  readonly guilds: readonly string[];
  readonly isOperator: (person: string) => Promise<boolean>;
  readonly api: Pick<DiscordApi, 'createMessage' | 'directChannel' | 'leaveGuild'>;
  readonly gateway: Pick<GatewayCache, 'missingToPost'>;
  readonly firstTime: FirstTime;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * The servers where the bot works, if they are listed. Direct messages and uses of a bot that a person installed for
 * themselves are for operators only: whether a person belongs to one of them Discord tells only with a privileged
 * intent.
 */
export class AllowedServers {
  readonly #dependencies: AllowedServersDependencies;
  /** Servers that are being left: several events name each. */
  readonly #leaving = new Set<string>();

  constructor(dependencies: AllowedServersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether the bot works in a server. */
  allows(guildId: string): boolean {
    return this.#dependencies.guilds.includes(guildId);
  }

  /** Why a person can't use the bot in a server or direct message; undefined if they can. */
  async refusal(guildId: string | null, person: string, locale: Locale): Promise<string | undefined> {
    const reason = await this.#reason(guildId, person);
    return reason && discordWords(locale)[reason];
  }

  /** The same for a message, which needn't be answered: an empty text if that was said a while ago. */
  async messageRefusal(guildId: string | null, person: string, locale: Locale): Promise<string | undefined> {
    const reason = await this.#reason(guildId, person);
    if (reason === undefined) return undefined;
    if (guildId !== null) return '';
    // Asked to try again, a person gets an answer when they do.
    const isNew =
      reason === 'notKnown' || (await this.#dependencies.firstTime(`not allowed ${person}`, repeatAfter));
    return isNew ? discordWords(locale)[reason] : '';
  }

  /** A person isn't let in while it isn't known whether they are an operator. */
  async #reason(guildId: string | null, person: string): Promise<'notAllowed' | 'notKnown' | undefined> {
    const { isOperator, log } = this.#dependencies;
    if (guildId !== null && this.allows(guildId)) return undefined;
    try {
      return (await isOperator(person)) ? undefined : 'notAllowed';
    } catch (error) {
      log.warn({ error }, 'could not ask Discord who the operators of this bot are');
      return 'notKnown';
    }
  }

  /** Leaves a server where the bot doesn't work, after saying so once. */
  async leaveIfNotAllowed(server: Server): Promise<void> {
    const { api, firstTime, log } = this.#dependencies;
    if (this.allows(server.id) || this.#leaving.has(server.id)) return;
    this.#leaving.add(server.id);
    try {
      if (await firstTime(`not allowed ${server.id}`, repeatAfter)) await this.#announce(server);
      await api.leaveGuild(server.id);
      log.info({ guild: server.id }, 'left a server that is not in ALLOWED_GUILDS');
    } catch (error) {
      log.warn({ error, guild: server.id }, 'could not leave a server that is not in ALLOWED_GUILDS');
    } finally {
      this.#leaving.delete(server.id);
    }
  }

  /** In the system channel, else as a direct message to the owner. */
  async #announce({ id, ownerId, systemChannelId, preferredLocale }: Server): Promise<void> {
    const { api, gateway } = this.#dependencies;
    const body = messageBody(discordWords(localeOf(preferredLocale)).leaving);
    const isOpen = systemChannelId !== undefined && gateway.missingToPost(systemChannelId).length === 0;
    const channel = isOpen ? systemChannelId : await undefinedIfFailed(api.directChannel(ownerId));
    if (channel !== undefined)
      await undefinedIfFailed(api.createMessage(channel, { body }, nonceOf(channel, 'not allowed', id)));
  }
}
