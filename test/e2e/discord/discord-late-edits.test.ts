import { describe, expect, it } from 'vitest';
import type { Message } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import {
  type DiscordScene,
  type DiscordSetting,
  labelsOf,
  startDiscordScene,
} from '../support/discord-scene.ts';

const minute = 60_000;

/** `lateEdit`: whether a message older than an hour takes a few edits, or none. */
const start = (renderTime = 0, readings: DiscordSetting['readings'] = {}) =>
  startDiscordScene({ renderTime }, { readings });

const nextWith = (scene: DiscordScene, label: string, before?: Message): Promise<Message> =>
  scene.discord.until(label, () =>
    scene.said().find((one) => one !== before && labelsOf(one).includes(label)),
  );

async function passes({ discord, until }: DiscordScene, milliseconds: number): Promise<void> {
  let isOver = false;
  discord.world.clock.after(milliseconds, () => {
    isOver = true;
  });
  await until('the time', () => isOver);
}

/** Discord counts its edits before the bot takes it to be old. */
function seemsOld(message: Message): void {
  (message as { createdAt: number }).createdAt -= 120 * minute;
}

const told = ({ discord, channel, ada }: DiscordScene) =>
  discord.aside(channel, ada).filter(({ content }) => content !== '');

describe('a new version of an answer', () => {
  const anew = `Beginning of the new answer. ${'More words of it follow. '.repeat(40)}That was the end.`;
  const first = ['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete', '👍', '👎'];

  async function asked(scene: DiscordScene): Promise<Message> {
    await changeSandbox(scene.sandbox, { answers: ['The first answer.', anew] });
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Tell me' } });
    return nextWith(scene, 'Regenerate');
  }

  // Fact: A message older than an hour takes few edits, an unpublished number (30046; discord-api-docs#4381, #4413)
  it('comes below one of an hour ago, which stays as it is', async () => {
    const scene = await start();
    const message = await asked(scene);
    const { content } = message;
    await changeSandbox(scene.sandbox, { pace: 'human' });
    await passes(scene, 61 * minute);
    scene.ada.presses(message, 'Regenerate');
    const below = await nextWith(scene, 'Regenerate', message);
    expect(below.content).toContain(anew);
    expect(labelsOf(below)).toEqual(first);
    expect([message.content, labelsOf(message), message.lateEdits]).toEqual([content, first, 0]);
  });

  it('ends in its message though an hour passes while it’s written', async () => {
    const scene = await start();
    const message = await asked(scene);
    await passes(scene, 54.5 * minute);
    // Half a word a second.
    await changeSandbox(scene.sandbox, { pace: 0.01 });
    scene.ada.presses(message, 'Regenerate');
    await scene.discord.until('its beginning', () => message.content.includes('Beginning'));
    await scene.discord.until('its pages', () => labelsOf(message).includes('2/2'));
    expect(scene.discord.world.clock.now() - message.createdAt).toBeGreaterThan(60 * minute);
    expect(message.content).toContain(anew);
    expect(labelsOf(message)).toEqual([...first, '‹', '2/2', '›']);
    expect(scene.said()).toEqual([message]);
  });

  it.each([
    ['whose message takes no edit after an hour', 54.5],
    ['whose message takes no edit all at once', 0],
  ])('is whole below one %s', async (_, age) => {
    const scene = await start(0, { lateEdit: age > 0 ? 'refused' : 'works' });
    const message = await asked(scene);
    await passes(scene, age * minute);
    await changeSandbox(scene.sandbox, { pace: 0.01 });
    if (age === 0) seemsOld(message);
    scene.ada.presses(message, 'Regenerate');
    const below = await nextWith(scene, 'Regenerate', message);
    expect(message.content).toContain('Beginning');
    expect(message.content).not.toContain('That was the end.');
    expect(below.content).toContain(`**ada**: Tell me\n${anew}`);
    expect(labelsOf(below)).toEqual(first);
    await passes(scene, minute);
    expect(scene.said()).toEqual([message, below]);
    expect(told(scene)).toEqual([]);
  });
});

