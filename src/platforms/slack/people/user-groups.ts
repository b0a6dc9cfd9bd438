import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** Groups are asked for again after so long, in milliseconds; those of so many workspaces are remembered. */
const freshFor = 10 * 60_000;
const remembered = 50;
/** Members that are kept for a workspace, over all groups: the smallest groups first. */
const maxMembers = 20_000;
/** A command waits no longer for them, in milliseconds. */
const patience = 500;

/** A user group of a workspace. */
export interface UserGroup {
  readonly id: string;
  /** As people write it after `@`. */
  readonly handle: string;
  readonly name: string;
  readonly users: ReadonlySet<string>;
}

interface Known {
  readonly at: number;
  readonly groups: Promise<readonly UserGroup[]>;
}

/** User groups (`usergroups.list`). Without the scope `usergroups:read` there are none. */
export class UserGroups {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** A workspace's groups; none where Slack does not tell, or not in time. */
  async of(workspace: string): Promise<readonly UserGroup[]> {
    return inTime(this.#clock, patience, this.#ask(workspace), []);
  }

  /** Ids of the groups somebody is in. */
  async idsOf(workspace: string, user: string): Promise<readonly string[]> {
    const groups = await this.of(workspace);
    return groups.filter(({ users }) => users.has(user)).map(({ id }) => id);
  }

  #ask(workspace: string): Promise<readonly UserGroup[]> {
    const known = this.#known.get(workspace);
    const now = this.#clock.steady();
    if (known && now - known.at < freshFor) return known.groups;
    // What Slack refuses, it refuses for a while: a scope is missing until the app is installed again.
    const groups = this.#read(workspace).catch(() => []);
    this.#known.delete(workspace);
    this.#known.set(workspace, { at: now, groups });
    const [oldest] = this.#known.keys();
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest);
    return groups;
  }

  async #read(workspace: string): Promise<readonly UserGroup[]> {
    const answer = await this.#api.call(workspace, 'usergroups.list', {
      include_users: true,
      // The token of an organization has to say which of its workspaces is meant.
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
