import { describe, expect, it } from 'vitest';
import { type Channel, refusals } from '../../fakes/discord/index.ts';
import { type DiscordScene, startDiscordScene } from '../support/discord-scene.ts';

const video = { prompt: 'a cat surfing', duration: 4, resolution: '480p' };
const image = { prompt: 'a lighthouse' };
const create = 'POST /channels/{channel_id}/messages';
const patch = 'PATCH /channels/{channel_id}/messages/{message_id}';

const refused = ({ discord }: DiscordScene) =>
  discord.journal.requests.filter(({ status }) => status === 401 || status === 403);
const filesIn = (scene: DiscordScene, place: Pick<Channel, 'id'>) =>
  scene.said(place).filter(({ files }) => files.length > 0);
const textsIn = (scene: DiscordScene, place: Pick<Channel, 'id'>) =>
  scene.said(place).map(({ content }) => content);
/** What nobody may be left with. */
const promises = /Drawing|Rendering|post it here/;
const promised = (scene: DiscordScene, place: Pick<Channel, 'id'>) =>
  textsIn(scene, place).filter((text) => promises.test(text));

/** Direct messages are closed: what isn't in the thread is nowhere. */
async function startThread({ withBot = true } = {}) {
  const scene = await startDiscordScene();
  scene.ada.user.acceptsDirectMessages = false;
  const thread = scene.discord.threads.openPrivate(scene.channel, scene.ada.user.id, 'Between us', {
    withBot,
  });
  const type = (name: string, options: Readonly<Record<string, string | number>>) =>
    scene.ada.types(thread, { name, options: { ...options } });
  return { scene, thread, type };
}

// Fact: Private threads without the bot offer its commands, whose tokens work; else 50001 (Crownicles#4575,
// FireDiscordBot/bot#102)
it('in a private thread without the bot everything comes there by the token', async () => {
  const { scene, thread, type } = await startThread({ withBot: false });
  type('imagine', image);
  type('video', video);
  type('speak', { text: 'Hello there' });
  type('ask', { prompt: 'What is a lighthouse?' });
  await scene.discord.until('the results', () => filesIn(scene, thread).length === 3);
  await scene.discord.until('their ends', () => promised(scene, thread).length === 0);
  await scene.discord.until('the answer', () => textsIn(scene, thread).length >= 5);
  expect(refused(scene)).toEqual([]);
});

it('the bot writes as itself in a private thread it’s in, after a restart, too', async () => {
  const { scene, thread, type } = await startThread();
  const posts = () => scene.discord.journal.requests.filter(({ route }) => route === create).length;
  type('video', video);
  await scene.discord.until('the result', () => filesIn(scene, thread).length === 1);
  const before = posts();
  expect(before).toBe(1);
  await scene.restart();
  type('video', video);
  await scene.discord.until('the next', () => filesIn(scene, thread).length === 2);
  expect(posts()).toBe(2 * before);
});

describe('of what the bot doesn’t know it was taken out of', () => {
  /** It's told of nothing: its requests are refused. */
  async function takenOut() {
    const started = await startThread();
    const refusal = { kind: 'refuse', refusal: refusals.missingAccess() } as const;
    for (const route of [create, patch])
      started.scene.discord.faults.next(route, refusal, 1_000, started.thread.id);
    return started;
  }

  it('an image comes by the token, in the place of its announcement', async () => {
    const { scene, thread, type } = await takenOut();
    type('imagine', image);
    await scene.discord.until('the result', () => filesIn(scene, thread).length > 0);
    expect(promised(scene, thread)).toEqual([]);
  });

  it('a video comes by the token, below its announcement', async () => {
    const { scene, thread, type } = await takenOut();
    type('video', video);
    await scene.discord.until('the result', () => filesIn(scene, thread).length > 0);
    await scene.discord.until('its end', () => promised(scene, thread).length === 0);
  });
});
