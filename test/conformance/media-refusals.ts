import { type Check, refusal } from './check.ts';

const images = '/images/generations';
const videos = '/videos';
const https = 'https://example.com/a.png';

/**
 * Requests for images and videos that must be refused. They cost nothing where they are, but much where they are not:
 * so they are only sent by those who are ready to pay.
 */
export const mediaRefusals: readonly Check[] = [
  refused('an image needs a prompt', images, {}),
  refused('an image prompt has at most 20000 characters', images, { prompt: 'a'.repeat(20_001) }),
  refused('an image takes supported sizes only', images, { prompt: 'a', size: '1k' }),
  refused('an image comes as url or b64_json only', images, { prompt: 'a', response_format: 'png' }),
  refused('an image takes four references at most', images, {
    prompt: 'a',
    reference_images: Array(5).fill(https),
  }),
  refused('an image reference over http is refused', images, {
    prompt: 'a',
    reference_images: ['http://example.com/a.png'],
  }),
  refused('async is a boolean', images, { prompt: 'a', async: 'yes' }),
  refused('a video needs a prompt', videos, {}),
  refused('a video has at least 4 seconds', videos, { prompt: 'a', duration: 3 }),
  refused('a video has at most 15 seconds', videos, { prompt: 'a', duration: 16 }),
  refused('the duration is an integer', videos, { prompt: 'a', duration: 4.5 }),
  refused('a video comes in 480p, 720p and 1080p only', videos, { prompt: 'a', resolution: '360p' }),
  refused('the quality is balanced or quality', videos, { prompt: 'a', quality: 'best' }),
  refused('a video has one of six ratios', videos, { prompt: 'a', ratio: '2:1' }),
  refused('generate_audio is a boolean', videos, { prompt: 'a', generate_audio: 'yes' }),
  refused('a video takes nine images at most', videos, {
    prompt: 'a',
    reference_image_urls: Array(10).fill(https),
  }),
  refused('a video takes three videos at most', videos, {
    prompt: 'a',
    reference_video_urls: Array(4).fill(https),
  }),
  refused('a video reference over http is refused', videos, {
    prompt: 'a',
    reference_image_urls: ['http://example.com/a.png'],
  }),
  refused('the operation is generate or edit', videos, { prompt: 'a', operation: 'extend' }),
  refused('edit needs a reference video', videos, { prompt: 'a', operation: 'edit' }),
  refused('the seed is an integer', videos, { prompt: 'a', seed: 1.5 }),
];

function refused(says: string, path: string, body: object): Check {
  return {
    section: 4,
    says,
    kind: 'paid',
    run: async (service) => refusal(await service.send('POST', path, { body }), 400),
  };
}
