import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { refusals } from '../../fakes/discord/http/refusal.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, passes, promote, startDiscordScene } from '../support/discord-scene.ts';

const removal = 'DELETE /channels/{channel_id}/messages/{message_id}';
/** For good, though it isn't known why. */
const refused = { kind: 'refuse', refusal: refusals.unheardOf() } as const;

/** An answer that bob reports, and the report that the owner gets. */
async function reported(
  { ada, bob, owner, channel, discord, labelled }: DiscordScene,
  prompt: string,
  place = channel,
) {
  ada.types(place, { name: 'ask', options: { prompt } });
  const answer = await labelled('Regenerate', place);
  bob.submits(await discord.opened(bob.picks(answer, 'Report this')), { reason: 'rude' });
  const report = await discord.until('the report', () =>
    discord.messagesIn(owner.direct()).find(({ content }) => content.includes('rude')),
  );
  return { answer, report };
}

/** How often the owner was told this. */
const told = ({ owner, discord }: DiscordScene, words: string) =>
  discord.messagesIn(owner.direct(), { ephemeral: true }).filter(({ content }) => content.includes(words))
    .length;

const isLabelled = (report: Message, label: string) => () => labelsOf(report)[0] === label;

it('Delete it is to be pressed again where Discord puts a deletion off, and then refuses it', async () => {
  const scene = await startDiscordScene();
  const { owner, discord } = scene;
  const { answer, report } = await reported(scene, 'Hello');
  discord.faults.next(removal, { kind: 'rate-limit', seconds: 120, scope: 'shared' }, 1, answer.id);
  discord.faults.next(removal, refused, 1, answer.id);
  owner.presses(report, 'Delete it');
  await discord.until('why not', () => told(scene, 'I couldn’t delete all of it') === 1);
  await discord.until('the button', isLabelled(report, 'Delete it'));
  owner.presses(report, 'Delete it');
  await discord.until('who did', isLabelled(report, 'Deleted by owner'));
  expect(scene.said()).toEqual([]);
  expect(told(scene, 'deleted already')).toBe(0);
});

it('Deleted by … deletes what Discord refused to delete after a restart', async () => {
  const scene = await startDiscordScene();
  const { owner, discord } = scene;
  const { answer, report } = await reported(scene, 'Hello');
  discord.faults.next(removal, { kind: 'error', status: 502 }, 8, answer.id);
  owner.presses(report, 'Delete it');
  await discord.until('who wants it', isLabelled(report, 'Deleted by owner'));
  await scene.restart(async () => discord.faults.next(removal, refused, 1, answer.id));
  await scene.until('the refusal', () => discord.faults.left(removal) === 0);
  discord.faults.next(removal, refused, 1, answer.id);
  owner.presses(report, 'Deleted by owner');
  await discord.until('the button', isLabelled(report, 'Delete it'));
  owner.presses(report, 'Delete it');
  await discord.until('who did', isLabelled(report, 'Deleted by owner'));
  expect(scene.said()).toEqual([]);
});

it('Delete it deletes what stands of an answer one of whose messages was deleted', async () => {
  const scene = await startDiscordScene();
  const { owner, discord } = scene;
  const { report } = await reported(scene, 'Write 5000 characters');
  const [first, ...others] = scene.said();
  expect(others).toHaveLength(2);
  owner.deletes(first!);
  await scene.rests();
  owner.presses(report, 'Delete it');
  await discord.until('who did', isLabelled(report, 'Deleted by owner'));
  expect(scene.said()).toEqual([]);
  owner.presses(report, 'Deleted by owner');
  await discord.until('that it’s gone', () => told(scene, 'deleted already') === 1);
});

it.each(['all of its messages were', 'its thread was'])(
  'Delete it says that an answer is gone where %s deleted',
  async (what) => {
    const scene = await startDiscordScene();
    const { ada, owner, channel, discord } = scene;
    const root = ada.writes(channel, 'Numbers');
    const thread = discord.threads.open(channel, root.id, { name: 'Numbers' });
    const { answer, report } = await reported(scene, 'Write 3000 characters', thread);
    if (what === 'its thread was') discord.threads.delete(thread);
    else discord.messages.deleteTogether(scene.said(thread));
    await scene.rests();
    expect(answer.deleted || !discord.world.channels.has(thread.id)).toBe(true);
    owner.presses(report, 'Delete it');
    await discord.until('that it’s gone', () => told(scene, 'deleted already') === 1);
    expect(labelsOf(report)).toEqual(['Deleted']);
  },
);

it.each([
  ['archived and locked: once it’s opened', true],
  ['archived, where that has to be opened first', false],
])('Delete it deletes an answer in a thread that’s %s', async (_, isLocked) => {
  const scene = await startDiscordScene({}, { readings: { deleteInArchivedThread: 'refused' } });
  const { ada, owner, channel, discord } = scene;
  const thread = discord.threads.open(channel, ada.writes(channel, 'Numbers').id, { name: 'Numbers' });
  const { answer, report } = await reported(scene, 'Hello', thread);
  ada.closes(thread, isLocked);
  owner.presses(report, 'Delete it');
  if (isLocked) {
    await passes(scene, 30);
    expect(answer.deleted).toBe(false);
    Object.assign(thread.thread!, { archived: false, locked: false });
    discord.events.threadUpdated(thread);
    await passes(scene, 60);
  }
  await discord.until('its end', () => answer.deleted);
});

