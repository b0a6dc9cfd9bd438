import type { Log } from '../api/log.ts';
import type { Answer } from '../api/slack-api.ts';
import type { Installation } from './installations.ts';
import { installAgain, installThereAgain, missingScopes, pasteManifest } from './manifest.ts';

/** How many workspaces are named. */
export const named = 5;

/** Warns where the bot’s token has fewer scopes than the manifest asks for, by the response of `auth.test`. */
export function warnOfMissingScopes(me: Answer, log: Log): void {
  const granted = scopesIn(me);
  // Slack names the scopes in a header; without it nothing is known to be missing.
  const missing = granted === undefined ? [] : missingScopes(granted);
  if (missing.length > 0)
    log.warn({ missing }, `SLACK_BOT_TOKEN lacks scopes: ${pasteManifest}, and ${installAgain}`);
}

/** The same for workspaces and organizations that installed the app before it asked for all of them. */
export function warnOfOldInstallations(installations: readonly Installation[], log: Log): void {
  const old = installations
    .map(({ team, enterprise, scopes }) => ({
      workspace: team?.id ?? enterprise?.id,
      missing: missingScopes(scopes),
    }))
    .filter(({ missing }) => missing.length > 0);
  if (old.length === 0) return;
  log.warn(
    { installations: old.length, where: old.slice(0, named) },
    `installations lack scopes: ${pasteManifest}, and ${installThereAgain}`,
  );
}

/** A token’s scopes, from a response’s header; undefined where it has none. */
export function scopesIn({ response_metadata: about }: Answer): readonly string[] | undefined {
  if (typeof about !== 'object' || about === null || !('scopes' in about)) return undefined;
  return Array.isArray(about.scopes) ? about.scopes.map(String) : undefined;
}
