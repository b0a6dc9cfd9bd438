import { expect, it } from 'vitest';
import type { FakeClock } from '../../fakes/clock.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const callback = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
const withFiles = ({ said }: DiscordScene) => said().filter(({ files }) => files.length > 0);

/** A scene with an image. */
async function startWithImage(): Promise<DiscordScene> {
  const scene = await startDiscordScene();
  const { ada, channel, until } = scene;
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  await until('the image', () => withFiles(scene).length === 1);
  return scene;
}

const forms = [
  {
    form: 'Edit',
    values: { prompt: 'a dog' },
    open: (scene: DiscordScene) => scene.ada.presses(withFiles(scene)[0]!, 'Edit'),
  },
  {
    form: 'Speak this',
    values: { text: 'hello everybody' },
    open: ({ ada, channel }: DiscordScene) => ada.picks(ada.writes(channel, 'hello everybody'), 'Speak this'),
  },
];

// Fact: A form whose response failed stays open and is sent again by another interaction (discord-modals#9, #52)
it.each(forms)(
  '$form whose response comes too late, sent again, is carried out once',
  async ({ open, values }) => {
    const scene = await startWithImage();
    const { ada, channel, discord, until } = scene;
    const opened = open(scene);
    await until('the form', () => Boolean(opened.modal));
    const before = await scene.spent();
    const release = discord.faults.hold(callback);
    const first = ada.submits(opened, values);
    await until('its response', () => discord.faults.left(callback) === 0);
    await (discord.world.clock as FakeClock).advance(3_500);
    release();
    await until('what comes of it', () => withFiles(scene).length === 2);
    const spent = await scene.spent();
    expect(spent).toBeGreaterThan(before);
    expect(first.acknowledgement).toBeUndefined();
    ada.submits(opened, values);
    await until('that it’s told', () =>
      discord
        .messagesIn(channel, { ephemeral: true })
        .some(({ content }) => content.includes('already on its way')),
    );
    expect(await scene.spent()).toBe(spent);
    expect(withFiles(scene)).toHaveLength(2);
  },
);

it('Edit opened twice and sent twice makes two images; so does the form of a version before', async () => {
  const scene = await startWithImage();
  const { ada, until } = scene;
  const [image] = withFiles(scene);
  for (const [index, prompt] of ['a dog', 'a dog', 'a bird'].entries()) {
    const opened = ada.presses(image!, 'Edit');
    await until('the form', () => Boolean(opened.modal));
    const { modal } = opened;
    if (prompt === 'a bird') Object.assign(modal!, { custom_id: String(modal?.custom_id).split(' ')[0] });
    ada.submits(opened, { prompt });
    await until('the image', () => withFiles(scene).length === index + 2);
  }
  expect(labelsOf(withFiles(scene).at(-1))).toContain('Edit');
});
