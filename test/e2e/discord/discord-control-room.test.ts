import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { ControlState, TrailStep } from '../../../src/port/index.ts';
import type { Channel } from '../../fakes/discord/index.ts';
import { displayedTexts } from '../../fakes/discord/rules/gallery-rules.ts';
import { enteredBy, type Visitor } from '../../platforms/console/support/visitor.ts';
import { deny, type DiscordScene, passes, startDiscordScene } from '../support/discord-scene.ts';

const token = 'a token of thirty-two characters';
const environment = { CONSOLE: 'on', CONSOLE_TOKEN: token };

/** Everything that the bot has said in a place, what one person alone sees included, and what they were told directly. */
const texts = ({ discord }: DiscordScene, place: Pick<Channel, 'id'>): readonly string[] =>
  discord
    .messagesIn(place, { ephemeral: true })
    .filter(({ authorId }) => authorId === discord.world.bot.id)
    .map(({ content, components }) => [content, ...displayedTexts(components)].join(''));

async function enter(scene: DiscordScene): Promise<Visitor> {
  const body = new URLSearchParams({ token });
  const url = scene.url();
  return enteredBy(url, await fetch(`${url}/console/session`, { method: 'POST', redirect: 'manual', body }));
}

it('the operator cancels a render, and limits a server, whatever its administrators choose', async () => {
  const scene = await startDiscordScene({ renderTime: 5 }, { environment });
  const { discord, ada, owner, channel, guild } = scene;
  const operator = await enter(scene);
  const audit = discord.world.addChannel(guild, 'audit');
  discord.events.guildCreated(guild);
  owner.types(channel, { name: 'settings', sub: 'moderation', options: { audit_channel: audit.id } });
  const state = () => operator.json<ControlState>('control');
  const act = async (action: string, body: object) =>
    (await operator.json<{ outcome: string }>(`control/${action}`, body)).outcome;
  const at = { platform: 'discord', workspace: guild.id };
  const says = (words: string, times = 1) =>
    discord.until(words, () => texts(scene, channel).filter((text) => text.includes(words)).length >= times);

  // The service says when to come back; until then what comes next waits.
  ada.types(channel, { name: 'imagine', options: { prompt: 'first [[rate limit 60 once]]' } });
  await says('first');
  ada.types(channel, { name: 'imagine', options: { prompt: 'second' } });
  await says('in the queue');
  const seen = await state();
  expect(seen.places).toMatchObject([{ ...at, name: guild.name, isOff: false, ceiling: 0 }]);
  const second = seen.live.at(-1);
  expect(second).toMatchObject({ command: 'imagine', stage: 'queued', person: 'ada', canCancel: true });
  expect(JSON.stringify(seen)).not.toContain('second');
  expect(await act('cancel', { job: second?.id })).toBe('done');
  await says('Canceled. Nothing was spent.');
  expect(await act('cancel', { job: second?.id })).toBe('unchanged');
  expect(await act('cancel', { job: 'made-up' })).toBe('unknown');
  await scene.withFile();
  await passes(scene, 1);
  // What was set aside for the second is given back.
  const { spending, live, places } = await state();
  expect(live).toEqual([]);
  expect(spending.days.reduce((sum, { kinds }) => sum + kinds.image, 0)).toBe(await scene.spent());
  expect(places[0]).toMatchObject({ credits: await scene.spent(), calls: 1 });

  ada.types(channel, { name: 'ask', options: { prompt: 'hello [[fail]]' } });
  await passes(scene, 5);
  const [fault] = (await state()).faults;
  expect(fault).toMatchObject({ command: 'ask', ...at, what: expect.stringContaining('Error') });
  const { steps } = await operator.json<{ steps: TrailStep[] }>(`control/trail?job=${fault?.id}`);
  expect(steps.map(({ step }) => step)).toEqual(expect.arrayContaining(['command', 'call', 'post']));
  expect(steps.find(({ step }) => step === 'call')?.request ?? fault?.request).toMatch(/\w/);

  expect(await act('switch', { ...at, off: true })).toBe('done');
  expect(await act('switch', { ...at, off: true })).toBe('unchanged');
  ada.types(channel, { name: 'ask', options: { prompt: 'are you there?' } });
  await says('The people who run me have turned me off here.');
  for (const options of [{ scope: 'workspace', off: 'none' }, { off: 'none' }])
    owner.types(channel, { name: 'settings', sub: 'commands', options });
  await passes(scene, 1);
  owner.types(channel, { name: 'ask', options: { prompt: 'and now?' } });
  await says('The people who run me have turned me off here.', 2);
  expect(await act('switch', { ...at, off: false })).toBe('done');

  expect(await act('ceiling', { ...at, credits: 0.001 })).toBe('done');
  const exempt = { scope: 'workspace', exempt_administrators: 'on', server_credits: '0' };
  owner.types(channel, { name: 'settings', sub: 'budgets', options: exempt });
  await passes(scene, 1);
  owner.types(channel, { name: 'ask', options: { prompt: 'for free?' } });
  await says('budget');
  expect(await act('ceiling', { ...at, credits: 0 })).toBe('done');
  ada.types(channel, { name: 'ask', options: { prompt: 'once more' } });
  await says('once more');

  ada.user.acceptsDirectMessages = false;
  ada.mentions(channel, 'imagine a lighthouse');
  await says('Drawing…');
  deny(scene, PermissionFlagsBits.ViewChannel);
  await passes(scene, 5);
  const held = (await state()).live[0];
  expect(held).toMatchObject({ command: 'imagine', stage: 'held', canRetry: true });
  deny(scene, 0n);
  const before = scene.said().filter(({ files }) => files.length > 0).length;
  const spent = await scene.spent();
  expect(await act('retry', { job: held?.id })).toBe('done');
  // By itself it would be tried again within the hour.
  await passes(scene, 1);
  expect(scene.said().filter(({ files }) => files.length > 0).length).toBe(before + 1);
  expect(await act('retry', { job: held?.id })).toBe('unchanged');
  expect(await scene.spent()).toBe(spent);

  // Administrators learn what was limited, and of nobody's name.
  const limited = () => texts(scene, audit).flatMap((text) => text.match(/^⚙️ The people .*$/gm) ?? []);
  await discord.until('the lines', () => limited().length >= 4);
  const line = (name: string) => `⚙️ The people who run me changed \`${name}\``;
  // What happened at the same moment is in any order.
  expect(limited().toSorted()).toEqual(['off', 'off', 'server_credits', 'server_credits'].map(line));

  expect(await act('test', { id: 'test-one' })).toBe('done');
  expect(await act('test', { id: 'test-one' })).toBe('done');
  const told = texts(scene, owner.direct()).filter((text) => text.includes('A test from the control room'));
  expect(told.length).toBe(1);
});
