import { type Locale, localeOf, PlatformError } from '../../../port/index.ts';
import type { FirstTime } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { messageBody, nonceOf } from '../api/messages.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import type { Server } from '../servers/server.ts';
import { discordWords } from '../words.ts';
import type { Log } from './own-application.ts';

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
    const text = discordWords(localeOf(preferredLocale)).leaving;
    try {
      const isOpen = systemChannelId !== null && gateway.missingToPost(systemChannelId).length === 0;
      const channel = isOpen ? systemChannelId : await api.directChannel(ownerId);
      await api.createMessage(channel, { body: messageBody(text) }, nonceOf(channel, 'not allowed', id));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
}
