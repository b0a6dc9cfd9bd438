import type { webApi } from '@slack/bolt';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, inTime, isTimeZone } from '../../../lib/clock.ts';
import {
  type Address,
  type CommandAbout,
  type Locale,
  localeOf,
  type Message,
  type Option,
  type Person,
  type RawValues,
} from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  mentionedUsers,
  namelessChannels,
  type NameOf,
  withNames,
  withoutCodesForVoice,
} from '../markup/incoming-text.ts';

/** How long a person is remembered, in milliseconds, and how many are. */
const freshFor = 10 * 60_000;
const remembered = 5_000;
/** How long what Slack said last counts where it doesn’t say so again in time, in milliseconds. */
const lastFor = 86_400_000;
/** How many people of one text are looked up. */
const named = 10;
/**
 * How long a command waits to learn who gave it, in milliseconds: Slack wants an acknowledgement within three
 * seconds.
 */
const patience = 1_000;
/** The same for the language of a sentence that can't wait. */
const briefly = 200;

type UserInfo = NonNullable<webApi.UsersInfoResponse['user']>;

/** Without it Slack says nothing of anybody. */
const scope = 'users:read';
/** Somebody of whom Slack has said nothing yet. */
const stranger = { locale: 'en', administrator: false, moderator: false, outsider: true } as const;

/** Who people are: name, language, and whether they administer the workspace (`users.info`). */
export class People {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #groups: UserGroups;
  readonly #known: BoundedMap<string, Promise<Person | undefined>>;
  readonly #last: BoundedMap<string, Person>;
  /** Workspaces where the app lacks the scope. */
  readonly #unreadable: BoundedMap<string, true>;

  constructor(api: SlackApi, groups: UserGroups, clock: Clock) {
    this.#api = api;
    this.#groups = groups;
    this.#clock = clock;
    this.#known = new BoundedMap({ most: remembered, lifetime: { milliseconds: freshFor, clock } });
    this.#last = new BoundedMap({ most: remembered, lifetime: { milliseconds: lastFor, clock } });
    this.#unreadable = new BoundedMap({ most: remembered, lifetime: { milliseconds: freshFor, clock } });
  }

  /**
   * The person. Where Slack doesn’t say in time, as it said last, without an administrator’s rights; where it never did, with
   * the name at hand and in English.
   */
  async find(workspace: string, id: string, name = id): Promise<Person> {
    const lookup = this.#lookUp(workspace, id);
    const [person, roles] = await Promise.all([
      this.#inTime(workspace, lookup),
      this.#groups.idsOf(workspace, id),
    ]);
    const last = this.#last.get(keyOf(workspace, id)) ?? { ...stranger, id, name };
    const unknown = this.#unreadable.has(workspace) ? { unknownWithout: scope } : {};
    const known = person ?? { ...last, administrator: false, moderator: false, ...unknown };
    return roles.length > 0 ? { ...known, roles } : known;
  }

  /**
   * The person at a place: who administers the workspace that Slack names for them (`named`) moderates where others share a
   * channel with it, and administers nothing of theirs.
   */
  async findAt(
    { workspace }: Pick<Address, 'workspace'>,
    named: string,
    id: string,
    name?: string,
  ): Promise<Person> {
    const person = await this.find(named, id, name);
    if (workspace === named) return person;
    return { ...(await this.find(workspace, id, person.name)), moderator: person.moderator };
  }

