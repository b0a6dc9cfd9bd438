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
 * Posts files as large as documented where no interaction states a limit and no boosts give one. Where Discord does
 * not take them (40005; nothing was posted), that is remembered for the server, and it is tried again at 10 MiB.
 */
export class LargeFilesOutlet extends DiscordOutlet {
  readonly #capabilities: Capabilities;

  /** `uploadLimit` of the parts is the one by a server's boosts. */
  constructor(parts: OutletParts, capabilities: Capabilities) {
    super({
      ...parts,
      uploadLimit: async (guildId) => this.#limitIn(guildId, await parts.uploadLimit(guildId)),
    });
    this.#capabilities = capabilities;
  }

  override post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    return this.#trying(address, () => super.post(address, message, key));
  }

  override complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    return this.#trying(message, () => super.complete(message, content, key));
  }

  async #limitIn(guildId: string, byBoosts: number): Promise<number> {
    if (byBoosts > defaultUploadLimit || (await this.#isRefused(guildId))) return byBoosts;
    return documentedUploadLimit;
  }

  async #trying<T>(address: Address, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { workspace } = address;
      if (ticketOf(address) || !isTooLargeForDiscord(error) || (await this.#isRefused(workspace)))
        throw error;
      await this.#capabilities.note(workspace, discordFeatures.uploadOver10MiB, 'refused');
      return work();
    }
  }

  async #isRefused(guildId: string): Promise<boolean> {
    return (await this.#capabilities.find(guildId, discordFeatures.uploadOver10MiB)) === 'refused';
  }
}

/** What the bot itself finds too large has no refusal of Discord's behind it. */
function isTooLargeForDiscord(error: unknown): boolean {
  return error instanceof OutletError && error.kind === 'too-large' && error.cause !== undefined;
}
