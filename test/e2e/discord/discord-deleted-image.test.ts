import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { type DiscordScene, everything, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** Of what's drawn and filmed, one in a minute. */
const oneAMinute = { chat: 60, voice: 60, images: 1, videos: 1, status: 60 };

/** A scene with an image of Ada's, and what it has cost. */
async function startWithImage(options: SandboxOptions = {}) {
  const scene = await startDiscordScene(options);
  scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a cat' } });
  const image = await finished(scene);
  return { scene, image, cost: await scene.spent() };
}

function finished(scene: DiscordScene, after?: Message): Promise<Message> {
  return scene.discord.until('an image', () =>
    scene
      .said()
      .find((one) => one.id !== after?.id && one.files.length > 0 && labelsOf(one).includes('Delete')),
  );
}

/** Bob has something made of an image. */
async function uses(scene: DiscordScene, image: Message, label: string, values: object = {}): Promise<void> {
  scene.bob.submits(await scene.discord.opened(scene.bob.presses(image, label)), {
    prompt: 'the same by night',
    ...values,
  });
  await scene.rests(20);
}

/** What Bob alone can read. */
function forBob(scene: DiscordScene): readonly Message[] {
  const { bob } = scene;
  return everything(scene).filter(
    ({ onlyFor, channelId }) => onlyFor === bob.user.id || channelId === bob.direct().id,
  );
}

describe('an image that a moderator deletes', () => {
  it.each(['Edit', 'To video'])(
    'while %s of it waits for its turn: nothing is bought, and who asked is told at once',
    async (label) => {
      const { scene, image, cost } = await startWithImage({ limits: oneAMinute });
      if (label === 'To video') {
        scene.ada.types(scene.channel, { name: 'video', options: { prompt: 'a boat' } });
        await scene.until('the film is begun', async () => (await scene.spent()) > cost);
      }
      const before = await scene.spent();
      await uses(scene, image, label);
      scene.owner.deletes(image);
      const deletedAt = scene.discord.world.clock.now();
      await scene.discord.until('a word', () =>
        forBob(scene).find(({ content }) => content.includes('no longer available')),
      );
      expect(scene.discord.world.clock.now() - deletedAt).toBeLessThan(10_000);
      await scene.rests(60);
      expect(await scene.spent()).toBe(before);
      expect(scene.said().filter(({ content }) => content.includes('by night'))).toEqual([]);
    },
  );

  it('while an Edit of it is made: what says so goes at once, not only when that’s ready', async () => {
    const { scene, image } = await startWithImage({ renderTime: 600 });
    await uses(scene, image, 'Edit');
    scene.owner.deletes(image);
    await scene.until('that nothing stands', () => scene.said().length === 0);
    expect(forBob(scene).filter(({ files }) => files.length > 0)).toEqual([]);
  });

  it('and that the bot hears of after a restart: nothing is bought of it, and who asked is told', async () => {
    const { scene, image, cost } = await startWithImage({ limits: oneAMinute });
    await uses(scene, image, 'Edit');
    scene.owner.deletes(image);
    await scene.restart();
    await scene.discord.until('a word', () =>
      forBob(scene).find(({ content }) => content.includes('no longer available')),
    );
    expect(await scene.spent()).toBe(cost);
  });

  it('while an Edit of it is made that fails: who asked is told', async () => {
    const { scene, image } = await startWithImage({ renderTime: 20 });
    await uses(scene, image, 'Edit', { prompt: 'by night [[error]]' });
    scene.owner.deletes(image);
    await scene.discord.until('a word', () => forBob(scene).find(({ content }) => content.includes('⚠️')));
    expect(scene.said()).toEqual([]);
  });

  it('while a private Edit of it is made: that comes where it was asked for, to who asked', async () => {
    const { scene, image } = await startWithImage({ renderTime: 20 });
    scene.bob.user.acceptsDirectMessages = false;
    await uses(scene, image, 'Edit', { private: 'true' });
    scene.owner.deletes(image);
    const edited = await scene.discord.until('the edit', () =>
      forBob(scene).find(({ files }) => files.length > 0),
    );
    expect(edited.channelId).toBe(scene.channel.id);
    expect(scene.said()).toEqual([]);
  });
});

it('an edit whose image is deleted while Again draws a new version of it stands, and can be used by everybody; the version comes to its requester alone, who deletes only that', async () => {
  const { scene, image, cost } = await startWithImage({ renderTime: 20 });
  await uses(scene, image, 'Edit');
  const edit = await finished(scene, image);
  const shown = [edit.files[0], labelsOf(edit)];
  scene.bob.presses(edit, 'Again');
  await scene.rests(5);
  scene.owner.deletes(image);
  const version = await scene.discord.until('the version', () =>
    forBob(scene).find(({ files }) => files.length > 0),
  );
  await scene.rests(60);
  expect(scene.said()).toContain(edit);
  expect(scene.said()).not.toContain(version);
  expect([edit.files[0], labelsOf(edit)]).toEqual(shown);
  expect(await scene.spent()).toBe(3 * cost);
  const pressed = scene.ada.presses(edit, 'Edit');
  await scene.discord.until('a response', () => pressed.modal ?? pressed.responseMessageId);
  expect(pressed.modal).toBeDefined();
  scene.bob.presses(version, 'Delete');
  await scene.discord.until('the version is gone', () => !forBob(scene).includes(version));
  await scene.rests(60);
  expect(scene.said()).toContain(edit);
});
