import type { EnvelopedEvent } from '@slack/bolt';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime, systemClock } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Places, PlatformError } from '../../../port/index.ts';
import { isAccessLost, slackCode } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { Answer } from '../api/slack-api.ts';
import type { Access, Installation, Installations, InstallationScope } from './installations.ts';

/** How long the database is waited for where the answer is in memory, in milliseconds. */
const patience = 500;
/** For how many workspaces it's remembered what the database said last. */
const remembered = 5_000;

/** The bot in a workspace. */
export interface BotIdentity {
  readonly token: string;
  readonly botUser: string;
  readonly botId?: string;
  /** The name that people mention and invite it by. */
  readonly botName?: string;
  /** The workspace’s id, under which everything there is stored. */
  readonly workspace: string;
}

/** The bot of the settings' token; absent `team`: it's an organization's. */
interface OwnBot extends Access, Omit<BotIdentity, 'workspace'> {
  /** Of the workspace, or the organization. */
  readonly name?: string;
}

/** Tokens by workspace: the one from the settings, or those of installations. */
export class WorkspaceAccess {
  readonly #installations: Installations;
  readonly #ownToken: string | undefined;
  readonly #allowed: readonly string[] | undefined;
  readonly #clock: Clock;
  /** What the database said last, for while it's away. */
  readonly #found = new BoundedMap<string, BotIdentity>({ most: remembered });
  #own: OwnBot | undefined;
  #fault: string | undefined;

  /** `allowed`: workspaces and organizations where the bot runs; undefined: everywhere. */
  constructor(
    installations: Installations,
    ownToken: string | undefined,
    allowed?: readonly string[] | undefined,
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#installations = installations;
    this.#ownToken = ownToken;
    this.#allowed = allowed;
  }

  /** Why nothing works in Slack now; undefined where nothing is known to be wrong. */
  get fault(): string | undefined {
    return this.#fault ?? this.#ownFault;
  }

  /** The settings’ token, and what it's for; undefined before Slack has said so, or where there is none. */
  get own(): Access | undefined {
    return this.#own;
  }

  /**
   * Whether a workspace is, or may be, that of the settings' token, which operators may replace.
   * @throws {PlatformError} where Slack hasn't said yet whose token it is.
   */
  mayBeOwn(workspace: string): boolean {
    if (this.#ownToken === undefined) return false;
    if (!this.#own) throw new PlatformError('unreachable');
    return [undefined, workspace].includes(this.#own.team?.id);
  }

  /** Asks Slack whose token the settings have, and returns that. Rejects where Slack can’t be asked. */
  async check(whoAmI: (token: string) => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#ownToken === undefined) return undefined;
    try {
      const me = await whoAmI(this.#ownToken);
      this.#own = {
        token: this.#ownToken,
        botUser: String(me.user_id),
        ...(typeof me.bot_id === 'string' && { botId: me.bot_id }),
        ...(typeof me.user === 'string' && { botName: me.user }),
        ...(typeof me.team_id === 'string' && !me.is_enterprise_install && { team: { id: me.team_id } }),
        ...(typeof me.enterprise_id === 'string' && { enterprise: { id: me.enterprise_id } }),
        ...(typeof me.team === 'string' && { name: me.team }),
      };
      this.#fault = undefined;
      return me;
    } catch (error) {
      this.noteLoss(error);
      throw error;
    }
  }

  /** Notes that the settings’ token is refused; installations are removed by their own events. */
  noteLoss(error: unknown): void {
    if (this.#ownToken === undefined || !isAccessLost(error)) return;
    this.#fault = `Slack refuses the bot's token (${slackCode(error)}): set a new SLACK_BOT_TOKEN`;
  }

  /** The bot in a workspace; undefined where it isn’t installed. While the database is away, as far as it's remembered. */
  async find(where: InstallationScope): Promise<BotIdentity | undefined> {
    const key = `${where.team} ${where.enterprise}`;
    const looked = this.#look(where).then((found) => {
      if (found) this.#found.set(key, found);
      else this.#found.delete(key);
      return found;
    });
    const known = this.#found.get(key) ?? this.#ownIn(where);
    if (!known) return looked;
    return inTime(this.#clock, patience, looked, known).catch((error: unknown) => {
      if (!isLocal(error)) throw error;
      return known;
    });
  }

  /** The workspace or organization whose bot a user is or was, as far as that’s in memory: nothing is read. */
  placeOfBot(user: string): string | undefined {
    if (this.#own?.botUser !== user) return this.#installations.placeOfBot(user);
    return this.#own.team?.id ?? this.#own.enterprise?.id;
  }

  /** The settings’ token where it's certainly this workspace’s. */
  #ownIn(where: InstallationScope): BotIdentity | undefined {
    const isHere = where.team !== undefined && this.#own?.team?.id === where.team;
    return isHere ? this.#identityOf(this.#own, where) : undefined;
  }

  async #look(where: InstallationScope): Promise<BotIdentity | undefined> {
    return this.#identityOf((await this.#installations.find(where)) ?? this.#own, where);
  }

