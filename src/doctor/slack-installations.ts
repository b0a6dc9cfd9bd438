import type { webApi } from '@slack/bolt';
import type { Config } from '../config/config.ts';
import { isAccessLost, slackCode } from '../platforms/slack/api/errors.ts';
import type { SlackSettings } from '../platforms/slack/index.ts';
import type { Installation } from '../platforms/slack/setup/installations.ts';
import { installThereAgain, missingScopes, pasteManifest } from '../platforms/slack/setup/manifest.ts';
import { named, scopesIn } from '../platforms/slack/setup/missing-scopes.ts';
import { Vault, VaultError, vaultOf } from '../secrets/vault.ts';
import type { StoredValue } from '../store/index.ts';
import { type Finding, fine, wrong } from './finding.ts';
import { storedInPeace } from './stored.ts';

/** Slack is asked about so many tokens, those of the newest installations; of the others it's known what was granted. */
const asked = 50;
const subject = 'Slack installations';

/** An installation, and what is wrong with it. */
interface State {
  readonly name: string;
  readonly missing: readonly string[];
  /** Slack's code where it refuses the token. */
  readonly refusal: string | undefined;
}

/** Looks at each workspace and organization that has installed the app: its token, and the scopes it granted. */
export async function checkInstallations(
  client: webApi.WebClient,
  settings: Pick<SlackSettings, 'ALLOWED_TEAMS'> & Pick<Config, 'DATABASE_URL' | 'ENCRYPTION_KEY'>,
): Promise<Finding[]> {
  const vault = vaultOf(settings.DATABASE_URL, settings.ENCRYPTION_KEY);
  const kept = await storedInPeace(settings.DATABASE_URL, 'slack', 'installation ');
  const installations = kept
    .flatMap((stored) => installationIn(stored, vault))
    .filter(({ team, enterprise }) => isAllowed(settings.ALLOWED_TEAMS, [team?.id, enterprise?.id]))
    .toSorted((one, other) => other.installedAt - one.installedAt);
  if (installations.length === 0) return [fine(subject, 'none so far')];
  const states = await Promise.all(
    installations.map((one, index) => (index < asked ? askedOf(client, one) : stateOf(one, one.scopes))),
  );
  const faulty = states.filter(({ refusal, missing }) => refusal !== undefined || missing.length > 0);
  const well = states.length - faulty.length;
  return [
    ...(well > 0 ? [fine(subject, `${well} of ${states.length} have all the scopes in the manifest`)] : []),
    ...faulty.slice(0, named).map(findingOf),
    ...(faulty.length > named
      ? [
          wrong(
            'Slack scopes elsewhere',
            `${faulty.length - named} more installations have the same problem`,
            mend,
          ),
        ]
      : []),
  ];
}

const mend = `${pasteManifest}, and ${installThereAgain}`;

function findingOf({ name, missing, refusal }: State): Finding {
  return refusal === undefined
    ? wrong(`Slack scopes in ${name}`, `missing: ${missing.join(', ')}`, mend)
    : wrong(`Slack token of ${name}`, `Slack refuses it (${refusal})`, installThereAgain);
}

/** What Slack says of a token counts; where it doesn't answer, what was granted at the installation. */
async function askedOf(client: webApi.WebClient, installation: Installation): Promise<State> {
  try {
    const me = await client.auth.test({ token: installation.token });
    return stateOf(installation, scopesIn({ ...me }) ?? installation.scopes);
  } catch (error) {
    return stateOf(installation, installation.scopes, isAccessLost(error) ? slackCode(error) : undefined);
  }
}

function stateOf({ team, enterprise }: Installation, scopes: readonly string[], refusal?: string): State {
  const { id = '', name = id } = team ?? enterprise ?? {};
  return { name: `${inOneLine(name)} (${id})`, missing: missingScopes(scopes), refusal };
}

/** A workspace's name is chosen by its admins, so it may contain anything. */
function inOneLine(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, 80);
}

/** Tokens that can't be opened are told by the check of the database. */
function installationIn({ key, value }: StoredValue, vault: Vault): Installation[] {
  const kept = value as Installation | undefined;
  if (kept === undefined || !/^installation (?:team|enterprise) /.test(key)) return [];
  if (!Vault.isSealed(kept.token)) return [kept];
  try {
    return [{ ...kept, token: vault.open(kept.token, `slack ${key}`) }];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return [];
  }
}

/** Whether the bot runs there (`ALLOWED_TEAMS`). */
function isAllowed(allowed: readonly string[] | undefined, ids: readonly (string | undefined)[]): boolean {
  return allowed === undefined || ids.some((id) => id !== undefined && allowed.includes(id));
}
