import { expect, it, onTestFinished } from 'vitest';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';
import { speech } from '../../../src/service-rules/limits.ts';

it('speaks the longest text that is allowed', async () => {
  const studio = new MediaStudio();
  onTestFinished(() => studio.close());
  const characters = Math.floor(speech.maxInputBytes / 3);
  const text = '今天天气很好，我们一起去公园散步吧。'.repeat(400).slice(0, characters);
  const { seconds, bytes } = await studio.speak({
    text,
    voice: 'zh_female_vv_uranus_bigtts',
    format: 'wav',
    speed: 1,
  });
  expect(seconds).toBeGreaterThan(900);
  expect(bytes.length).toBe(44 + 2 * Math.round(seconds * 22_050));
});