  /** An organization’s token covers workspaces that no event may have named; any other covers only its own. */
  #identityOf(bot: Installation | OwnBot | undefined, where: InstallationScope): BotIdentity | undefined {
    const team = bot?.team?.id ?? where.team;
    if (!bot || !this.allows({ team, enterprise: bot.enterprise?.id })) return undefined;
    const { token, botUser, botId, botName } = bot;
    return {
      ...{ token, botUser, workspace: team ?? where.enterprise ?? '' },
      ...(botId !== undefined && { botId }),
      ...(botName !== undefined && { botName }),
    };
  }

  /** Whether the bot runs in a workspace, or in all of an organization. */
  allows({ team, enterprise }: InstallationScope): boolean {
    if (this.#allowed === undefined) return true;
    return [team, enterprise].some((id) => id !== undefined && this.#allowed?.includes(id));
  }

  /** Why the settings’ token can’t be used though Slack accepts it. */
  get #ownFault(): string | undefined {
    const { team, enterprise } = this.#own ?? {};
    if (!team || this.allows({ team: team.id, enterprise: enterprise?.id })) return undefined;
    return `ALLOWED_TEAMS does not name ${team.id}, the workspace of SLACK_BOT_TOKEN`;
  }

  /** The bot’s name as people in a workspace type it to invite it. */
  readonly nameIn = async (workspace: string): Promise<string> => {
    const { botName = 'troupe' } = (await this.find({ team: workspace })) ?? {};
    return `@${botName}`;
  };

  /** A workspace’s or an organization’s own name, as it was when the bot was installed there; Slack isn’t asked. */
  readonly workspaceName = async (workspace: string): Promise<string | undefined> => {
    const { team: ownTeam, enterprise: ownEnterprise, name } = this.#own ?? {};
    if ([ownTeam, ownEnterprise].some((one) => one?.id === workspace)) return name;
    const { team, enterprise } = (await this.#installations.find({ team: workspace })) ?? {};
    return [team, enterprise].find((one) => one?.id === workspace)?.name;
  };

  /** The token for a workspace, or for a whole organization; undefined where there is none. */
  readonly token = async (workspace: string): Promise<string | undefined> => {
    const identity = await this.find({ team: workspace });
    // Until Slack has said whose token it is, posts that are still due use it.
    return identity?.token ?? (this.#own === undefined ? this.#ownToken : undefined);
  };
}

/** A token that still works is checked once more after this long, in milliseconds: Slack may be about to revoke it. */
const lookAgainAfter = 60_000;

/** An uninstallation as the events tell of it. */
type UninstallEvent = Partial<Pick<EnvelopedEvent, 'team_id' | 'enterprise_id' | 'authorizations'>>;

interface UninstallationDependencies {
  readonly installations: Installations;
  /** With the token of the settings, if they have one. */
  readonly access: Pick<WorkspaceAccess, 'own' | 'noteLoss' | 'mayBeOwn'>;
  readonly whoAmI: (token: string) => Promise<Answer>;
  /** The workspaces that a token reaches. */
  readonly workspacesOf: (token: string) => Promise<readonly string[]>;
  /** The bot has no access to a workspace any more: what was kept of its messages is forgotten, and nothing more is bought. */
  readonly onLeft: (workspace: string) => Promise<void>;
  /** What's kept of a workspace, or of an organization's own events, is deleted a while after that. */
  readonly places: Pick<Places, 'left' | 'isMissing'>;
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
    const { installations, onLeft, places } = this.#dependencies;
    // Before it's forgotten that they were covered: nothing else leads to them after a death in between.
    for (const workspace of teams) await places.left({ platform: 'slack', workspace });
    await installations.leave(teams);
    for (const team of teams) await onLeft(team);
    this.#dependencies.log.info({ teams }, 'removed from workspaces of an organization in Slack');
  }

  /**
   * Looks for workspaces that no token reaches any more, though no event told of that: the process may have been off. Until
   * that's certain, they stay.
   */
  async look(): Promise<void> {
    const { installations, places, log } = this.#dependencies;
    for (const installation of await installations.all())
      try {
        const left = (await this.#works(installation))
          ? await this.#leftBy(installation)
          : await this.#placesOf(installation);
        for (const workspace of left) await places.isMissing({ platform: 'slack', workspace });
      } catch (error) {
        log.warn({ error: String(error) }, 'Slack did not say whether an installation has ended');
      }
  }

  /** What an organization's installation covered, and its token doesn't reach any more. */
  async #leftBy(installation: Access): Promise<readonly string[]> {
    if (installation.team) return [];
    const reached = new Set(await this.#dependencies.workspacesOf(installation.token));
    return (await this.#coveredBy(installation)).filter((workspace) => !reached.has(workspace));
  }

  /**
   * Whether the app is still in a workspace, or an organization. An organization may have let it into a workspace again, which
   * no record says. Rejects where Slack doesn't say so.
   */
  async isIn(workspace: string): Promise<boolean> {
    const { access, installations, workspacesOf } = this.#dependencies;
    if (access.mayBeOwn(workspace)) return true;
    const own = await this.#ownOf(workspace);
    if (own && (await this.#works(own))) return true;
    for (const { token } of await installations.ofOrganizations()) {
      const reached = await workspacesOf(token).catch(noneIfLost);
      if (reached.includes(workspace)) return true;
    }
    return false;
  }

  /** Forgets the token of a workspace, or an organization, that the app isn't in any more; one that works is of a new installation. */
  async forget(workspace: string): Promise<void> {
    const kept = await this.#ownOf(workspace);
    if (kept && !(await this.#works(kept))) await this.#dependencies.installations.remove(kept);
  }

  async #ownOf(workspace: string): Promise<Access | undefined> {
    const { installations } = this.#dependencies;
    return (await installations.ofTeam(workspace)) ?? installations.ofEnterprise(workspace);
  }

  /** Rejects where Slack doesn't say so. */
  async #works({ token }: Access): Promise<boolean> {
    try {
      await this.#dependencies.whoAmI(token);
      return true;
    } catch (error) {
      if (isAccessLost(error)) return false;
      throw error;
    }
  }

  /** What an installation covers, with its organization as a place of its own. */
  async #placesOf(installation: Access): Promise<readonly string[]> {
    const { team, enterprise } = installation;
    return [...(await this.#coveredBy(installation)), ...(team || !enterprise ? [] : [enterprise.id])];
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
    if (team) return [team.id];
    return enterprise ? this.#dependencies.installations.coveredBy(enterprise.id) : [];
  }

  async #forgetRefused(installation: Access, lookAgain: boolean): Promise<void> {
    const { installations, access, whoAmI, onLeft, places, clock, log } = this.#dependencies;
    const names = { team: installation.team?.id, enterprise: installation.enterprise?.id };
    try {
      await whoAmI(installation.token);
    } catch (error) {
      if (isAccessLost(error)) {
        const isOwn = installation.token === access.own?.token;
        // Before the token is gone, the only thing that leads to them; where it's installed again, nothing is deleted.
        for (const workspace of await this.#placesOf(installation))
          await places.left({ platform: 'slack', workspace });
        // Then what's under way there belongs to the new installation.
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

/** A token that Slack refuses reaches nothing. */
function noneIfLost(error: unknown): readonly string[] {
  if (isAccessLost(error)) return [];
  throw error;
}
