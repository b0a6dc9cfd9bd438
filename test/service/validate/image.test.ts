import { type Fault, validateImage } from '../../../src/service/index.ts';
import { draw } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const url = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const image: Row[] = [
  {
    rule: 'prompt is required',
    keeps: {},
    breaks: { prompt: undefined },
    fault: { field: 'prompt', code: 'required' },
  },
  {
    rule: 'prompt has at most 20,000 characters',
    keeps: { prompt: 'x'.repeat(20_000) },
    breaks: { prompt: 'x'.repeat(20_001) },
    fault: { field: 'prompt', code: 'too-long', limit: 20_000, unit: 'characters', given: 20_001 },
  },
  {
    rule: 'characters are code points',
    keeps: { prompt: '🐈'.repeat(20_000) },
    breaks: { prompt: '🐈'.repeat(20_001) },
    fault: { field: 'prompt', code: 'too-long', limit: 20_000, unit: 'characters', given: 20_001 },
  },
  ...['2k', '3k', '4k', '1024x768'].map((size) => ({
    rule: `size may be ${size}`,
    keeps: { size },
    breaks: { size: `${size} ` },
    fault: {
      field: 'size',
      code: 'form',
      allowed: ['2k, 3k, 4k or WIDTHxHEIGHT'],
      given: `${size} `,
    } as Fault,
  })),
  {
    rule: 'response_format is url or b64_json',
    keeps: { response_format: 'url' },
    breaks: { response_format: 'png' },
    fault: { field: 'response_format', code: 'choice', allowed: ['url', 'b64_json'], given: 'png' },
  },
  {
    rule: 'there are at most four reference images',
    keeps: { reference_images: times(4, url) },
    breaks: { reference_images: times(5, url) },
    fault: { field: 'reference_images', code: 'too-many', limit: 4, unit: 'items', given: 5 },
  },
  {
    rule: 'a reference image has an https address',
    keeps: { reference_images: [url] },
    breaks: { reference_images: [url, 'http://example.com/a.png'] },
    fault: { field: 'reference_images[1]', code: 'https', given: 'http:' },
  },
  {
    rule: 'a reference image has an address',
    keeps: {},
    breaks: { reference_images: ['a.png'] },
    fault: { field: 'reference_images[0]', code: 'https', given: 'no address' },
  },
  {
    rule: 'a reference image may be a data URL of an image in base64',
    keeps: { reference_images: [dataUrl] },
    breaks: { reference_images: ['data:text/plain;base64,aGVsbG8='] },
    fault: {
      field: 'reference_images[0]',
      code: 'form',
      allowed: ['an https address', 'data:image/…;base64,…'],
      given: 'string',
    },
  },
  {
    rule: 'reference images are an array',
    keeps: { reference_images: [] },
    breaks: { reference_images: url },
    fault: { field: 'reference_images', code: 'type', allowed: ['array'], given: 'string' },
  },
  {
    rule: 'async is chosen by the call',
    keeps: {},
    breaks: { async: true },
    fault: { field: 'async', code: 'unknown-field' },
  },
];

showRules('image', validateImage, draw, image);
