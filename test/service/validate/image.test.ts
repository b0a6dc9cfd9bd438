import { validateImage } from '../../../src/service/index.ts';
import { draw } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const url = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const image: Row[] = [
  ['prompt is required', {}, { prompt: undefined }, { field: 'prompt', code: 'required' }],
  [
    'prompt has at most 20,000 characters',
    { prompt: 'x'.repeat(20_000) },
    { prompt: 'x'.repeat(20_001) },
    { field: 'prompt', code: 'too-long', limit: 20_000, unit: 'characters', given: 20_001 },
  ],
  [
    'characters are code points',
    { prompt: '🐈'.repeat(20_000) },
    { prompt: '🐈'.repeat(20_001) },
    { field: 'prompt', code: 'too-long', limit: 20_000, unit: 'characters', given: 20_001 },
  ],
  ...['2k', '3k', '4k', '1024x768'].map((size): Row => [
    `size may be ${size}`,
    { size },
    { size: `${size} ` },
    { field: 'size', code: 'form', allowed: ['2k, 3k, 4k or WIDTHxHEIGHT'], given: `${size} ` },
  ]),
  [
    'response_format is url or b64_json',
    { response_format: 'url' },
    { response_format: 'png' },
    { field: 'response_format', code: 'choice', allowed: ['url', 'b64_json'], given: 'png' },
  ],
  [
    'there are at most four reference images',
    { reference_images: times(4, url) },
    { reference_images: times(5, url) },
    { field: 'reference_images', code: 'too-many', limit: 4, unit: 'items', given: 5 },
  ],
  [
    'a reference image has an https address',
    { reference_images: [url] },
    { reference_images: [url, 'http://example.com/a.png'] },
    { field: 'reference_images[1]', code: 'https', given: 'http:' },
  ],
  [
    'a reference image has an address',
    {},
    { reference_images: ['a.png'] },
    { field: 'reference_images[0]', code: 'https', given: 'no address' },
  ],
  [
    'a reference image may be a data URL of an image in base64',
    { reference_images: [dataUrl] },
    { reference_images: ['data:text/plain;base64,aGVsbG8='] },
    {
      field: 'reference_images[0]',
      code: 'form',
      allowed: ['an https address', 'data:image/…;base64,…'],
      given: 'string',
    },
  ],
  [
    'reference images are an array',
    { reference_images: [] },
    { reference_images: url },
    { field: 'reference_images', code: 'type', allowed: ['array'], given: 'string' },
  ],
  ['async is chosen by the call', {}, { async: true }, { field: 'async', code: 'unknown-field' }],
];

showRules('image', validateImage, draw, image);
