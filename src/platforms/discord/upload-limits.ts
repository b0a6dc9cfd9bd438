import {
  type Address,
  type Capabilities,
  type Message,
  type MessageAddress,
  OutletError,
} from '../../port/index.ts';
import { discordFeatures } from './capabilities.ts';
import { DiscordOutlet, type OutletParts } from './outlet.ts';
import { ticketOf } from './ticket.ts';
import { defaultUploadLimit } from './uploads.ts';

/** A file by the documentation since September 2026; the API still refused it then (discord-api-docs#8572). */
const documentedUploadLimit = 20 * 1024 ** 2;

/**
 * How large files may be where no interaction states a limit: as documented, or as a server's boosts give. Where
 * Discord does not take that (40005; nothing was posted), it is remembered for the server, and 10 MiB are tried.
 */
export class UploadLimits {
  readonly #byBoosts: (guildId: string) => number;
  readonly #capabilities: Capabilities;

  /** `byBoosts` is in bytes, of a direct message where there is no such server. */
  constructor(byBoosts: (guildId: string) => number, capabilities: Capabilities) {
    this.#byBoosts = byBoosts;
    this.#capabilities = capabilities;
  }

  /** Bytes that one file may have in a server. */
  async in(guildId: string): Promise<number> {
    const byBoosts = this.#byBoosts(guildId);
    if (byBoosts > defaultUploadLimit || (await this.#isRefused(guildId))) return byBoosts;
    return documentedUploadLimit;
  }

  /** Does work that posts files; where they are too large for Discord, once more with the lower limit. */
  async trying<T>(guildId: string, work: () => Promise<T>): Promise<T> {
    // Asked before: while one upload is under way, another may learn of the refusal.
    const keptToLower = await this.#isRefused(guildId);
    try {
      return await work();
    } catch (error) {
      if (!isTooLargeForDiscord(error) || keptToLower) throw error;
      await this.#capabilities.note(guildId, discordFeatures.uploadOver10MiB, 'refused');
      return work();
    }
  }

  async #isRefused(guildId: string): Promise<boolean> {
    return (await this.#capabilities.find(guildId, discordFeatures.uploadOver10MiB)) === 'refused';
  }
}

/** Posts files as large as a place takes. */
export class LargeFilesOutlet extends DiscordOutlet {
  readonly #limits: UploadLimits;

  constructor(parts: Omit<OutletParts, 'uploadLimit'>, limits: UploadLimits) {
    super({ ...parts, uploadLimit: (guildId) => limits.in(guildId) });
    this.#limits = limits;
  }

  override post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    return this.#trying(address, () => super.post(address, message, key));
  }

  override complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    return this.#trying(message, () => super.complete(message, content, key));
  }

  /** An interaction's own limit is the true one. */
  #trying<T>(address: Address, work: () => Promise<T>): Promise<T> {
    return ticketOf(address) ? work() : this.#limits.trying(address.workspace, work);
  }
}

/** What the bot itself finds too large has no refusal of Discord's behind it. */
function isTooLargeForDiscord(error: unknown): boolean {
  return error instanceof OutletError && error.kind === 'too-large' && error.cause !== undefined;
}
