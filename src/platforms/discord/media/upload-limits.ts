import { type Address, type Capabilities, PlatformError } from '../../../port/index.ts';
import { discordFeatures } from '../api/features.ts';
import { defaultUploadLimit } from './uploads.ts';

/** The documented limit since September 2026; the API still refused it then (discord-api-docs#8572). */
const documentedUploadLimit = 20 * 1024 ** 2;
/**
 * The name in `Capabilities` of files as large as a server's boosts allow: the boosts may have ended. The live check can't
 * try it.
 */
const uploadAsBoosted = 'upload-as-boosted';
/** Direct messages all have the same limit: a refusal in one is remembered for all. */
const directMessages = 'direct messages';

/** A server, or direct messages. */
type UploadPlace = Pick<Address, 'workspace' | 'channel'>;

/** Direct messages with any person. */
export const anyDirectMessages: UploadPlace = { workspace: directMessages, channel: directMessages };

interface Limit {
  readonly bytes: number;
  /** What is remembered as refused if Discord doesn't accept that much; absent for what it accepts everywhere. */
  readonly feature?: string;
}

/**
 * How large files may be where no interaction states a limit: as a server's boosts allow, else as documented. If Discord
 * refuses (40005; nothing was posted), that is remembered, and the next lower limit is tried.
 */
export class UploadLimits {
  readonly #byBoosts: (guildId: string) => number;
  readonly #capabilities: Capabilities;

  /** `byBoosts` is a server's limit in bytes; that of direct messages for any other id. */
  constructor(byBoosts: (guildId: string) => number, capabilities: Capabilities) {
    this.#byBoosts = byBoosts;
    this.#capabilities = capabilities;
  }

  /** Bytes that one file may have there. */
  async limitAt(place: UploadPlace): Promise<number> {
    return (await this.#limitIn(place)).bytes;
  }

  /** Does work that uploads files; if they are too large for Discord, again with the next lower limit. */
  async retryWithLowerLimits<T>(place: UploadPlace, work: () => Promise<T>): Promise<T> {
    // Read before the work: another upload may find out about the refusal meanwhile.
    const { feature } = await this.#limitIn(place);
    try {
      return await work();
    } catch (error) {
      if (!isTooLargeForDiscord(error) || feature === undefined) throw error;
      await this.#capabilities.note(scopeOf(place), feature, 'refused');
      return this.retryWithLowerLimits(place, work);
    }
  }

  async #limitIn(place: UploadPlace): Promise<Limit> {
    const byBoosts = this.#byBoosts(place.workspace);
    if (byBoosts > defaultUploadLimit && !(await this.#isRefused(place, uploadAsBoosted)))
      return { bytes: byBoosts, feature: uploadAsBoosted };
    if (!(await this.#isRefused(place, discordFeatures.uploadOver10MiB)))
      return { bytes: documentedUploadLimit, feature: discordFeatures.uploadOver10MiB };
    return { bytes: defaultUploadLimit };
  }

  async #isRefused(place: UploadPlace, feature: string): Promise<boolean> {
    return (await this.#capabilities.find(scopeOf(place), feature)) === 'refused';
  }
}

/**
 * Does work that uploads files where an interaction states a limit; if Discord doesn't accept that much (413, 40005;
 * nothing was posted), again with the next lower documented limit. That holds for this interaction only, so it isn't
 * remembered.
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

function scopeOf({ workspace, channel }: UploadPlace): string {
  return workspace === channel ? directMessages : workspace;
}

/** Whether Discord refused a file: an error of the bot's own check has no cause. */
function isTooLargeForDiscord(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'too-large' && error.cause !== undefined;
}
