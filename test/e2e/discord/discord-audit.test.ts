import { expect, it } from 'vitest';
import type { Message, Person } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { type DiscordScene, labelsOf, promote, startDiscordScene } from '../support/discord-scene.ts';

/** What administrators see of what people do, and how people report what the bot made. */

const done = (message: Message) => labelsOf(message).includes('Regenerate');
const whispers = ({ discord, channel }: DiscordScene, words: string) =>
  discord.messagesIn(channel, { ephemeral: true }).filter(({ content }) => content.includes(words));

async function sets(scene: DiscordScene, options: Record<string, string>, says = '✅ Changed') {
  const { owner, channel, discord } = scene;
  const before = whispers(scene, says).length;
  owner.types(channel, { name: 'settings', sub: 'moderation', options });
  await discord.until(says, () => whispers(scene, says).length > before);
}

/** Chooses it in the form of the settings, which shows the choice when it's opened again. */
async function setsInForm({ owner, channel, discord }: DiscordScene, audit: string) {
  owner.types(channel, { name: 'settings', sub: 'overview', options: { scope: 'workspace' } });
  const page = await discord.until('the settings', () =>
    discord.messagesIn(channel, { ephemeral: true }).find((one) => labelsOf(one).includes('Moderation')),
  );
  const opens = async () => {
    const opened = await discord.opened(owner.presses(page, 'Moderation'));
    return opened;
  };
  owner.submits(await opens(), { audit_channel: [audit] });
  const changed = () => JSON.stringify(page).includes(audit);
  await discord.until('the change', changed);
  expect(JSON.stringify((await opens()).modal)).toContain(`"default_values":[{"id":"${audit}"`);
}

/** @returns the thanks for a vote. */
async function votesBad(scene: DiscordScene, person: Person, message: Message): Promise<Message> {
  const thanks = () => whispers(scene, 'Thanks for the feedback');
  const before = thanks().length;
  person.presses(message, '👎');
  await scene.discord.until('the thanks', () => thanks().length > before);
  return thanks().at(-1) as Message;
}

async function reports(
  scene: DiscordScene,
  person: Person,
  message: Message,
  values: Record<string, string>,
  says: string,
  by: 'menu' | '👎' | 'button' = 'menu',
) {
  const before = whispers(scene, says).length;
  const picked =
    by === 'menu'
      ? person.picks(message, 'Report this')
      : by === 'button'
        ? person.presses(message, 'Report')
        : person.presses(await votesBad(scene, person, message), 'Report this');
  await scene.discord.until('the form', () => picked.modal);
  person.submits(picked, values);
  await scene.discord.until(says, () => whispers(scene, says).length > before);
}

