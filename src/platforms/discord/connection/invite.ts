import { DiscordApi } from '../api/api.ts';
import { inviteLink } from '../api/permissions.ts';

/**
 * The invite link of the application that a bot token belongs to.
 * @throws {PlatformError} if Discord can't be reached or refuses the token.
 */
export async function inviteOf(token: string, apiUrl: string): Promise<string> {
  const api = new DiscordApi({ token, apiUrl });
  try {
    const { id } = await api.application();
    return inviteLink(id);
  } finally {
    api.close();
  }
}