  /** The person’s language, if it's in memory or being asked for right now. */
  async knownLocale(workspace: string, id: string): Promise<Locale | undefined> {
    const known = this.#known.get(keyOf(workspace, id));
    return known && (await inTime(this.#clock, briefly, known, undefined))?.locale;
  }

  /** People’s names, as far as they are known or quickly found; only the first `most` of many. */
  async namesOf(
    workspace: string,
    ids: readonly string[],
    most: number,
  ): Promise<ReadonlyMap<string, string>> {
    const some = [...new Set(ids)].slice(0, most);
    const people = await Promise.all(some.map((id) => this.find(workspace, id, '')));
    return new Map(people.filter(({ name }) => name !== '').map(({ id, name }) => [id, name]));
  }

  /** The same for people and groups that somebody chose, groups as people type them. */
  async chosenNames(workspace: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const groups = new Map((await this.#groups.of(workspace)).map(({ id, handle }) => [id, `@${handle}`]));
    const people = ids.filter((id) => /^[UW]/.test(id));
    return new Map([...groups, ...(await this.namesOf(workspace, people, named))]);
  }

  /** With many at once, Slack’s rate limit delays the rest: a response that can’t come in time isn’t waited for. */
  #inTime(workspace: string, lookup: Promise<Person | undefined>): Promise<Person | undefined> {
    if (this.#api.delay(workspace, 'users.info') > patience) return Promise.race([lookup, undefined]);
    return inTime(this.#clock, patience, lookup, undefined);
  }

  #lookUp(workspace: string, id: string): Promise<Person | undefined> {
    const key = keyOf(workspace, id);
    const known = this.#known.get(key);
    if (known) return known;
    const person = this.#read(workspace, id).then(
      (read) => {
        this.#last.set(key, read);
        this.#unreadable.delete(workspace);
        return read;
      },
      (error: unknown) => {
        this.#known.delete(key);
        if (slackCode(error) === 'missing_scope') this.#unreadable.set(workspace, true);
        return undefined;
      },
    );
    this.#known.set(key, person);
    return person;
  }

  async #read(workspace: string, id: string): Promise<Person> {
    const args = { user: id, include_locale: true };
    const answer = await this.#api.call(workspace, 'users.info', args, { patience });
    const user = answer.user as UserInfo;
    const isMember = belongs(user, workspace);
    const administrator = Boolean(user.is_admin || user.is_owner) && isMember;
    const name = user.profile?.display_name || user.real_name || user.name || id;
    return {
      id,
      name,
      locale: localeOf(user.locale),
      administrator,
      moderator: administrator,
      ...(!isMember && { outsider: true }),
      // Slack may know newer ones.
      ...(user.tz && isTimeZone(user.tz) && { timeZone: user.tz }),
    };
  }
}

function keyOf(workspace: string, id: string): string {
  return `${workspace} ${id}`;
}

/**
 * Whether somebody is a full member of a workspace, and hasn’t left it. In Slack Connect, people from other workspaces come
 * with the rights they have there; in an organization somebody may belong to several workspaces.
 */
function belongs(user: UserInfo, workspace: string): boolean {
  if (user.deleted || user.is_stranger || user.is_restricted || user.is_ultra_restricted) return false;
  const { team_id: team, enterprise_user: inOrganization } = user;
  if (team === undefined || team === workspace) return true;
  return inOrganization?.teams?.includes(workspace) === true || inOrganization?.enterprise_id === workspace;
}

/** Who asks where a step of a workflow names nobody: no message can mention them. */
export const anyone: Person = {
  ...{ id: 'workflow', name: 'Workflow', locale: 'en' },
  ...{ administrator: false, moderator: false },
};

/** The message without a mention of them. */
export function mentioningPeople<M extends Message>(message: M): M {
  const { mentions } = message;
  return mentions?.includes(anyone.id)
    ? { ...message, mentions: mentions.filter((id) => id !== anyone.id) }
    : message;
}

/** Names of the people, groups and channels that a text mentions, and all groups of the workspace. */
export interface Mentions {
  readonly nameOf: NameOf;
  readonly groups: readonly UserGroup[];
}

interface NameServices {
  readonly people: People;
  readonly userGroups: UserGroups;
  readonly channels: {
    publicNamesAt(
      at: Pick<Address, 'workspace' | 'channel'>,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, string>>;
  };
}

interface NamesWanted {
  /** Names that Slack gave in the text. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Further people. */
  readonly ids?: readonly string[];
  /** How many people are looked up. */
  readonly most?: number;
}

/** Looks up the names of those that a text at an address mentions. */
export async function namesIn(
  { people, userGroups, channels }: NameServices,
  at: Pick<Address, 'workspace' | 'channel'>,
  text: string,
  { labels, ids = [], most = named }: NamesWanted = {},
): Promise<Mentions> {
  const mightNameGroups = text.includes('@') || text.includes('<!subteam^');
  const nameless = namelessChannels(text).filter((id) => !labels?.has(id));
  const [names, groups, places] = await Promise.all([
    people.namesOf(at.workspace, [...ids, ...mentionedUsers(text)], most),
    mightNameGroups ? userGroups.of(at.workspace) : [],
    channels.publicNamesAt(at, nameless),
  ]);
  const handles = new Map(groups.map(({ id, handle }) => [id, handle]));
  const nameOf = (id: string) => names.get(id) ?? labels?.get(id) ?? places.get(id) ?? handles.get(id);
  return { nameOf, groups };
}

/**
 * Values as a command takes them: ids where people are chosen, names wherever a person or a model reads, and no codes of
 * emoji where a voice does.
 */
export function commandValues(
  command: Pick<CommandAbout, 'options' | 'textOption' | 'postsFiles'>,
  values: RawValues,
  { nameOf, groups }: Mentions,
): RawValues {
  const read = Object.entries(withGroupIds(command.options, values, groups)).map(([name, value]) => {
    if (typeof value !== 'string' || keepsIds(command.options[name])) return [name, value];
    return [name, withoutCodesForVoice(command, name, withNames(value, nameOf))];
  });
  return Object.fromEntries(read);
}

/** Values with the ids of groups that people named, in options that take ids. */
export function withGroupIds(
  options: CommandAbout['options'],
  values: RawValues,
  groups: readonly UserGroup[],
): RawValues {
  const read = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' && keepsIds(options[name]) ? withGroups(value, groups) : value,
  ]);
  return Object.fromEntries(read);
}

/** Whether an option that chooses people names a group. */
export function choosesGroups(options: CommandAbout['options'], values: RawValues): boolean {
  return Object.entries(values).some(([name, value]) => {
    if (!keepsIds(options[name]) || typeof value !== 'string') return false;
    return value.includes('<!subteam^') || handles.test(value);
  });
}

/** Whether an option’s value has ids in it where others have names. */
function keepsIds(option: Option | undefined): boolean {
  return option?.type === 'text' && Boolean(option.people ?? option.channel ?? option.ids);
}

/** Names as people type them; a person’s comes as an id. */
const handles = /(?<![<\w])@[\w.-]/;

/** Slack may send a group’s name without its id. */
function withGroups(text: string, groups: readonly UserGroup[]): string {
  return text.replace(/(?<![<\w])@([\w.-]{1,80})/g, (whole, handle: string) => {
    const group = groups.find((one) => one.handle === handle);
    return group ? `<!subteam^${group.id}>` : whole;
  });
}

/** How long groups are remembered, in milliseconds, and of how many workspaces. */
const groupsFreshFor = 10 * 60_000;
const workspacesRemembered = 50;
/** How many members are kept for a workspace, over all groups: the smallest groups first. */
const maxMembers = 20_000;
/** How long a command waits for them, in milliseconds. */
const groupsPatience = 500;

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
  readonly #last: BoundedMap<string, readonly UserGroup[]>;
  /** Workspaces where the app lacks the scope. */
  readonly #unreadable: BoundedMap<string, true>;

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    const bounds = { most: workspacesRemembered, lifetime: { milliseconds: groupsFreshFor, clock } };
    this.#known = new BoundedMap(bounds);
    this.#last = new BoundedMap({ ...bounds, lifetime: { milliseconds: lastFor, clock } });
    this.#unreadable = new BoundedMap(bounds);
  }

  /** A workspace’s groups; as Slack said last where it doesn’t say in time. */
  async of(workspace: string): Promise<readonly UserGroup[]> {
    return inTime(this.#clock, groupsPatience, this.#lookUp(workspace), this.#last.get(workspace) ?? []);
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
      if (slackCode(error) !== 'missing_scope') return this.#last.get(workspace) ?? [];
      this.#unreadable.set(workspace, true);
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
    const listed = (answer.usergroups ?? []) as NonNullable<webApi.UsergroupsListResponse['usergroups']>;
    let members = 0;
    const groups = listed
      .toSorted((one, other) => (one.users?.length ?? 0) - (other.users?.length ?? 0))
      .map(({ id = '', handle = id, name = handle, users = [] }) => {
        members += users.length;
        return { id, handle, name, users: new Set(members <= maxMembers ? users : []) };
      });
    this.#last.set(workspace, groups);
    return groups;
  }
}
