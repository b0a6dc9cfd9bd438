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

/** What’s made of messages by menus, Draw it and replies in words, once a moderator has deleted those. */

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

const picture = (scene: DiscordScene) =>
  scene.ada.writes(scene.channel, 'look', {
    files: [{ name: 'a.png', contentType: 'image/png', bytes: noise(16) }],
  });
async function answered(scene: DiscordScene): Promise<Message> {
  scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'A NASTY SLUR' } });
  return finished(scene);
}
const written = async (scene: DiscordScene) => scene.ada.writes(scene.channel, 'A NASTY SLUR');
/** Bob replies to a message in words that order something. */
const replies = ({ bob, channel }: DiscordScene, message: Message, order: string) =>
  bob.mentions(channel, `${order}: the same by night`, { replyTo: message });

it.each([
  { name: 'Speak this', whose: 'a person’s message', source: written },
  {
    name: 'Imagine this',
    whose: 'a person’s picture',
    source: async (scene: DiscordScene) => picture(scene),
  },
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

it.each(['Imagine this', 'Draw it'])(
  '%s that’s confirmed after its message was deleted buys nothing, and says why',
  async (name) => {
    const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '10' } });
    const message = await (name === 'Draw it' ? answered(scene) : picture(scene));
    const spent = await scene.spent();
    if (name === 'Draw it') await draws(scene, message);
    else await picks(scene, message, name);
    const question = await price(scene);
    scene.owner.deletes(message);
    await scene.rests(80);
    scene.bob.presses(question, 'Yes, go ahead');
    await why(scene);
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(await scene.spent()).toBe(spent);
  },
);

it('a reply in words to an image that’s confirmed after that was deleted buys nothing, and says why', async () => {
  const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '10' } });
  const { ada, bob, channel } = scene;
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  ada.presses(await price(scene), 'Yes, go ahead');
  const image = await finished(scene, ({ files }) => files.length > 0);
  const spent = await scene.spent();
  replies(scene, image, 'imagine');
  const question = await price(scene);
  scene.owner.deletes(image);
  await scene.rests(80);
  bob.presses(question, 'Yes, go ahead');
  await why(scene);
  await scene.rests(80);
  expect(await scene.spent()).toBe(spent);
});

it.each(['Imagine this', 'video'])(
  'what %s makes of an image that’s deleted meanwhile comes to its requester alone',
  async (how) => {
    const scene = await startDiscordScene({ renderTime: 20 });
    const { bob, discord } = scene;
    const image = await drawn(scene);
    if (how === 'Imagine this') await picks(scene, image, how);
    else replies(scene, image, how);
    await discord.until('its announcement', () =>
      scene.said().find(({ id, content }) => id !== image.id && content.includes('by night')),
    );
    await scene.rests(5);
    scene.owner.deletes(image);
    const result = await discord.until('the result', () =>
      everything(scene).find(({ id, files }) => id !== image.id && files.length > 0),
    );
    await scene.rests(80);
    expect(scene.said()).toEqual([]);
    expect(result.onlyFor === bob.user.id || result.channelId === bob.direct().id).toBe(true);
  },
);

it('what Draw it makes of an answer that’s deleted meanwhile comes to its requester alone', async () => {
  const scene = await startDiscordScene({ renderTime: 20 });
  const answer = await answered(scene);
  await draws(scene, answer);
  await scene.discord.until('its announcement', () => scene.said().find(({ id }) => id !== answer.id));
  await scene.rests(5);
  scene.owner.deletes(answer);
  const image = await scene.discord.until('the result', () =>
    everything(scene).find(({ files }) => files.length > 0),
  );
  await scene.rests(80);
  expect(scene.said()).toEqual([]);
  expect(image.onlyFor).toBe(scene.bob.user.id);
});

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

/** Bob has an answer drawn, as its form proposes. */
async function draws({ bob, discord }: DiscordScene, answer: Message): Promise<void> {
  bob.submits(await discord.opened(bob.presses(answer, 'Draw it')), {});
}

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
