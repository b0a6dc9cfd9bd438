export { FakeDiscord, type FakeDiscordOptions } from './fake-discord.ts';
export type { Fault } from './faults.ts';
export type { Channel, Guild, Interaction, Message, Role, User } from './model.ts';
export { allPermissions } from './permissions.ts';
export { Person, type TypedCommand } from './person.ts';
export type { Readings } from './readings.ts';
export { Refusal, refusals } from './refusal.ts';
