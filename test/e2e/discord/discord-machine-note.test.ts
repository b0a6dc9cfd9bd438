import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import type { Channel, Message, Person } from '../../fakes/discord/index.ts';
import { labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const note = '-# Made with AI';
/** How often a message, or several together, say it. */
const count = (...messages: readonly (Message | undefined)[]) =>
  messages
    .map((one) => one?.content ?? '')
    .join('\n')
    .split(note).length - 1;

it('what’s made with AI says so where administrators want that: once, in every version', async () => {
  const { ada, channel, discord, owner, rests, said } = await startDiscordScene();
  const chooses = async (machine_note: string) => {
    owner.types(channel, { name: 'settings', sub: 'answers', options: { machine_note } });
    await rests();
  };
  /** What a command brings, and the thread that it opened. */
  const gets = async (name: string, options: Record<string, string | number | boolean>) => {
    const before = said().length;
    const threads = new Set(discord.world.channels.keys());
    ada.types(channel, { name, options });
    await rests();
    const thread = [...discord.world.channels.values()].find(({ id }) => !threads.has(id));
    return [...said().slice(before), ...(thread ? said(thread as Channel) : [])];
  };
  const presses = async (message: Message, label: string) => {
    ada.presses(message, label);
    await rests();
  };
  expect(count(...(await gets('imagine', { prompt: 'a kite' })))).toBe(0);
  await chooses('media');
  expect(count(...(await gets('ask', { prompt: 'repeat: hello' })))).toBe(0);
  const [image] = await gets('imagine', { prompt: 'a kite' });
  expect(image?.content.endsWith(`\n${note}`)).toBe(true);
  for (const label of ['Again', '‹']) {
    await presses(image!, label);
    expect(labelsOf(image)).toContain(label === '‹' ? '1/2' : '2/2');
    expect(count(image)).toBe(1);
  }
  expect(count(...(await gets('video', { prompt: 'a kite', duration: 4 })))).toBe(1);
  expect(count(...(await gets('speak', { text: 'a kite', format: 'mp3' })))).toBe(1);
  await chooses('everything');
  const [answer] = await gets('ask', { prompt: 'Write 200 characters about green' });
  expect(answer?.content.endsWith(`\n\n${note}`)).toBe(true);
  expect(labelsOf(answer)).not.toContain('Continue');
  for (const label of ['Regenerate', '‹']) {
    await presses(answer!, label);
    expect(count(answer)).toBe(1);
  }
  const long = await gets('ask', { prompt: 'Write 5000 characters about green' });
  expect(long.length).toBeGreaterThan(2);
  expect(count(...long)).toBe(1);
  expect(count(long.at(-1))).toBe(1);
});

it('the first answer that somebody gets in direct messages says that they talk to a machine, and no other', async () => {
  const { ada, bob, owner, rests, restart, said } = await startDiscordScene();
  const line = words('en').firstContact;
  const gets = async (person: Person, what: string) => {
    const before = said(person.direct()).length;
    person.writes(person.direct(), what);
    await rests();
    return said(person.direct()).slice(before);
  };
  const [first] = await gets(ada, 'repeat: hello');
  expect(first?.content).toBe(`hello\n\n${line}`);
  await restart();
  expect((await gets(ada, 'repeat: hello again')).map(({ content }) => content)).toEqual(['hello again']);
  const [image] = await gets(bob, 'imagine: a kite');
  expect(image?.content).toContain(`\n${line}`);
  expect((await gets(bob, 'repeat: hello')).map(({ content }) => content)).toEqual(['hello']);
  // An image that never came has told nobody.
  await gets(owner, 'imagine: a kite [[filter]]');
  expect(said(owner.direct()).some(({ content }) => content.includes(line))).toBe(false);
  expect((await gets(owner, 'repeat: hello')).map(({ content }) => content)).toEqual([`hello\n\n${line}`]);
});
