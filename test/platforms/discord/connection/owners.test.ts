import { TeamMemberMembershipState, TeamMemberRole } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { ownersOf } from '../../../../src/platforms/discord/connection/own-application.ts';

const user = (id: string) => ({ id }) as never;
const member = (id: string, membership_state: TeamMemberMembershipState) =>
  ({ user: user(id), membership_state }) as never;

it("an application runs for its owner, or for those who have joined its team, never for the team's own account", () => {
  expect(ownersOf({ owner: user('1'), team: null })).toEqual([
    { platform: 'discord', workspace: '', person: '1' },
  ]);
  const members = [
    member('2', TeamMemberMembershipState.Accepted),
    member('3', TeamMemberMembershipState.Invited),
  ];
  const team = { id: '9', members } as never;
  expect(ownersOf({ owner: user('9'), team }).map(({ person }) => person)).toEqual(['2']);
});

// Fact: A team’s read-only members change nothing (topics/teams)
it('an application isn’t run by those who may only read about it', () => {
  const as = (id: string, role: string) => ({
    ...{ user: user(id), role, membership_state: TeamMemberMembershipState.Accepted },
  });
  const members = [
    as('1', TeamMemberRole.ReadOnly),
    as('2', TeamMemberRole.ReadOnly),
    as('3', TeamMemberRole.Developer),
    as('4', TeamMemberRole.Admin),
  ];
  const team = { id: '9', owner_user_id: '1', members } as never;
  expect(ownersOf({ owner: user('9'), team }).map(({ person }) => person)).toEqual(['1', '3', '4']);
});
