import { expect, it } from 'vitest';
import { videoCredits } from '../../../src/credits/index.ts';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { type DiscordScene, labelsOf, passes, startDiscordScene } from '../support/discord-scene.ts';
import { Scrape } from '../support/scrape.ts';

/** The announcement of what's being made, which a moderator deletes. */
async function isDeleted({ bob, saying }: DiscordScene): Promise<void> {
  const message = await saying('Drawing');
  bob.deletes(message);
}

/** Who got something alone can take it away; it's the one thing left to do with it. */
async function deletesAlone({ discord, ada }: DiscordScene, alone: () => readonly Message[]): Promise<void> {
  const last = alone().at(-1);
  if (!last) throw new Error('nothing came');
  expect(alone().flatMap(labelsOf)).toEqual(['Delete']);
  ada.presses(last, 'Delete');
  await discord.until('nothing is left', () => alone().length === 0);
}

it('an image whose announcement somebody deletes goes to its requester alone', async () => {
  const scene = await startDiscordScene({ renderTime: 2 });
  const { discord, channel, ada } = scene;
  const hasImage = (place: { readonly id: string }, ephemeral: boolean) =>
    discord.messagesIn(place, { ephemeral }).some(({ files }) => files.length > 0);
  ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  await isDeleted(scene);
  // A mention leaves no token.
  ada.mentions(channel, 'imagine a lighthouse');
  await isDeleted(scene);
  await discord.until('the image', () => hasImage(channel, true));
  const alone = discord.messagesIn(channel, { ephemeral: true }).filter(({ files }) => files.length > 0);
  expect(alone).toMatchObject([{ onlyFor: ada.user.id }]);
  await discord.until('the image', () => hasImage(ada.direct(), false));
  expect(scene.said(ada.direct())).toHaveLength(1);
  expect(scene.said()).toEqual([]);
  await deletesAlone(scene, () => scene.said(ada.direct()));
  await deletesAlone(scene, () =>
    discord.messagesIn(channel, { ephemeral: true }).filter(({ files }) => files.length > 0),
  );
});

it('a video whose thread somebody deletes goes to its requester alone, also where nobody told the bot', async () => {
  const scene = await startDiscordScene({ renderTime: 1 });
  const { discord, ada, channel } = scene;
  const said = (prompt: string) => scene.said().find(({ content }) => content.includes(prompt));
  const begun = async (prompt: string) => {
    ada.types(channel, { name: 'video', options: { prompt, duration: 4 } });
    return discord.until('its thread', () => {
      const root = said(prompt);
      const thread = root && discord.world.channels.get(root.id);
      return thread && scene.said(thread)[0] && thread;
    });
  };
  const [heard, unheard] = [await begun('a boat'), await begun('a train')];
  discord.threads.delete(heard);
  await discord.until('the announcement is gone', () => !said('a boat'));
  discord.world.channels.delete(unheard.id);
  const alone = () =>
    discord.messagesIn(channel, { ephemeral: true }).filter(({ onlyFor, files }) => onlyFor && files.length);
  await discord.until('the videos', () => alone().length === 2);
  expect(scene.said().flatMap(({ files }) => files)).toEqual([]);
});

/** A question to the bot in a mention. */
const asks = ({ ada, channel }: DiscordScene, question: string) => ada.mentions(channel, question);
/** A question whose answer has begun to grow, and never ends by itself. */
async function growing(scene: DiscordScene): Promise<{ question: Message; answer: Message }> {
  const question = asks(scene, 'Tell me about green [[stall]]');
  const answer = await scene.discord.until('the answer', () => scene.said()[0]);
  return { question, answer };
}
/** The service counts what was written once its stream is closed. */
const isStopped = (scene: DiscordScene) =>
  scene.until('the end of the stream', async () => (await scene.spent()) > 0);

it('a growing answer that somebody deletes stops, and goes to its requester alone', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, bob } = scene;
  const { answer } = await growing(scene);
  bob.deletes(answer);
  await isStopped(scene);
  const alone = await discord.until('what was written', () => scene.said(ada.direct())[0]);
  expect(alone.content).toContain('it was deleted there');
  expect(alone.content).toContain('**This is the sandbox**');
  expect(scene.said()).toEqual([]);
  await deletesAlone(scene, () => scene.said(ada.direct()));

  // A command's too, whose token still works.
  ada.types(scene.channel, { name: 'ask', options: { prompt: 'Tell me about blue [[stall]]' } });
  const hidden = () => discord.aside(scene.channel, ada);
  bob.deletes(await discord.until('the answer', () => scene.said()[0]));
  await discord.until('what was written', () =>
    hidden().some(({ content }) => content.includes('**This is the sandbox**')),
  );
  expect(scene.said()).toEqual([]);
  await deletesAlone(scene, hidden);
});

