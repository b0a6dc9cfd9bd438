import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import { slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** How long groups are remembered, in milliseconds, and of how many workspaces. */
const freshFor = 10 * 60_000;
const remembered = 50;
/** How many members are kept for a workspace, over all groups: the smallest groups first. */
const maxMembers = 20_000;
/** How long a command waits for them, in milliseconds. */
const patience = 500;

/** A user group of a workspace. */
export interface UserGroup {
  readonly id: string;
  /** As people type it after `@`. */
  readonly handle: string;
  readonly name: string;
  readonly users: ReadonlySet<string>;
}

/** User groups (`usergroups.list`). Without the scope `usergroups:read` there are none. */
export class UserGroups {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #known: BoundedMap<string, Promise<readonly UserGroup[]>>;
  /** Workspaces where the app lacks the scope. */
  readonly #unreadable: BoundedMap<string, true>;

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    const bounds = { most: remembered, lifetime: { milliseconds: freshFor, clock } };
    this.#known = new BoundedMap(bounds);
    this.#unreadable = new BoundedMap(bounds);
  }

  /** A workspace’s groups; none where Slack doesn’t say, or not in time. */
  async of(workspace: string): Promise<readonly UserGroup[]> {
    return inTime(this.#clock, patience, this.#lookUp(workspace), []);
  }

  /** Ids of the groups that somebody is in. */
  async idsOf(workspace: string, user: string): Promise<readonly string[]> {
    const groups = await this.of(workspace);
    return groups.filter(({ users }) => users.has(user)).map(({ id }) => id);
  }

  /** Whether a workspace’s groups can’t be read, because its app lacks the scope `usergroups:read`. */
  async areUnreadable(workspace: string): Promise<boolean> {
    await this.of(workspace);
    return this.#unreadable.has(workspace);
  }

  #lookUp(workspace: string): Promise<readonly UserGroup[]> {
    const known = this.#known.get(workspace);
    if (known) return known;
    // A refusal is remembered too: a missing scope stays missing until the app is installed again.
    const groups = this.#read(workspace).catch((error: unknown) => {
      if (slackCode(error) === 'missing_scope') this.#unreadable.set(workspace, true);
      return [];
    });
    this.#known.set(workspace, groups);
    return groups;
  }

  async #read(workspace: string): Promise<readonly UserGroup[]> {
    const answer = await this.#api.call(workspace, 'usergroups.list', {
      include_users: true,
      // Needed with an organization’s token, which covers several workspaces.
      team_id: workspace,
    });
    const listed = (answer.usergroups ?? []) as readonly ListedGroup[];
    let members = 0;
    return listed
      .toSorted((one, other) => (one.users?.length ?? 0) - (other.users?.length ?? 0))
      .map(({ id, handle = id, name = handle, users = [] }) => {
        members += users.length;
        return { id, handle, name, users: new Set(members <= maxMembers ? users : []) };
      });
  }
}

interface ListedGroup {
  readonly id: string;
  readonly handle?: string;
  readonly name?: string;
  readonly users?: readonly string[];
}
