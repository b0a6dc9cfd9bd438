import { MessageFlags } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Message, Person } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, passes, startDiscordScene } from '../support/discord-scene.ts';
import { Scrape } from '../support/scrape.ts';

/** By which the first answer takes the place of the loading message. */
const edit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
const isLoading = ({ flags }: Message) => (flags & MessageFlags.Loading) !== 0;

const asks = ({ ada, channel }: DiscordScene, prompt: string) =>
  ada.types(channel, { name: 'ask', options: { prompt } });

/** The message "… is thinking" of the newest command. */
const loadingOf = ({ discord, channel }: DiscordScene) =>
  discord.until('the loading message', () => discord.messagesIn(channel).find(isLoading));

/** Messages that one person alone reads in the channel. */
const aside = ({ discord, channel }: DiscordScene, person: Person) => discord.aside(channel, person);

const canceled = async ({ url }: DiscordScene, command: string) =>
  (await Scrape.of(url())).sum('troupe_commands_total', { command, outcome: 'canceled' });

/** A question waits for its turn behind an answer that doesn't end by itself. */
async function waiting(scene: DiscordScene) {
  asks(scene, 'Tell me about green [[stall]]');
  const growing = await scene.discord.until('the first answer', () => scene.said()[0]);
  asks(scene, 'And about blue?');
  return { growing, loading: await loadingOf(scene) };
}

/** The first answer ends, so that another's turn would come. */
async function stops(scene: DiscordScene, growing: Message): Promise<void> {
  scene.ada.presses(growing, 'Stop');
  await scene.discord.until('the end', () => labelsOf(growing).includes('Delete'));
}

/** A command whose loading message somebody deletes while its first words are on their way; maybe its event is lost. */
async function deletedMeanwhile(
  scene: DiscordScene,
  command: Parameters<Person['types']>[1],
  isTold: boolean,
): Promise<void> {
  const release = scene.discord.faults.hold(edit);
  scene.ada.types(scene.channel, command);
  await scene.discord.until('its words', () => scene.discord.faults.left(edit) === 0);
  const loading = await loadingOf(scene);
  if (isTold) scene.owner.deletes(loading);
  else loading.deleted = true;
  release();
}

describe('a loading message that a moderator deletes', () => {
  it('while its question waits for its turn: that isn’t answered', async () => {
    const scene = await startDiscordScene();
    const { growing, loading } = await waiting(scene);
    scene.owner.deletes(loading);
    await scene.until('its end', async () => (await canceled(scene, 'ask')) === 1);
    await stops(scene, growing);
    const cost = await scene.spent();
    await passes(scene, 1);
    expect(await scene.spent()).toBe(cost);
    expect(scene.said()).toEqual([growing]);
    expect(aside(scene, scene.ada)).toEqual([]);
    expect(scene.said(scene.ada.direct())).toEqual([]);
  });

  it('before its clip is sent to be spoken: that isn’t bought', async () => {
    const scene = await startDiscordScene({
      limits: { chat: 60, voice: 1, images: 60, videos: 60, status: 60 },
    });
    const speaks = (person: Person, text: string) =>
      person.types(scene.channel, { name: 'speak', options: { text } });
    speaks(scene.bob, 'Good morning');
    await scene.withFile();
    const [cost, said] = [await scene.spent(), scene.said()];
    speaks(scene.ada, 'Good evening');
    scene.owner.deletes(await loadingOf(scene));
    await scene.until('its end', async () => (await canceled(scene, 'speak')) === 1);
    await passes(scene, 2);
    expect(await scene.spent()).toBe(cost);
    expect(scene.said()).toEqual(said);
  });
});

describe.each([true, false])('a loading message that a moderator deletes (Discord tells: %s)', (isTold) => {
  it.each([
    ['a clip', { name: 'speak', options: { text: 'Good morning' } }],
    ['an answer', { name: 'ask', options: { prompt: 'Tell me about green [[stall]]' } }],
  ])('with %s on its way: that goes to its requester alone', async (_, command) => {
    const scene = await startDiscordScene();
    await deletedMeanwhile(scene, command, isTold);
    const result = await scene.discord.until('the result', () =>
      aside(scene, scene.ada).find(
        ({ files, content }) => files.length > 0 || content.includes('**This is the sandbox**'),
      ),
    );
    await passes(scene, 1);
    expect(labelsOf(result)).toEqual(['Delete']);
    expect(scene.said()).toEqual([]);
    expect(scene.said(scene.ada.direct())).toEqual([]);
  });

  it('before its image is begun: that isn’t bought', async () => {
    const scene = await startDiscordScene();
    await deletedMeanwhile(scene, { name: 'imagine', options: { prompt: 'a cat' } }, isTold);
    await passes(scene, 1);
    expect(await scene.spent()).toBe(0);
    expect(scene.said()).toEqual([]);
  });

  it.each([
    ['an image', { name: 'imagine', options: { prompt: 'a cat' } }, 'This was deleted.'],
    [
      'a clip that failed',
      { name: 'speak', options: { text: 'Good day [[fail 503]]' } },
      'The service failed.',
    ],
  ])('in place of %s: its requester alone is told why there’s none', async (_, command, why) => {
    const scene = await startDiscordScene();
    await deletedMeanwhile(scene, command, isTold);
    const told = await scene.discord.until('why', () => aside(scene, scene.ada)[0]);
    expect(told.content).toContain(why);
    expect(labelsOf(told)).toEqual(['Try again']);
    expect(scene.said()).toEqual([]);
  });
});

it('a private answer whose loading message its person dismisses reaches them all the same', async () => {
  const scene = await startDiscordScene();
  const release = scene.discord.faults.hold(edit);
  scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'The number is 4711', private: true } });
  await scene.discord.until('the answer', () => scene.discord.faults.left(edit) === 0);
  const loading = await scene.discord.until('the loading message', () =>
    aside(scene, scene.ada).find(isLoading),
  );
  scene.ada.deletes(loading);
  release();
  await scene.discord.until('the answer', () =>
    [...aside(scene, scene.ada), ...scene.said(scene.ada.direct())].some(({ content }) =>
      content.includes('4711'),
    ),
  );
  expect(scene.said()).toEqual([]);
});

it('what the bot itself takes away for a word to its requester alone stops nothing', async () => {
  const scene = await startDiscordScene({
    limits: { chat: 60, voice: 1, images: 60, videos: 60, status: 60 },
  });
  for (const text of ['Good morning', 'Good evening', 'Good night'])
    scene.ada.types(scene.channel, { name: 'speak', options: { text } });
  await scene.discord.until(
    'the clips',
    () => scene.said().filter(({ files }) => files.length > 0).length === 3,
  );
  expect(aside(scene, scene.ada).some(({ content }) => content.includes('queue'))).toBe(true);
});
