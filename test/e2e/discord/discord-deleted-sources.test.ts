import { expect, it } from 'vitest';
import type { Message } from '../../fakes/discord/index.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import {
  type DiscordScene,
  drawn,
  everything,
  finished,
  labelsOf,
  startDiscordScene,
} from '../support/discord-scene.ts';

/** What’s made of messages by menus, buttons and replies in words, once a moderator has deleted those. */

/** A way to have something made of a message: what the message is, and how it's asked for. */
type Way = readonly [
  name: string,
  source: (scene: DiscordScene) => Promise<Message>,
  asks: (scene: DiscordScene, message: Message) => unknown,
];

/** The price of what somebody asked for, with Yes and No. */
const price = (scene: DiscordScene) =>
  scene.discord.until('the price', () =>
    everything(scene).find((one) => labelsOf(one).includes('Yes, go ahead')),
  );
const why = (scene: DiscordScene) =>
  scene.discord.until('why', () =>
    everything(scene).find(({ content }) => content.includes('The result is no longer available')),
  );

/** Bob chooses a command in the menu of a message and sends its form; `before` what happens while that's open. */
async function picks(
  { bob, discord }: DiscordScene,
  message: Message,
  name: string,
  before = async () => {},
): Promise<void> {
  const form = await discord.opened(bob.picks(message, name));
  await before();
  bob.submits(form, name === 'Imagine this' ? { prompt: 'the same by night' } : {});
}

const picture = async (scene: DiscordScene) =>
  scene.ada.writes(scene.channel, 'look', {
    files: [{ name: 'a.png', contentType: 'image/png', bytes: noise(16) }],
  });
async function answered(scene: DiscordScene): Promise<Message> {
  scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'A NASTY SLUR' } });
  return finished(scene);
}
const written = async (scene: DiscordScene) => scene.ada.writes(scene.channel, 'A NASTY SLUR');
/** Ada's image, where each has to be confirmed. */
async function bought(scene: DiscordScene): Promise<Message> {
  const { ada, channel } = scene;
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  ada.presses(await price(scene), 'Yes, go ahead');
  return finished(scene, ({ files }) => files.length > 0);
}
/** Bob has an answer drawn, as its form proposes. */
async function draws({ bob, discord }: DiscordScene, answer: Message): Promise<void> {
  bob.submits(await discord.opened(bob.presses(answer, 'Draw it')), {});
}
/** Bob has something made of an image by a form. */
async function edits({ bob, discord }: DiscordScene, image: Message, label = 'Edit'): Promise<void> {
  bob.submits(await discord.opened(bob.presses(image, label)), { prompt: 'the same by night' });
}
/** Bob replies to a message in words that order something. */
const replies = ({ bob, channel }: DiscordScene, message: Message, order: string) =>
  bob.mentions(channel, `${order}: the same by night`, { replyTo: message });

it.each([
  { name: 'Speak this', whose: 'a person’s message', source: written },
  { name: 'Imagine this', whose: 'a person’s picture', source: picture },
  { name: 'Imagine this', whose: 'an image', source: async (scene: DiscordScene) => drawn(scene) },
])(
  '$name of $whose that’s deleted while its form is open buys nothing, and says why',
  async ({ name, source }) => {
    const scene = await startDiscordScene();
    const message = await source(scene);
    const spent = await scene.spent();
    await picks(scene, message, name, async () => {
      scene.owner.deletes(message);
      await scene.rests(50);
    });
    await why(scene);
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(await scene.spent()).toBe(spent);
  },
);

it.each(['a person’s message', 'an answer'])(
  'Speak this of %s that’s deleted before it’s begun buys nothing, and says why',
  async (whose) => {
    const scene = await startDiscordScene({ pace: 'human' });
    const message = await (whose === 'an answer' ? answered(scene) : written(scene));
    const spent = await scene.spent();
    const route = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
    let release = () => {};
    await picks(scene, message, 'Speak this', async () => {
      release = scene.discord.faults.hold(route);
    });
    await scene.until('the wait', () => scene.discord.faults.left(route) === 0);
    scene.owner.deletes(message);
    await scene.rests(50);
    release();
    await why(scene);
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(await scene.spent()).toBe(spent);
  },
);

