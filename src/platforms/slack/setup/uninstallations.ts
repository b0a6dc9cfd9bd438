import type { Clock } from '../../../lib/clock.ts';
import { isAccessLost } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { Answer } from '../api/slack-api.ts';
import type { Access, Installations } from './installations.ts';
import type { WorkspaceAccess } from './workspace-access.ts';

/** A token that still works is checked once more after this long, in milliseconds: Slack may be about to revoke it. */
const lookAgainAfter = 60_000;

/** An uninstallation as the events tell of it. */
interface UninstallEvent {
  readonly team_id?: string | null | undefined;
  readonly enterprise_id?: string | null | undefined;
  readonly authorizations?:
    | readonly {
        readonly team_id?: string | null;
        readonly enterprise_id?: string | null;
        readonly is_enterprise_install?: boolean;
      }[]
    | undefined;
}

interface UninstallationDependencies {
  readonly installations: Installations;
  /** With the token of the settings, if they have one. */
  readonly access: Pick<WorkspaceAccess, 'own' | 'noteLoss'>;
  /** All keys of installations. */
  readonly keys: () => Promise<readonly string[]>;
  readonly whoAmI: (token: string) => Promise<Answer>;
  /** The bot has no access to a workspace any more: what was kept of its messages is forgotten, and nothing more is bought. */
  readonly onLeft: (workspace: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes installations that have ended. Slack sends `app_uninstalled` and `tokens_revoked`, in any order, perhaps
 * after the app was installed again, and for organizations it isn’t documented what they name: so an installation is
 * removed only once Slack refuses its token.
 */
export class Uninstallations {
  readonly #dependencies: UninstallationDependencies;

  constructor(dependencies: UninstallationDependencies) {
    this.#dependencies = dependencies;
  }

  /** The app was removed from a workspace or an organization, or its token was revoked. */
  async removed(event: UninstallEvent): Promise<void> {
    for (const installation of await this.#named(event)) await this.#forgetRefused(installation, true);
  }

  /** An organization removed workspaces from its installation, which continues. */
  async leftTeams(teams: readonly string[]): Promise<void> {
    await this.#dependencies.installations.leave(teams);
    for (const team of teams) await this.#dependencies.onLeft(team);
    this.#dependencies.log.info({ teams }, 'removed from workspaces of an organization in Slack');
  }

  /** The workspace’s own installation, its organization’s and the settings’ token, whichever the event may mean. */
  async #named({ authorizations, ...envelope }: UninstallEvent): Promise<Access[]> {
    const [about] = authorizations ?? [];
    const team = about?.team_id ?? envelope.team_id ?? undefined;
    const enterprise = about?.enterprise_id ?? envelope.enterprise_id ?? undefined;
    const { installations, access } = this.#dependencies;
    const set = access.own?.team ? access.own.team.id === team : access.own?.enterprise?.id === enterprise;
    const own = team === undefined ? undefined : await installations.ofTeam(team);
    const whole = enterprise === undefined ? undefined : await installations.ofEnterprise(enterprise);
    const scope = about?.is_enterprise_install;
    return [
      scope === true ? undefined : own,
      scope === false && own ? undefined : whole,
      set ? access.own : undefined,
    ].filter((one) => one !== undefined);
  }

  async #coveredBy({ team, enterprise }: Access): Promise<readonly string[]> {
    const { installations, keys } = this.#dependencies;
    if (team) return [team.id];
    return enterprise ? installations.coveredBy(enterprise.id, await keys()) : [];
  }

  async #forgetRefused(installation: Access, lookAgain: boolean): Promise<void> {
    const { installations, access, whoAmI, onLeft, clock, log } = this.#dependencies;
    const names = { team: installation.team?.id, enterprise: installation.enterprise?.id };
    try {
      await whoAmI(installation.token);
    } catch (error) {
      if (isAccessLost(error)) {
        const isOwn = installation.token === access.own?.token;
        // Where it's installed again, what's under way there belongs to the new installation.
        if (!(await installations.remove(installation)) && !isOwn) return;
        if (isOwn) access.noteLoss(error);
        for (const workspace of await this.#coveredBy(installation)) await onLeft(workspace);
        log.info(names, 'uninstalled in Slack');
        return;
      }
      log.warn({ ...names, error: String(error) }, 'Slack did not say whether an installation has ended');
    }
    if (!lookAgain) return;
    clock.after(lookAgainAfter, () => {
      this.#forgetRefused(installation, false).catch((error: unknown) =>
        log.warn({ ...names, error: String(error) }, 'an installation could not be looked at'),
      );
    });
  }
}
