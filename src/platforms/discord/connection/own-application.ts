import {
  type APIApplication,
  type APIMessage,
  TeamMemberMembershipState,
  TeamMemberRole,
} from 'discord-api-types/v10';
import { type Clock, untilDone, waitAfter, type Waits } from '../../../lib/clock.ts';
import type { Operator } from '../../../port/index.ts';
import { DiscordApi } from '../api/api.ts';
import { inviteLink } from '../servers/server.ts';

/** Who the bot is. */
export interface Identity {
  /** Its user's id. */
  readonly id: string;
  readonly name: string;
  readonly applicationId: string;
}

/** Whether a message is the bot's own, as itself or by an interaction's token. */
export function isOwnMessage(
  { author, application_id: application }: Pick<APIMessage, 'author' | 'application_id'>,
  { id, applicationId }: Identity,
): boolean {
  return author.id === id || application === applicationId;
}

/** Waits between tries to ask Discord for the application, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };

interface OwnApplicationDependencies {
  readonly api: Pick<DiscordApi, 'application'>;
  /** `DISCORD_PUBLIC_KEY`; undefined if interactions come only over the gateway. */
  readonly publicKey: string | undefined;
  readonly onReady: (application: APIApplication) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who the bot is, which no gateway tells a process without one: Discord is asked until it answers. */
export class OwnApplication {
  readonly #dependencies: OwnApplicationDependencies;
  #reason: string | undefined = 'asking Discord for the application';
  readonly #closed = new AbortController();

  constructor(dependencies: OwnApplicationDependencies) {
    this.#dependencies = dependencies;
  }

  /** Asks until Discord answers. */
  open(): void {
    const { api, clock, log } = this.#dependencies;
    const { signal } = this.#closed;
    const failed = (error: unknown, tries: number) => {
      log.error({ error, wait: waitAfter(tries, waits) }, 'could not ask Discord for the application');
      this.#reason = error instanceof Error ? error.message : String(error);
    };
    const load = async () => {
      const application = await api.application();
      if (!signal.aborted) this.#learn(application);
    };
    untilDone(load, { clock, waits, signal, failed }).catch(() => {});
  }

  /** Why nothing can be received; undefined if it can. */
  notReady(): string | undefined {
    return this.#reason;
  }

  close(): void {
    this.#closed.abort();
  }

  #learn(application: APIApplication): void {
    const { publicKey, onReady, log } = this.#dependencies;
    const isForeign = publicKey !== undefined && publicKey.toLowerCase() !== application.verify_key;
    this.#reason = isForeign
      ? 'DISCORD_PUBLIC_KEY is not the public key of the application that DISCORD_TOKEN belongs to'
      : undefined;
    if (isForeign) log.error({}, this.#reason ?? '');
    else if (publicKey !== undefined && !application.interactions_endpoint_url)
      log.warn(
        {},
        'Discord sends no interactions over HTTP yet: the application has no Interactions Endpoint URL',
      );
    onReady(application);
  }
}

/**
 * The owners of an application: a person, or those of a team who may change it (a team's own user can't get messages). The
 * role of a team's owner may be anything.
 */
export function ownersOf({ owner, team }: Pick<APIApplication, 'owner' | 'team'>): readonly Operator[] {
  const members = team?.members.filter(
    ({ membership_state, role, user }) =>
      membership_state === TeamMemberMembershipState.Accepted &&
      (role !== TeamMemberRole.ReadOnly || user.id === team.owner_user_id),
  );
  const people = members?.map(({ user }) => user.id) ?? (owner ? [owner.id] : []);
  return people.map((person) => ({ platform: 'discord', workspace: '', person }));
}

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

/** The log as the connection uses it: data first, then a message. */
export interface Log {
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}