const dear: readonly Way[] = [
  ['Imagine this', picture, (scene, message) => picks(scene, message, 'Imagine this')],
  ['Draw it', answered, draws],
  ['Again', bought, ({ ada }, image) => ada.presses(image, 'Again')],
  ['To video', bought, (scene, image) => edits(scene, image, 'To video')],
];
it.each(dear)(
  '%s that’s confirmed after its message was deleted buys nothing, and says why',
  async (_, source, asks) => {
    const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '10' } });
    const { ada, bob } = scene;
    const message = await source(scene);
    const spent = await scene.spent();
    await asks(scene, message);
    const question = await price(scene);
    scene.owner.deletes(message);
    await scene.rests(80);
    (question.onlyFor === ada.user.id ? ada : bob).presses(question, 'Yes, go ahead');
    await why(scene);
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(await scene.spent()).toBe(spent);
  },
);

it('a reply in words to an image that’s confirmed after that was deleted buys nothing, and says why', async () => {
  const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '10' } });
  const image = await bought(scene);
  const spent = await scene.spent();
  replies(scene, image, 'imagine');
  const question = await price(scene);
  scene.owner.deletes(image);
  await scene.rests(80);
  scene.bob.presses(question, 'Yes, go ahead');
  await why(scene);
  await scene.rests(80);
  expect(await scene.spent()).toBe(spent);
});

const made: readonly Way[] = [
  ['Imagine this', drawn, (scene, image) => picks(scene, image, 'Imagine this')],
  ['a reply in words', drawn, (scene, image) => replies(scene, image, 'video')],
  ['Edit', drawn, edits],
  ['Draw it', answered, draws],
];
it.each(made)(
  'what %s makes of something that’s deleted meanwhile comes to its requester alone',
  async (_, source, asks) => {
    const scene = await startDiscordScene({ renderTime: 20 });
    const { bob, discord } = scene;
    const message = await source(scene);
    await asks(scene, message);
    await discord.until('its announcement', () => scene.said().find(({ id }) => id !== message.id));
    await scene.rests(5);
    scene.owner.deletes(message);
    const result = await discord.until('the result', () =>
      everything(scene).find(({ id, files }) => id !== message.id && files.length > 0),
    );
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(result.onlyFor === bob.user.id || result.channelId === bob.direct().id).toBe(true);
  },
);

it.each(['a moderator deletes it', 'its requester presses Delete'])(
  'what Draw it says of an answer goes at once when %s, not only when the image is ready',
  async (how) => {
    const scene = await startDiscordScene({ renderTime: 600 });
    const answer = await answered(scene);
    await draws(scene, answer);
    await scene.discord.until('its announcement', () => scene.said().find(({ id }) => id !== answer.id));
    await scene.rests(5);
    if (how === 'a moderator deletes it') scene.owner.deletes(answer);
    else scene.ada.presses(answer, 'Delete');
    await scene.until('that nothing stands', () => scene.said().length === 0);
    expect(everything(scene).filter(({ files }) => files.length > 0)).toEqual([]);
  },
);

it('what was spoken of a message for its requester alone isn’t shared once that’s deleted', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, channel, discord } = scene;
  const message = ada.writes(channel, 'A NASTY SLUR');
  bob.submits(await discord.opened(bob.picks(message, 'Speak this')), { private: 'true' } as never);
  const clip = await discord.until('the clip', () =>
    everything(scene).find((one) => labelsOf(one).includes('Share here')),
  );
  owner.deletes(message);
  await scene.rests(80);
  bob.presses(clip, 'Share here');
  await why(scene);
  expect(scene.said()).toEqual([]);
});

it('Continue that waits for its turn buys nothing once a moderator has deleted the answer that it goes on with', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { discord, ada, bob, channel, said, labelled } = scene;
  const asks = (question: string) => ada.mentions(channel, question);
  asks('Write 3000 characters about green');
  ada.presses(await labelled('Stop'), 'Stop');
  const stopped = await labelled('Continue');
  asks('Write 3000 characters about blue');
  await labelled('Stop');
  ada.presses(stopped, 'Continue');
  await discord.until('the press', () =>
    discord.journal.requests.some(({ path }) => path.includes('/callback')),
  );
  bob.deletes(stopped);
  await labelled('Regenerate');
  const spent = await scene.spent();
  await scene.rests();
  expect(await scene.spent()).toBe(spent);
  expect(said().filter(({ content }) => content.includes('Continue from where'))).toEqual([]);
});