it('a growing answer stops by itself where Discord doesn’t tell that somebody deleted it', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { discord, ada } = scene;
  asks(scene, 'Write 6000 characters about green');
  const answer = await discord.until('the answer', () => scene.said()[0]);
  // Its event is lost.
  answer.deleted = true;
  await isStopped(scene);
  const alone = await discord.until('what was written', () => scene.said(ada.direct())[0]);
  expect(alone.content).toContain('it was deleted there');
  expect(scene.said(ada.direct())).toHaveLength(1);
  expect(scene.said()).toEqual([]);
});

it.each([
  ['an answer', { name: 'ask', options: { prompt: 'Write 6000 characters about green' } }],
  ['a video', { name: 'video', options: { prompt: 'a boat', duration: 4 } }],
  ['an image', { name: 'imagine', options: { prompt: 'a boat' } }],
])(
  '%s that somebody deletes where the bot isn’t a member goes to its requester alone, too',
  async (_, command) => {
    const scene = await startDiscordScene({ pace: 3, renderTime: 5 });
    const { discord, ada, owner } = scene;
    const elsewhere = { name: 'Else', owner: owner.user, permissions: invited, hasBot: false };
    const server = discord.world.addGuild(elsewhere);
    discord.world.addMember(server, ada.user);
    const channel = discord.world.addChannel(server, 'theirs');
    ada.types(channel, command);
    const begun = await discord.until('its beginning', () => scene.said(channel)[0]);
    if (command.name !== 'ask') await scene.until('its order', async () => (await scene.spent()) > 0);
    owner.deletes(begun);
    await isStopped(scene);
    const hidden = () => discord.aside(channel, ada);
    await discord.until('what was made', () => hidden()[0] ?? scene.said(channel)[0]);
    expect(scene.said(channel)).toEqual([]);
    await deletesAlone(scene, hidden);
  },
);

it('a question that somebody deletes isn’t answered: while its answer grows, while it waits, or when it just came', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, bob } = scene;
  const { question, answer } = await growing(scene);
  bob.deletes(asks(scene, 'And blue?'));
  const removal = 'DELETE /channels/{channel_id}/messages/{message_id}';
  discord.faults.next(removal, { kind: 'error', status: 502 }, 5);
  bob.deletes(question);
  await isStopped(scene);
  await discord.until('nothing is left', () => scene.said().length === 0);
  // Until it could be taken away nothing more was written there.
  expect(labelsOf(answer)).toEqual(['Stop']);
  asks(scene, 'The number is 4711');
  await discord.until('the next answer', () => scene.said()[0]?.content.includes('4711'));
  expect(scene.said()).toHaveLength(1);
  expect(scene.said(ada.direct())).toEqual([]);
});

it('that a clip failed whose question somebody deletes meanwhile is told to its requester alone, who can try again', async () => {
  const scene = await startDiscordScene();
  const { discord, channel, ada, bob } = scene;
  const question = ada.mentions(channel, 'speak: good morning [[stall]]');
  // The service is at it.
  await passes(scene, 0.1);
  bob.deletes(question);
  const told = await discord.until('the reason', () => scene.said(ada.direct())[0]);
  expect(told.content).toContain('took too long');
  expect(labelsOf(told)).toEqual(['Try again']);
  expect(scene.said()).toEqual([]);
});

it.each([
  { within: 'at once', milliseconds: 500 },
  { within: 'within a minute', milliseconds: 40_000 },
])(
  'videos that wait for their turn aren’t bought where their questions are deleted while the bot restarts, and Discord tells it $within',
  async ({ milliseconds }) => {
    // The first one mustn’t be ready before the restart.
    const scene = await startDiscordScene({ limits: { ...ratesPerMinute, videos: 1 }, renderTime: 60 });
    const { discord, sandbox, owner } = scene;
    const renders = async (state?: 'waiting') =>
      (await Scrape.of(scene.url())).sum('troupe_renders', state && { state });
    const questions = ['a boat', 'a train', 'a kite'].map((prompt) => asks(scene, `video: ${prompt}`));
    const isAnnounced = ({ content }: Message) => content.startsWith('> a ');
    await discord.until('the announcements', () => scene.said().filter(isAnnounced).length === 3);
    await scene.until('the first one', async () => (await renders('waiting')) === 1);
    await scene.restart(async () => {
      for (const question of questions) owner.deletes(question);
      await changeSandbox(sandbox, { limits: 'off' });
      // Discord tells of it over the network.
      discord.gateway.helloAfter = milliseconds;
    });
    await scene.until('the end of all', async () => (await renders()) === 0);
    expect(await scene.spent()).toBe(videoCredits({ quality: 'balanced' }));
    expect(scene.said()).toEqual([]);
  },
);