it('an audit channel has one line for what ended, was refused, changed or reported, and nothing that was asked', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  discord.events.guildCreated(guild);
  const elsewhere = discord.world.addGuild({ name: 'Else', owner: owner.user, permissions: 0n });
  const foreign = discord.world.addChannel(elsewhere, 'theirs');
  const lines = () => scene.said(audit).flatMap(({ content }) => content.split('\n'));
  await sets(scene, { audit_channel: foreign.id }, 'can’t find that channel');
  await sets(scene, { audit_channel: `<#${audit.id}>`, blocked_words: 'kraken' });
  expect(lines()[0]).toContain('This is my audit channel now');
  owner.types(channel, { name: 'settings', sub: 'personas', options: { name: 'Pirate', prompt: 'secret' } });
  await discord.until('the persona', () => whispers(scene, 'Pirate').length === 1);
  ada.types(channel, { name: 'ask', options: { prompt: 'Hello secret' } });
  const answer = await scene.labelled('Regenerate');
  ada.types(channel, { name: 'ask', options: { prompt: 'a kraken' } });
  ada.types(channel, { name: 'ask', options: { prompt: 'Hush secret', private: true } });
  ada.types(ada.direct(), { name: 'ask', options: { prompt: 'Between us' } });
  await discord.until('the lines', () => lines().length === 7);
  await changeSandbox(scene.sandbox, { answers: ['Some secret kraken.'] });
  bob.types(channel, { name: 'ask', options: { prompt: 'A secret?' } });
  await scene.saying('can’t show this answer');
  bob.types(channel, { name: 'ask', options: { prompt: '[[filter]] secret' } });
  bob.types(channel, { name: 'ask', options: { prompt: '[[stall]] secret' } });
  const stalled = await discord.until('one that stalls', () =>
    scene
      .said()
      .find((message) => labelsOf(message).includes('Stop') && message.content.includes('Question')),
  );
  bob.presses(stalled, 'Stop');
  await discord.until('their lines', () => lines().length === 10);
  await scene.restart();
  const reason = '@everyone [x](https://evil.example) `a`';
  await reports(scene, bob, answer, { reason }, 'was sent', '👎');
  await reports(scene, bob, answer, { reason }, 'already reported');
  // What a person has forwarded isn't the bot's.
  ada.picks(bob.writes(channel, '', { forwards: answer }), 'Report this');
  await discord.until('why not', () => whispers(scene, 'only pass on').length > 0);
  await discord.until('the report', () => lines().length === 11);
  const report = scene.said(audit).find(({ content }) => content.includes('🚩')) as Message;
  expect(labelsOf(report)).toEqual(['Delete it']);
  const who = (person: Person) => `**${person.user.name}** (\`${person.user.id}\`)`;
  const linkOf = ({ id }: Message) => `https://discord.com/channels/${guild.id}/${channel.id}/${id}`;
  const link = linkOf(answer);
  const filtered = scene.said().find(({ content }) => content.includes('ended the answer here')) as Message;
  // What happened at the same moment is in any order.
  const isAnswered = (line: string) => line.startsWith('✅');
  // Discord shows its name to those who see it.
  const there = `<#${channel.id}>`;
  expect(
    new Set(
      lines()
        .slice(1)
        .filter((line) => !isAnswered(line))
        .map((line) => line.replace(/[\d.–]+ credits/, 'n credits')),
    ),
  ).toEqual(
    new Set([
      `⚙️ ${who(owner)} changed \`blocked_words\` in ${there}`,
      `⚙️ ${who(owner)} changed \`audit_channel\``,
      `⚙️ ${who(owner)} changed \`personas\``,
      `🚫 ${who(ada)} · \`/ask\` · ${there} · blocked by moderation`,
      `🚫 ${who(bob)} · \`/ask svc-llm-1.5\` · ${there} · withheld by moderation · n credits`,
      `⏹️ ${who(bob)} · \`/ask svc-llm-1.5\` · ${there} · stopped · n credits · [open](${linkOf(stalled)})`,
      `⚠️ ${who(bob)} · \`/ask svc-llm-1.5\` · ${there} · ended by the service · n credits · [open](${linkOf(filtered)})`,
      `🚩 ${who(bob)} reported [something I made](${link}) · for ${who(ada)} · \`/ask\` · ${there} · reason: \`@everyone [x](https://evil.example) 'a'\``,
    ]),
  );
  const answered = lines().filter((line) =>
    line.startsWith(`✅ ${who(ada)} · \`/ask svc-llm-1.5\` · ${there} · `),
  );
  expect(answered.map((line) => line.replace(/.*credits · /, '')).toSorted()).toEqual([
    `[open](${link})`,
    'private',
  ]);
  expect(lines().join()).not.toContain('secret');
  bob.presses(report, 'Delete it');
  const refused = () => discord.messagesIn(audit, { ephemeral: true }).map(({ content }) => content);
  await discord.until('why not', () => refused().some((text) => text.includes('Only people who can delete')));
  expect(scene.said().some(({ id }) => id === answer.id)).toBe(true);
  owner.presses(report, 'Delete it');
  await discord.until('who did', () => labelsOf(report)[0] === 'Deleted by owner');
  expect(scene.said().some(({ id }) => id === answer.id)).toBe(false);
  owner.presses(report, 'Deleted by owner');
  await discord.until('that it’s gone', () => refused().some((text) => text.includes('deleted already')));
  expect(
    scene
      .said(audit)
      .flatMap(({ mentions, mentionEveryone }) => [...mentions, ...(mentionEveryone ? [1] : [])]),
  ).toEqual([]);
});

