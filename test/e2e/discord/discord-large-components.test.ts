import { expect, it } from 'vitest';
import { displayedTexts, galleryItems } from '../../fakes/discord/rules/gallery-rules.ts';
import { finished, startDiscordScene } from '../support/discord-scene.ts';

/** In UTF-8 each character takes three bytes. */
const prompt = '暴风雨中的灯塔，远处有帆船与闪电，'.repeat(60);

it.each(['works', 'refused'] as const)(
  'several images of a long Chinese prompt come, each described; a gallery in an edit: %s',
  async (galleryByEdit) => {
    const scene = await startDiscordScene({}, { readings: { galleryByEdit } });
    const { ada, channel, discord } = scene;
    ada.types(channel, { name: 'imagine', options: { prompt, count: 4, private: true } });
    ada.types(channel, { name: 'imagine', options: { prompt, count: 4 } });
    const drawn = await finished(scene, ({ files }) => files.length === 4);
    expect(galleryItems(drawn.components)).toHaveLength(galleryByEdit === 'works' ? 4 : 0);
    if (galleryByEdit === 'works') {
      expect(displayedTexts(drawn.components).join()).toContain(prompt.slice(0, 100));
      for (const { description } of galleryItems(drawn.components))
        expect(description).toMatch(new RegExp(`^${prompt.slice(0, 100)}.*…$`));
    }
    await discord.until('the private ones', () =>
      discord.aside(channel, ada).some(({ files }) => files.length === 4),
    );
    expect(discord.journal.requests.filter(({ status }) => status >= 500)).toEqual([]);
  },
);
