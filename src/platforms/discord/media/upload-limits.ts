import { type Address, type Capabilities, PlatformError } from '../../../port/index.ts';
import { discordFeatures } from '../api/features.ts';
import { defaultUploadLimit } from './uploads.ts';

/** A file by the documentation since September 2026; the API still refused it then (discord-api-docs#8572). */
const documentedUploadLimit = 20 * 1024 ** 2;
/**
 * A file as large as a server's boosts are said to give, by the name under which `Capabilities` keeps it: boosts may have
 * ended. The live check can't give a server boosts.
 */
const uploadAsBoosted = 'upload-as-boosted';
/** Direct messages all take the same: what one refused is remembered for all of them. */
const directMessages = 'direct messages';

/** A server, or the direct messages with somebody; those are their own channel. */
type Place = Pick<Address, 'workspace' | 'channel'>;

/** The direct messages with anybody. */
export const anyDirectMessages: Place = { workspace: directMessages, channel: directMessages };

interface Limit {
  readonly bytes: number;
  /** What is remembered as refused where Discord doesn't take that much; absent for what it takes everywhere. */
  readonly feature?: string;
}

/**
 * How large files may be where no interaction states a limit: as a server's boosts give, else as documented. Where
 * Discord does not take that (40005; nothing was posted), it is remembered, and the next lower limit is tried.
 */
export class UploadLimits {
  readonly #byBoosts: (guildId: string) => number;
  readonly #capabilities: Capabilities;

  /** `byBoosts` is in bytes, of a direct message where there is no such server. */
  constructor(byBoosts: (guildId: string) => number, capabilities: Capabilities) {
    this.#byBoosts = byBoosts;
    this.#capabilities = capabilities;
  }

  /** Bytes that one file may have in a place. */
  async limitAt(place: Place): Promise<number> {
    return (await this.#limitIn(place)).bytes;
  }

  /** Does work that posts files in a place; where they are too large for Discord, again with the next lower limit. */
  async retryWithLowerLimits<T>(place: Place, work: () => Promise<T>): Promise<T> {
    // Asked before: while one upload is under way, another may learn of the refusal.
    const { feature } = await this.#limitIn(place);
    try {
      return await work();
    } catch (error) {
      if (!isTooLargeForDiscord(error) || feature === undefined) throw error;
      await this.#capabilities.note(scopeOf(place), feature, 'refused');
      return this.retryWithLowerLimits(place, work);
    }
  }

  async #limitIn(place: Place): Promise<Limit> {
    const byBoosts = this.#byBoosts(place.workspace);
    if (byBoosts > defaultUploadLimit && !(await this.#isRefused(place, uploadAsBoosted)))
      return { bytes: byBoosts, feature: uploadAsBoosted };
    if (!(await this.#isRefused(place, discordFeatures.uploadOver10MiB)))
      return { bytes: documentedUploadLimit, feature: discordFeatures.uploadOver10MiB };
    return { bytes: defaultUploadLimit };
  }

  async #isRefused(place: Place, feature: string): Promise<boolean> {
    return (await this.#capabilities.find(scopeOf(place), feature)) === 'refused';
  }
}

/**
 * Does work that posts files where an interaction states a limit; where Discord doesn't take that much (413, 40005;
 * nothing was posted), again with the next lower one that is documented. That is of this place and moment, and so is
 * not remembered.
 */
export async function retryWithLowerLimits<T>(
  stated: number,
  work: (limit: number) => Promise<T>,
): Promise<T> {
  try {
    return await work(stated);
  } catch (error) {
    const lower = [documentedUploadLimit, defaultUploadLimit].find((limit) => limit < stated);
    if (!isTooLargeForDiscord(error) || lower === undefined) throw error;
    return retryWithLowerLimits(lower, work);
  }
}

function scopeOf({ workspace, channel }: Place): string {
  return workspace === channel ? directMessages : workspace;
}

/** What the bot itself finds too large has no refusal of Discord's behind it. */
function isTooLargeForDiscord(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'too-large' && error.cause !== undefined;
}