it('where nobody chose a channel, or it’s gone, reports reach an administrator directly, who is told why', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  discord.events.guildCreated(guild);
  const directly = (words: string) =>
    discord.messagesIn(owner.direct()).filter(({ content }) => content.includes(words));
  ada.types(channel, { name: 'ask', options: { prompt: 'Hello' } });
  const answer = await scene.labelled('Regenerate');
  await reports(scene, bob, answer, { reason: 'rude' }, 'was sent');
  await discord.until('the report', () => directly('reason: `rude`').length === 1);
  owner.presses(directly('rude')[0] as Message, 'Delete it');
  await discord.until('who did', () => labelsOf(directly('rude')[0])[0] === 'Deleted by owner');
  expect(scene.said()).toEqual([]);
  // In direct messages whoever runs the bot is told, and may delete it, too.
  const alone = ada.direct();
  ada.types(alone, { name: 'ask', options: { prompt: 'Between us' } });
  const between = await discord.until('the answer', () => discord.messagesIn(alone).find(done));
  ada.submits(await discord.opened(ada.picks(between, 'Report this')), { reason: 'wrong' });
  owner.presses(await discord.until('the report', () => directly('wrong')[0]), 'Delete it');
  await discord.until('its end', () => !discord.messagesIn(alone).some(({ id }) => id === between.id));
  // What somebody has shared of their own everybody sees.
  ada.types(channel, { name: 'ask', options: { prompt: 'Hush', private: true } });
  const hushed = await discord.until('the answer', () =>
    discord.messagesIn(channel, { ephemeral: true }).find((one) => labelsOf(one).includes('Share here')),
  );
  ada.presses(hushed, 'Share here');
  const shared = await discord.until('what’s shared', () => scene.said()[0]);
  await reports(scene, bob, shared, { reason: 'spam' }, 'was sent');
  owner.presses(await discord.until('the report', () => directly('spam')[0]), 'Delete it');
  await discord.until('its end', () => scene.said().length === 0);
  await sets(scene, { audit_channel: audit.id });
  discord.world.channels.delete(audit.id);
  discord.events.channelDeleted(audit);
  ada.types(channel, { name: 'imagine', options: { prompt: 'the end' } });
  const image = await scene.withFile();
  await reports(scene, ada, image, { reason: 'sad' }, 'was sent', 'button');
  await discord.until('why', () => directly('can’t post in the audit channel').length === 1);
  await discord.until('the report', () => directly('reason: `sad`').length === 1);
});

