export { FakeDiscord, type FakeDiscordOptions } from './fake-discord.ts';
export type { Fault } from './faults.ts';
export { Refusal, refusals } from './http/refusal.ts';
export { acknowledgeWithin } from './interactions/interactions.ts';
export type { Channel, Guild, Interaction, Message, Role, User } from './model.ts';
export { Person, type TypedCommand } from './person.ts';
export type { Readings } from './readings.ts';
export { allPermissions } from './rules/permissions.ts';
