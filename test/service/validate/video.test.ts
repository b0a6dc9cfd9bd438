import { expect, test } from 'vitest';
import { validateVideo } from '../../../src/service/index.ts';
import { film } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const url = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const video: Row[] = [
  ['prompt is required', {}, { prompt: '' }, { field: 'prompt', code: 'required' }],
  [
    'duration is at least 4',
    { duration: 4 },
    { duration: 3 },
    { field: 'duration', code: 'range', min: 4, limit: 15, given: 3 },
  ],
  [
    'duration is at most 15',
    { duration: 15 },
    { duration: 16 },
    { field: 'duration', code: 'range', min: 4, limit: 15, given: 16 },
  ],
  [
    'duration is a whole number',
    { duration: 5 },
    { duration: 5.5 },
    { field: 'duration', code: 'integer', given: 5.5 },
  ],
  [
    'resolution is 480p, 720p or 1080p',
    { resolution: '1080p' },
    { resolution: '4k' },
    { field: 'resolution', code: 'choice', allowed: ['480p', '720p', '1080p'], given: '4k' },
  ],
  [
    'quality is balanced or quality',
    { quality: 'quality' },
    { quality: 'high' },
    { field: 'quality', code: 'choice', allowed: ['balanced', 'quality'], given: 'high' },
  ],
  [
    'ratio is one of six',
    { ratio: '21:9' },
    { ratio: '2:1' },
    { field: 'ratio', code: 'choice', allowed: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'], given: '2:1' },
  ],
  [
    'generate_audio is a boolean',
    { generate_audio: false },
    { generate_audio: 'no' },
    { field: 'generate_audio', code: 'type', allowed: ['boolean'], given: 'string' },
  ],
  [
    'there are at most nine reference images',
    { reference_image_urls: times(9, url) },
    { reference_image_urls: times(10, url) },
    { field: 'reference_image_urls', code: 'too-many', limit: 9, unit: 'items', given: 10 },
  ],
  [
    'there are at most three reference videos',
    { reference_video_urls: times(3, url) },
    { reference_video_urls: times(4, url) },
    { field: 'reference_video_urls', code: 'too-many', limit: 3, unit: 'items', given: 4 },
  ],
  [
    'a reference image is https',
    {},
    { reference_image_urls: ['http://example.com/a'] },
    { field: 'reference_image_urls[0]', code: 'https', given: 'http:' },
  ],
  [
    'a reference image is no data URL',
    {},
    { reference_image_urls: [dataUrl] },
    { field: 'reference_image_urls[0]', code: 'https', given: 'data:' },
  ],
  [
    'a reference video is https',
    {},
    { reference_video_urls: ['ftp://example.com/a'] },
    { field: 'reference_video_urls[0]', code: 'https', given: 'ftp:' },
  ],
  ...[
    'https://127.0.0.1/a',
    'https://10.1.2.3/a',
    'https://[::1]/a',
    'https://localhost/a',
    'https://nas.local/a',
  ].map((address): Row => [
    `an address is public, not ${address}`,
    { reference_video_urls: ['https://8.8.8.8/a'] },
    { reference_video_urls: [address] },
    { field: 'reference_video_urls[0]', code: 'public' },
  ]),
  [
    'operation is generate or edit',
    { operation: 'generate' },
    { operation: 'extend' },
    { field: 'operation', code: 'choice', allowed: ['generate', 'edit'], given: 'extend' },
  ],
  [
    'edit needs a reference video',
    { operation: 'edit', reference_video_urls: [url] },
    { operation: 'edit' },
    { field: 'operation', code: 'edit-needs-video', given: 'edit' },
  ],
  [
    'edit needs one that is there',
    { operation: 'edit', reference_video_urls: [url] },
    { operation: 'edit', reference_video_urls: [] },
    { field: 'operation', code: 'edit-needs-video', given: 'edit' },
  ],
  ['seed is a whole number', { seed: -7 }, { seed: 0.5 }, { field: 'seed', code: 'integer', given: 0.5 }],
  ['seed is finite', { seed: 0 }, { seed: Infinity }, { field: 'seed', code: 'integer', given: Infinity }],
  ['there is no other field', {}, { model: 'x' }, { field: 'model', code: 'unknown-field' }],
];

showRules('video', validateVideo, film, video);

test('every broken rule of a request is reported at once', () => {
  expect(validateVideo({ duration: 99, ratio: 'x', operation: 'edit' }).map((fault) => fault.field)).toEqual([
    'prompt',
    'duration',
    'ratio',
    'operation',
  ]);
});