it('that nothing can be posted in the audit channel isn’t told to who chose it and is no administrator any more', async () => {
  const scene = await startDiscordScene();
  const { ada, owner, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  const eve = discord.addPerson(guild, 'eve');
  const { roles } = promote(scene, eve);
  const options = { audit_channel: audit.id, scope: 'workspace' };
  eve.types(channel, { name: 'settings', sub: 'moderation', options });
  await discord.until('the change', () => whispers(scene, '✅ Changed').length === 1);
  roles.splice(0);
  discord.world.channels.delete(audit.id);
  discord.events.channelDeleted(audit);
  ada.types(channel, { name: 'imagine', options: { prompt: 'the end' } });
  const told = (who: Person) =>
    discord
      .messagesIn(who.direct())
      .filter(({ content }) => content.includes('can’t post in the audit channel')).length;
  await discord.until('why', () => told(owner) + told(eve) === 1);
  expect(told(owner)).toBe(1);
});

/** The id of a button. */
function idOf({ components }: Message, label: string): string {
  const rows = components as unknown as { components?: { label: string; custom_id: string }[] }[];
  return rows.flatMap((row) => row.components ?? []).find((one) => one.label === label)?.custom_id ?? '';
}

it('what’s made in one channel, as in one that’s age-restricted, is carried to no other: not by its buttons, lists or lines', async () => {
  const scene = await startDiscordScene({ renderTime: 60 });
  const { ada, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  const adult = discord.world.addChannel(guild, 'adult');
  discord.events.guildCreated(guild);
  await setsInForm(scene, audit.id);
  const there = () => discord.messagesIn(adult, { ephemeral: true });
  const has = (label: string) => there().find((one) => labelsOf(one).includes(label));
  ada.types(adult, { name: 'imagine', options: { prompt: 'secret picture' } });
  ada.types(adult, { name: 'ask', options: { prompt: 'repeat: secret thread', thread: true } });
  ada.types(adult, { name: 'ask', options: { prompt: 'repeat: secret aside', private: true } });
  const own = await discord.until('the private answer', () => has('Share here'));
  const answer = await discord.until('the answer', () => has('Reply'));
  ada.types(channel, { name: 'renders' });
  await discord.until('the list', () => whispers(scene, 'Nothing is being rendered here').length === 1);
  ada.types(channel, { name: 'ask', options: { prompt: 'What did I ask before?' } });
  const other = await scene.labelled('Regenerate');
  for (const [message, label] of [
    [own, 'Share here'],
    [answer, 'Regenerate'],
    [await discord.until('the image', () => has('Again')), 'Again'],
  ] as const) {
    const before = whispers(scene, 'This button has expired').length;
    ada.forges(other, 'Regenerate', idOf(message, label));
    await discord.until('why not', () => whispers(scene, 'This button has expired').length > before);
  }
  await discord.until('the lines', () => JSON.stringify(scene.said(audit)).includes('imagine'));
  const elsewhere = [channel, audit].flatMap((one) => discord.messagesIn(one, { ephemeral: true }));
  expect(elsewhere.length).toBeGreaterThan(6);
  expect(
    JSON.stringify(
      elsewhere.map(({ content, components, files }) => [content, components, files.map(({ name }) => name)]),
    ),
  ).not.toContain('secret');
});

it('what the reason of a report hides stays hidden in the audit channel', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  discord.events.guildCreated(guild);
  await sets(scene, { audit_channel: `<#${audit.id}>` });
  ada.types(channel, { name: 'ask', options: { prompt: 'Hello' } });
  const reason = 'It tells || the `end` || of it';
  await reports(scene, bob, await scene.labelled('Regenerate'), { reason }, 'was sent');
  const { content } = await scene.saying('🚩', audit);
  expect(content).toContain("reason: `It tells`||`the 'end'`||`of it`");
});

it('a name or a reason that AutoMod blocks doesn’t keep the audit channel from what’s told', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, channel, discord, guild } = scene;
  const audit = discord.world.addChannel(guild, 'audit');
  discord.events.guildCreated(guild);
  await sets(scene, { audit_channel: `<#${audit.id}>` });
  guild.moderation.words = ['darn'];
  const rude = discord.addPerson(guild, 'darn');
  const asks = async (person: Person, words: string) => {
    person.mentions(channel, `repeat: ${words}`);
    return scene.saying(words);
  };
  await asks(rude, 'one');
  await scene.saying(`(\`${rude.user.id}\`)`, audit);
  const answer = await asks(ada, 'two');
  await scene.saying('**ada**', audit);
  await reports(scene, bob, answer, { reason: 'It says darn' }, 'was sent');
  const report = await scene.saying('🚩', audit);
  expect(labelsOf(report)).toEqual(['Delete it']);
  await asks(bob, 'three');
  await scene.saying('✅ **bob**', audit);
  expect(scene.said(owner.direct())).toEqual([]);
});
