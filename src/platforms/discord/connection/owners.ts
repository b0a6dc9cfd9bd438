import { type APIApplication, TeamMemberMembershipState } from 'discord.js';
import type { Operator } from '../../../port/index.ts';

/** Who owns an application: a person, or the members of a team, whose own `owner` is nobody who could be written to. */
export function ownersOf({ owner, team }: Pick<APIApplication, 'owner' | 'team'>): readonly Operator[] {
  const members = team?.members.filter(
    ({ membership_state }) => membership_state === TeamMemberMembershipState.Accepted,
  );
  const people = members?.map(({ user }) => user.id) ?? (owner ? [owner.id] : []);
  return people.map((person) => ({ platform: 'discord', workspace: '', person }));
}
