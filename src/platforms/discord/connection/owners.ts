import { type APIApplication, TeamMemberMembershipState } from 'discord-api-types/v10';
import type { Operator } from '../../../port/index.ts';

/** The owners of an application: a person, or a team's members (a team's own user can't get messages). */
export function ownersOf({ owner, team }: Pick<APIApplication, 'owner' | 'team'>): readonly Operator[] {
  const members = team?.members.filter(
    ({ membership_state }) => membership_state === TeamMemberMembershipState.Accepted,
  );
  const people = members?.map(({ user }) => user.id) ?? (owner ? [owner.id] : []);
  return people.map((person) => ({ platform: 'discord', workspace: '', person }));
}
