import { type Locale, localeOf, PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { messageBody } from '../api/message-body.ts';
import { nonceOf } from '../api/nonce.ts';
import { discordWords } from '../words.ts';

/** The same server or person is told again after so long, in milliseconds. */
const silence = 86_400_000;

export interface AllowedServersDependencies {
  /** `ALLOWED_GUILDS`; undefined: everywhere. */
  readonly guilds: readonly string[] | undefined;
  readonly isOperator: (person: string) => Promise<boolean>;
  readonly api: Pick<DiscordApi, 'createMessage' | 'directChannel' | 'leaveGuild'>;
  /** Whether the bot may write in a channel. */
  readonly mayWrite: (channelId: string) => boolean;
  readonly firstTime: (key: string, silence: number) => Promise<boolean>;
  readonly log: { info(data: object, message: string): void; warn(data: object, message: string): void };
}

/** What is needed of a server to leave it with a word. */
interface Server {
  readonly id: string;
  readonly ownerId?: string;
  readonly systemChannelId?: string | null;
  readonly preferredLocale?: string;
}

/**
 * Where the bot runs. Whether somebody in a direct message, or with the bot in their own account, belongs to one of
 * the servers Discord tells only with a privileged intent: such uses are for operators alone where servers are named.
 */
export class AllowedServers {
  readonly #dependencies: AllowedServersDependencies;
  /** Servers that are being left: more than one event tells of each. */
  readonly #leaving = new Set<string>();

  constructor(dependencies: AllowedServersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why somebody cannot use the bot there; undefined where they can. */
  async refusal(guildId: string | null, person: string, locale: Locale): Promise<string | undefined> {
    const why = await this.#why(guildId, person);
    return why && discordWords(locale)[why];
  }

  /** The same for a message, which is owed no answer: an empty text where the same was said a while ago. */
  async messageRefusal(guildId: string | null, person: string, locale: Locale): Promise<string | undefined> {
    const why = await this.#why(guildId, person);
    if (why === undefined) return undefined;
    if (guildId !== null) return '';
    // Who is asked to try again is answered when they do.
    const isNew =
      why === 'notKnown' || (await this.#dependencies.firstTime(`not allowed ${person}`, silence));
    return isNew ? discordWords(locale)[why] : '';
  }

  /** Nobody gets in while it isn't known whether they run the bot. */
  async #why(guildId: string | null, person: string): Promise<'notAllowed' | 'notKnown' | undefined> {
    const { guilds, isOperator, log } = this.#dependencies;
    if (guilds === undefined || (guildId !== null && guilds.includes(guildId))) return undefined;
    try {
      return (await isOperator(person)) ? undefined : 'notAllowed';
    } catch (error) {
      log.warn({ error }, 'Discord could not say who runs this bot');
      return 'notKnown';
    }
  }

  /** Leaves a server where the bot does not run; says so once, where it can. */
  async visit(server: Server): Promise<void> {
    const { guilds, api, firstTime, log } = this.#dependencies;
    if (guilds === undefined || guilds.includes(server.id) || this.#leaving.has(server.id)) return;
    this.#leaving.add(server.id);
    try {
      if (await firstTime(`not allowed ${server.id}`, silence)) await this.#say(server);
      await api.leaveGuild(server.id);
      log.info({ guild: server.id }, 'left a server that ALLOWED_GUILDS does not name');
    } catch (error) {
      log.warn({ error, guild: server.id }, 'a server that ALLOWED_GUILDS does not name could not be left');
    } finally {
      this.#leaving.delete(server.id);
    }
  }

  /** In the channel for such news, else to the owner. */
  async #say({ id, ownerId, systemChannelId, preferredLocale }: Server): Promise<void> {
    const { api, mayWrite } = this.#dependencies;
    const text = discordWords(localeOf(preferredLocale)).leaving;
    try {
      const isOpen = systemChannelId != null && mayWrite(systemChannelId);
      const channel = isOpen ? systemChannelId : ownerId && (await api.directChannel(ownerId));
      if (channel)
        await api.createMessage(channel, messageBody(text), [], nonceOf(channel, 'not allowed', id));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
}