describe('an image', () => {
  const buttons = ['Again', 'Edit', 'To video', 'Report', 'Delete'];

  async function drawn(scene: DiscordScene): Promise<Message> {
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a cat' } });
    return nextWith(scene, 'Again');
  }

  it('of an hour ago stays as it is while Again draws another', async () => {
    const scene = await start();
    const image = await drawn(scene);
    const { content } = image;
    await passes(scene, 61 * minute);
    await changeSandbox(scene.sandbox, { render_time: 20 });
    scene.ada.presses(image, 'Again');
    const another = await nextWith(scene, 'Again', image);
    expect([image.content, image.files.length, labelsOf(image), image.lateEdits]).toEqual([
      content,
      1,
      buttons,
      0,
    ]);
    expect(another.files).toHaveLength(1);
    expect(labelsOf(another)).toEqual(buttons);
  });

  it('is replaced by its only late edit where an hour passes while the new version is drawn', async () => {
    const scene = await start();
    const image = await drawn(scene);
    scene.discord.messages.lateEditLimit = 1;
    await passes(scene, 54 * minute);
    await changeSandbox(scene.sandbox, { render_time: 100 });
    scene.ada.presses(image, 'Again');
    await scene.discord.until('its progress', () => image.content.includes('Drawing'));
    await scene.discord.until('its pages', () => labelsOf(image).includes('2/2'));
    expect(scene.discord.world.clock.now() - image.createdAt).toBeGreaterThan(60 * minute);
    expect(image.content).not.toContain('Drawing');
    expect(scene.said().filter(({ files }) => files.length > 0)).toEqual([image]);
  });

  it('stays though Discord takes no more edits of it while a new version is drawn', async () => {
    const scene = await start(20);
    const image = await drawn(scene);
    seemsOld(image);
    scene.ada.presses(image, 'Again');
    const another = await nextWith(scene, 'Again', image);
    expect(another.files).toHaveLength(1);
    await passes(scene, minute);
    expect(scene.said().filter(({ files }) => files.length > 0)).toEqual([image, another]);
  });

  it.each(['works', 'refused'] as const)(
    'that takes longer than an hour leaves no announcement beside it; its late edit: %s',
    async (lateEdit) => {
      const scene = await start(3_660, { lateEdit });
      const image = await drawn(scene);
      expect(scene.discord.world.clock.now() - image.createdAt > 60 * minute).toBe(lateEdit === 'works');
      expect(image.files).toHaveLength(1);
      await passes(scene, minute);
      const [only, notice, ...more] = scene.said();
      expect([only, more]).toEqual([image, []]);
      expect(notice?.content).toContain('Your image is ready.');
      expect(labelsOf(image)).toEqual(buttons);
      expect(scene.said(scene.ada.direct())).toEqual([]);
    },
  );

  it('whose announcement Discord takes no more edits of comes in its place, once, after a restart too', async () => {
    const scene = await start(20);
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a cat' } });
    seemsOld(await scene.discord.until('the announcement', () => scene.said()[0]));
    const image = await nextWith(scene, 'Again');
    await scene.restart();
    await passes(scene, minute);
    expect(scene.said().filter(({ content }) => content.includes('a cat'))).toEqual([image]);
    expect(scene.said(scene.ada.direct())).toEqual([]);
  });
});

it('a video that takes longer than an hour leaves no promise in its thread, nor above that', async () => {
  // Of two hours: the sandbox films ten times as long as it draws.
  const scene = await start(720);
  scene.ada.types(scene.channel, { name: 'video', options: { prompt: 'a cat surfing' } });
  const places = () => [scene.channel, ...scene.discord.world.channels.values()].map(({ id }) => ({ id }));
  const all = () => [...new Set(places().flatMap((place) => scene.said(place)))];
  const film = await scene.discord.until('the video', () => all().find(({ files }) => files.length > 0));
  await passes(scene, minute);
  expect(scene.discord.world.clock.now() - (all()[0]?.createdAt ?? 0)).toBeGreaterThan(60 * minute);
  expect(labelsOf(film)).toContain('Delete');
  expect(all().filter(({ content }) => /I’ll|Rendering/.test(content))).toEqual([]);
});
