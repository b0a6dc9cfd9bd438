import { type Locale, PlatformError } from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { discordWords } from '../words.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

type ObstacleDependencies = Pick<ReceiverDependencies, 'api' | 'gateway'>;

/** Why the bot can't write in a channel, as a sentence; checked before anything is paid for. */
export async function obstacleIn(
  channelId: string,
  locale: Locale,
  dependencies: ObstacleDependencies,
): Promise<string | undefined> {
  const { gateway } = dependencies;
  if (gateway.isTimedOut(channelId)) return discordWords(locale).timedOut;
  const missing = await missingPermissions(channelId, dependencies);
  if (missing.length > 0) return words(locale).errors.noPermission(missing.join(', '));
  return gateway.isLocked(channelId) ? discordWords(locale).threadLocked : undefined;
}

/**
 * The permissions the bot lacks to write. Whether the chat of a voice channel needs Connect is uncertain; if only that is
 * missing, the typing indicator, which needs the same permissions, decides.
 */
async function missingPermissions(
  channelId: string,
  { api, gateway }: ObstacleDependencies,
): Promise<readonly string[]> {
  const missing = gateway.missingToPost(channelId);
  if (missing.length !== 1 || missing[0] !== 'Connect') return missing;
  try {
    await api.typing(channelId);
    return [];
  } catch (error) {
    if (error instanceof PlatformError) return missing;
    throw error;
  }
}