it.each([
  ['an image', 'imagine'],
  ['a video', 'video'],
])('Delete it says that %s is gone that was deleted', async (_, name) => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, discord } = scene;
  ada.types(scene.channel, { name, options: { prompt: 'a boat' } });
  const made = await discord.until('what’s made', () =>
    [...discord.world.messages.values()].find((one) => labelsOf(one).includes('Report')),
  );
  bob.submits(await discord.opened(bob.presses(made, 'Report')), { reason: 'rude' });
  const report = await discord.until('the report', () => discord.messagesIn(owner.direct())[0]);
  owner.deletes(made);
  await scene.rests();
  expect(scene.said()).toEqual([]);
  owner.presses(report, 'Delete it');
  await discord.until('that it’s gone', () => told(scene, 'deleted already') === 1);
  expect(labelsOf(report)).toEqual(['Deleted']);
});

it('who changed a setting gets reports as an administrator, and none after that', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord, guild, labelled } = scene;
  const eve = discord.addPerson(guild, 'eve');
  const { roles } = promote(scene, eve);
  eve.types(channel, {
    name: 'settings',
    sub: 'moderation',
    options: { blocked_words: 'tar', scope: 'workspace' },
  });
  await discord.until('the change', () =>
    discord.messagesIn(channel, { ephemeral: true }).some(({ content }) => content.includes('✅ Changed')),
  );
  ada.types(channel, { name: 'ask', options: { prompt: 'Hello' } });
  const answer = await labelled('Regenerate');
  ada.submits(await discord.opened(ada.picks(answer, 'Report this')), { reason: 'rude' });
  const toEve = () => discord.messagesIn(eve.direct()).filter(({ content }) => content.includes('🚩'));
  await discord.until('the report', () => toEve().length === 1);
  roles.splice(0);
  bob.submits(await discord.opened(bob.picks(answer, 'Report this')), { reason: 'about eve' });
  const toOwner = () => discord.messagesIn(scene.owner.direct());
  await discord.until('another', () => [...toEve(), ...toOwner()].length === 2);
  expect(toEve()).toHaveLength(1);
  expect(toOwner()[0]?.content).toContain('about eve');
});

// Who can’t view a channel, or a private thread, can’t use their other permissions there
// (topics/permissions, implicit permissions; topics/threads)
it.each(['a channel', 'a private thread'])(
  'a report from %s comes to nobody who can’t view it, and they can’t delete there, whatever else they may in the server',
  async (where) => {
    const scene = await startDiscordScene();
    const { ada, bob, owner, channel, discord, guild } = scene;
    const { ManageGuild, ManageMessages, ViewChannel } = PermissionFlagsBits;
    const role = discord.world.addRole(guild, 'deputies', ManageGuild | ManageMessages);
    const eve = discord.addPerson(guild, 'eve');
    guild.members.get(eve.user.id)!.roles.push(role.id);
    const secret = discord.world.addChannel(guild, 'secret');
    if (where === 'a channel')
      secret.overwrites.push({ id: eve.user.id, type: 'member', allow: 0n, deny: ViewChannel });
    discord.events.guildCreated(guild);
    const audit = discord.world.addChannel(guild, 'audit');
    discord.events.guildCreated(guild);
    const place =
      where === 'a channel' ? secret : discord.threads.openPrivate(secret, ada.user.id, 'Between us');
    for (const { user } of [ada, bob]) place.thread?.members.add(user.id);
    const sets = async (options: Record<string, string>) => {
      const changes = () =>
        discord.aside(channel, eve).filter(({ content }) => content.includes('✅ Changed')).length;
      const before = changes();
      eve.types(channel, {
        name: 'settings',
        sub: 'moderation',
        options: { scope: 'workspace', ...options },
      });
      await discord.until('the change', () => changes() > before);
    };
    await sets({ blocked_words: 'tar' });
    const { answer, report } = await reported(scene, 'Hello', place);
    expect(discord.messagesIn(eve.direct())).toEqual([]);
    expect(labelsOf(report)).toEqual(['Delete it']);
    await sets({ audit_channel: audit.id });
    ada.submits(await discord.opened(ada.picks(answer, 'Report this')), { reason: 'again' });
    const line = await discord.until('the line', () =>
      scene.said(audit).find(({ content }) => content.includes('again')),
    );
    eve.presses(line, 'Delete it');
    await discord.until('why not', () =>
      discord.aside(audit, eve).some(({ content }) => content.includes('Only people who can delete')),
    );
    expect(answer.deleted).toBe(false);
    owner.presses(line, 'Delete it');
    await discord.until('who did', isLabelled(line, 'Deleted by owner'));
    expect(answer.deleted).toBe(true);
  },
);
