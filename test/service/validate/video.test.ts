import { expect, test } from 'vitest';
import { type Fault, validateVideo } from '../../../src/service/index.ts';
import { film } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const url = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const video: Row[] = [
  {
    rule: 'prompt is required',
    keeps: {},
    breaks: { prompt: '' },
    fault: { field: 'prompt', code: 'required' },
  },
  {
    rule: 'duration is at least 4',
    keeps: { duration: 4 },
    breaks: { duration: 3 },
    fault: { field: 'duration', code: 'range', min: 4, limit: 15, given: 3 },
  },
  {
    rule: 'duration is at most 15',
    keeps: { duration: 15 },
    breaks: { duration: 16 },
    fault: { field: 'duration', code: 'range', min: 4, limit: 15, given: 16 },
  },
  {
    rule: 'duration is a whole number',
    keeps: { duration: 5 },
    breaks: { duration: 5.5 },
    fault: { field: 'duration', code: 'integer', given: 5.5 },
  },
  {
    rule: 'resolution is 480p, 720p or 1080p',
    keeps: { resolution: '1080p' },
    breaks: { resolution: '4k' },
    fault: { field: 'resolution', code: 'choice', allowed: ['480p', '720p', '1080p'], given: '4k' },
  },
  {
    rule: 'quality is balanced or quality',
    keeps: { quality: 'quality' },
    breaks: { quality: 'high' },
    fault: { field: 'quality', code: 'choice', allowed: ['balanced', 'quality'], given: 'high' },
  },
  {
    rule: 'ratio is one of six',
    keeps: { ratio: '21:9' },
    breaks: { ratio: '2:1' },
    fault: {
      field: 'ratio',
      code: 'choice',
      allowed: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
      given: '2:1',
    },
  },
  {
    rule: 'generate_audio is a boolean',
    keeps: { generate_audio: false },
    breaks: { generate_audio: 'no' },
    fault: { field: 'generate_audio', code: 'type', allowed: ['boolean'], given: 'string' },
  },
  {
    rule: 'there are at most nine reference images',
    keeps: { reference_image_urls: times(9, url) },
    breaks: { reference_image_urls: times(10, url) },
    fault: { field: 'reference_image_urls', code: 'too-many', limit: 9, unit: 'items', given: 10 },
  },
  {
    rule: 'there are at most three reference videos',
    keeps: { reference_video_urls: times(3, url) },
    breaks: { reference_video_urls: times(4, url) },
    fault: { field: 'reference_video_urls', code: 'too-many', limit: 3, unit: 'items', given: 4 },
  },
  {
    rule: 'a reference image is https',
    keeps: {},
    breaks: { reference_image_urls: ['http://example.com/a'] },
    fault: { field: 'reference_image_urls[0]', code: 'https', given: 'http:' },
  },
  {
    rule: 'a reference image is no data URL',
    keeps: {},
    breaks: { reference_image_urls: [dataUrl] },
    fault: { field: 'reference_image_urls[0]', code: 'https', given: 'data:' },
  },
  {
    rule: 'a reference video is https',
    keeps: {},
    breaks: { reference_video_urls: ['ftp://example.com/a'] },
    fault: { field: 'reference_video_urls[0]', code: 'https', given: 'ftp:' },
  },
  ...[
    'https://127.0.0.1/a',
    'https://10.1.2.3/a',
    'https://[::1]/a',
    'https://localhost/a',
    'https://nas.local/a',
  ].map((address) => ({
    rule: `an address is public, not ${address}`,
    keeps: { reference_video_urls: ['https://8.8.8.8/a'] },
    breaks: { reference_video_urls: [address] },
    fault: { field: 'reference_video_urls[0]', code: 'public' } as Fault,
  })),
  {
    rule: 'operation is generate or edit',
    keeps: { operation: 'generate' },
    breaks: { operation: 'extend' },
    fault: { field: 'operation', code: 'choice', allowed: ['generate', 'edit'], given: 'extend' },
  },
  {
    rule: 'edit needs a reference video',
    keeps: { operation: 'edit', reference_video_urls: [url] },
    breaks: { operation: 'edit' },
    fault: { field: 'operation', code: 'edit-needs-video', given: 'edit' },
  },
  {
    rule: 'edit needs one that is there',
    keeps: { operation: 'edit', reference_video_urls: [url] },
    breaks: { operation: 'edit', reference_video_urls: [] },
    fault: { field: 'operation', code: 'edit-needs-video', given: 'edit' },
  },
  {
    rule: 'seed is a whole number',
    keeps: { seed: -7 },
    breaks: { seed: 0.5 },
    fault: { field: 'seed', code: 'integer', given: 0.5 },
  },
  {
    rule: 'seed is finite',
    keeps: { seed: 0 },
    breaks: { seed: Infinity },
    fault: { field: 'seed', code: 'integer', given: Infinity },
  },
  {
    rule: 'there is no other field',
    keeps: {},
    breaks: { model: 'x' },
    fault: { field: 'model', code: 'unknown-field' },
  },
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
