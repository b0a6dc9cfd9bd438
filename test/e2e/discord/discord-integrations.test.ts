import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { refusals } from '../../fakes/discord/http/refusal.ts';
import type { Channel, Person } from '../../fakes/discord/index.ts';
import { type DiscordScene, startDiscordScene } from '../support/discord-scene.ts';

// Fact: Permissions of a command count before the app’s, for the channel, then the person (application commands, change log)
const sayNo = (command: string) => `Only certain people can use </${command}:`;
const lookUp = 'GET /applications/{application_id}/guilds/{guild_id}/commands/permissions';

function everyone({ guild }: DiscordScene) {
  return { id: guild.id, type: 1, permission: false } as const;
}

/** Whether a mention is answered; what its author is told if it isn't. */
async function says({ discord, said, rests }: DiscordScene, person: Person, text: string, place: Channel) {
  const before = said(place).length;
  person.mentions(place, text);
  await rests();
  const answers = said(place)
    .slice(before)
    .map(({ content }) => content);
  const aside = discord.aside(place, person).at(-1)?.content;
  return [...answers, ...(answers.length === 0 && aside !== undefined ? [aside] : [])].join('\n');
}

it('a command that’s denied to people is denied to their mentions, at once, and allowed to a role again', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord, guild } = scene;
  expect(await says(scene, ada, 'repeat: hello', channel)).toContain('hello');
  const spent = await scene.spent();
  const artists = discord.world.addRole(guild, 'Artists', 0n);
  guild.members.get(bob.user.id)!.roles.push(artists.id);
  discord.permit(guild, 'imagine', [everyone(scene), { id: artists.id, type: 1, permission: true }]);
  expect(await says(scene, ada, 'imagine a lighthouse', channel)).toContain(sayNo('imagine'));
  expect(await scene.spent()).toBe(spent);
  await says(scene, bob, 'imagine a lighthouse', channel);
  await scene.withFile();
  // Other commands are as before.
  expect(await says(scene, ada, 'repeat: hello again', channel)).toContain('hello again');
  discord.permit(guild, 'imagine', []);
  await says(scene, ada, 'imagine a lake', channel);
  await scene.until('her image', () => scene.said().filter(({ files }) => files.length > 0).length === 2);
});

it('a channel that’s denied is so with its threads; the app’s own word counts where the command has none', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild } = scene;
  const studio = discord.world.addChannel(guild, 'studio');
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  const nowhere = { id: String(BigInt(guild.id) - 1n), type: 3, permission: false } as const;
  discord.permit(guild, undefined, [nowhere, { id: studio.id, type: 3, permission: true }]);
  for (const place of [channel, thread])
    expect(await says(scene, ada, 'repeat: hello', place)).toContain(sayNo('ask'));
  expect(await says(scene, ada, 'repeat: hello', studio)).toContain('hello');
  // What the bot is anybody may ask.
  expect(await says(scene, ada, 'help', channel)).toContain('imagine');
  discord.permit(guild, 'ask', [{ id: channel.id, type: 3, permission: true }]);
  expect(await says(scene, ada, 'repeat: hello', thread)).toContain('hello');
  expect(await says(scene, ada, 'repeat: hello', ada.direct())).toContain('hello');
});

it('buttons that make something new follow the same, and who manages the server isn’t held', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild, owner, rests } = scene;
  await says(scene, ada, 'repeat: hello', channel);
  const answer = await scene.labelled('Regenerate');
  const spent = await scene.spent();
  const keeper = discord.addPerson(guild, 'keeper');
  const keepers = discord.world.addRole(guild, 'Keepers', PermissionFlagsBits.ManageGuild);
  discord.events.roleCreated(guild, keepers);
  guild.members.get(keeper.user.id)!.roles.push(keepers.id);
  discord.permit(guild, 'ask', [everyone(scene)]);
  const press = ada.presses(answer, 'Regenerate');
  await rests();
  const told = discord.aside(channel, ada).find(({ interactionId }) => interactionId === press.id);
  expect(told?.content).toContain(sayNo('ask'));
  expect(await scene.spent()).toBe(spent);
  for (const person of [owner, keeper])
    expect(await says(scene, person, 'repeat: still here', channel)).toContain('still here');
});

it('who may not use application commands in a channel may not by a mention or a button either, nor in its threads', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild, owner, rests } = scene;
  const lounge = discord.world.addChannel(guild, 'lounge');
  await says(scene, ada, 'repeat: hello', channel);
  const answer = await scene.labelled('Regenerate');
  const spent = await scene.spent();
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  const { UseApplicationCommands } = PermissionFlagsBits;
  channel.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny: UseApplicationCommands });
  discord.events.channelUpdated(channel);
  expect(ada.mayCommand(channel)).toBe(false);
  for (const place of [channel, thread])
    expect(await says(scene, ada, 'repeat: hello', place)).toContain(sayNo('ask'));
  const press = ada.presses(answer, 'Regenerate');
  await rests();
  const told = discord.aside(channel, ada).find(({ interactionId }) => interactionId === press.id);
  expect(told?.content).toContain(sayNo('ask'));
  expect(await scene.spent()).toBe(spent);
  expect(await says(scene, ada, 'help', channel)).toContain('imagine');
  expect(await says(scene, ada, 'repeat: hello', lounge)).toContain('hello');
  expect(await says(scene, owner, 'repeat: hello', channel)).toContain('hello');
});

it('where Discord doesn’t say in time, people are answered; it’s asked once, and again after a start', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord, guild } = scene;
  const asked = () => discord.journal.requests.filter(({ route }) => route === lookUp).length;
  discord.permit(guild, 'ask', [everyone(scene)]);
  const release = discord.faults.hold(lookUp);
  expect(await says(scene, ada, 'repeat: hello', channel)).toContain('hello');
  release();
  await scene.until('what it said', () => asked() === 1);
  for (const person of [ada, bob])
    expect(await says(scene, person, 'repeat: hello', channel)).toContain(sayNo('ask'));
  expect(asked()).toBe(1);
  await scene.restart(async () => {
    discord.permit(guild, 'ask', []);
    discord.faults.next(lookUp, { kind: 'refuse', refusal: refusals.missingAccess() });
  });
  for (const person of [ada, bob])
    expect(await says(scene, person, 'repeat: hello', channel)).toContain('hello');
  expect(asked()).toBe(2);
});
