import { describe, expect, test } from 'vitest';
import {
  describeFault,
  type Fault,
  InvalidRequestError,
  ServiceClient,
  validateApiKey,
  validateBaseUrl,
  validateChat,
  validateConversationId,
  validateImage,
  validateSpeech,
  validateTaskId,
  validateVideo,
} from '../../src/service/index.ts';
import { chatModels } from '../../src/spec/models.ts';
import { knownVoices } from '../../src/spec/voices.ts';
import { ask, draw, failureOf, film, key, say, stage } from './helpers.ts';

const url = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);

/** Each row is one rule of the description: a request that keeps it at its very edge, one that breaks it, and how. */
interface Row {
  rule: string;
  keeps: object;
  breaks: object;
  fault: Fault;
}

const chat: Row[] = [
  {
    rule: 'model is required',
    keeps: {},
    breaks: { model: undefined },
    fault: { field: 'model', code: 'required' },
  },
  {
    rule: 'model is svc-llm-1.5 or svc-llm-1.5-pro',
    keeps: { model: 'svc-llm-1.5-pro' },
    breaks: { model: 'svc-llm-2' },
    fault: { field: 'model', code: 'choice', allowed: chatModels, given: 'svc-llm-2' },
  },
  {
    rule: 'messages are required',
    keeps: {},
    breaks: { messages: undefined },
    fault: { field: 'messages', code: 'required' },
  },
  {
    rule: 'messages are an array',
    keeps: {},
    breaks: { messages: 'hello' },
    fault: { field: 'messages', code: 'type', allowed: ['array'], given: 'string' },
  },
  {
    rule: 'there is a message',
    keeps: {},
    breaks: { messages: [] },
    fault: { field: 'messages', code: 'required' },
  },
  {
    rule: 'a message is an object',
    keeps: {},
    breaks: { messages: [...ask.messages, null] },
    fault: { field: 'messages[1]', code: 'type', allowed: ['object'], given: 'null' },
  },
  {
    rule: 'a message has a role',
    keeps: { messages: [{ role: 'any', content: 'x' }] },
    breaks: { messages: [{ content: 'x' }] },
    fault: { field: 'messages[0].role', code: 'required' },
  },
  {
    rule: 'a role is a string',
    keeps: {},
    breaks: { messages: [{ role: 1, content: 'x' }] },
    fault: { field: 'messages[0].role', code: 'type', allowed: ['string'], given: 'number' },
  },
  {
    rule: 'a message has content',
    keeps: { messages: [{ role: 'user', content: '' }] },
    breaks: { messages: [{ role: 'user' }] },
    fault: { field: 'messages[0].content', code: 'required' },
  },
  {
    rule: 'content is a string',
    keeps: {},
    breaks: { messages: [{ role: 'user', content: ['x'] }] },
    fault: { field: 'messages[0].content', code: 'type', allowed: ['string'], given: 'array' },
  },
  {
    rule: 'a message has nothing else',
    keeps: {},
    breaks: { messages: [{ role: 'user', content: 'x', name: 'y' }] },
    fault: { field: 'messages[0].name', code: 'unknown-field' },
  },
  {
    rule: 'there is no other field',
    keeps: {},
    breaks: { temperature: 1 },
    fault: { field: 'temperature', code: 'unknown-field' },
  },
];

const speech: Row[] = [
  {
    rule: 'input is required',
    keeps: {},
    breaks: { input: undefined },
    fault: { field: 'input', code: 'required' },
  },
  {
    rule: 'input is not blank',
    keeps: { input: '.' },
    breaks: { input: ' \n' },
    fault: { field: 'input', code: 'required' },
  },
  {
    rule: 'input has at most 16,384 bytes',
    keeps: { input: 'x'.repeat(16_384) },
    breaks: { input: 'x'.repeat(16_385) },
    fault: { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_385 },
  },
  {
    rule: 'input is measured in bytes of UTF-8',
    keeps: { input: '猫'.repeat(5_461) },
    breaks: { input: '猫'.repeat(5_462) },
    fault: { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_386 },
  },
  {
    rule: 'voice is required',
    keeps: {},
    breaks: { voice: undefined },
    fault: { field: 'voice', code: 'required' },
  },
  {
    rule: 'voice is one of the list',
    keeps: { voice: 'zh_female_vv_uranus_bigtts' },
    breaks: { voice: 'tim' },
    fault: { field: 'voice', code: 'choice', allowed: knownVoices.map((voice) => voice.id), given: 'tim' },
  },
  {
    rule: 'language is a tag',
    keeps: { language: 'zh-CN' },
    breaks: { language: 'Chinese please' },
    fault: {
      field: 'language',
      code: 'form',
      allowed: ['a language tag such as zh-CN or en'],
      given: 'Chinese please',
    },
  },
  {
    rule: 'language may be one the voice does not have',
    keeps: { language: 'fr' },
    breaks: { language: 1 },
    fault: { field: 'language', code: 'type', allowed: ['string'], given: 'number' },
  },
  {
    rule: 'format is mp3, wav, opus or ogg',
    keeps: { format: 'opus' },
    breaks: { format: 'flac' },
    fault: { field: 'format', code: 'choice', allowed: ['mp3', 'wav', 'opus', 'ogg'], given: 'flac' },
  },
  {
    rule: 'speed is at least 0.5',
    keeps: { speed: 0.5 },
    breaks: { speed: 0.49 },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 0.49 },
  },
  {
    rule: 'speed is at most 2',
    keeps: { speed: 2 },
    breaks: { speed: 2.01 },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 2.01 },
  },
  {
    rule: 'speed is a number',
    keeps: { speed: 1.25 },
    breaks: { speed: Number.NaN },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: Number.NaN },
  },
  {
    rule: 'speed is no text',
    keeps: {},
    breaks: { speed: '1' },
    fault: { field: 'speed', code: 'type', allowed: ['number'], given: 'string' },
  },
  {
    rule: 'there is no other field',
    keeps: {},
    breaks: { model: 'x' },
    fault: { field: 'model', code: 'unknown-field' },
  },
];

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

const operations: [string, (value: unknown) => Fault[], object, Row[]][] = [
  ['chat', validateChat, ask, chat],
  ['speech', validateSpeech, say, speech],
  ['image', validateImage, draw, image],
  ['video', validateVideo, film, video],
];

describe.each(operations)('the rules of %s', (_, validate, base, rows) => {
  test.each(rows)('$rule', ({ keeps, breaks, fault }) => {
    expect(validate({ ...base, ...keeps })).toEqual([]);
    expect(validate({ ...base, ...breaks })).toEqual([fault]);
  });

  test.each([undefined, null, 7, 'text', []])('a request is an object, not %j', (value) => {
    expect(validate(value)).toMatchObject([{ field: 'request', code: 'type', allowed: ['object'] }]);
  });

  test('every fault has a line that names field, limit and value', () => {
    for (const { fault } of rows) {
      const line = describeFault(fault);
      expect(line).toContain(fault.field);
      expect(line).not.toContain('undefined');
      if (fault.given !== undefined) expect(line).toContain(String(fault.given));
      if (fault.limit !== undefined) expect(line).toContain(String(fault.limit));
    }
  });
});

test('every broken rule of a request is reported at once', () => {
  expect(validateVideo({ duration: 99, ratio: 'x', operation: 'edit' }).map((fault) => fault.field)).toEqual([
    'prompt',
    'duration',
    'ratio',
    'operation',
  ]);
});

describe('identities', () => {
  test.each([
    ['a', true],
    ['A-b_9'.padEnd(64, 'x'), true],
    ['', false],
    ['x'.repeat(65), false],
    ['has space', false],
    ['ü', false],
    [7, false],
  ])('a conversation id %j is allowed: %s', (id, allowed) => {
    expect(validateConversationId(id)).toHaveLength(allowed ? 0 : 1);
  });

  test('a conversation id that may be a title is not shown', () => {
    expect(validateConversationId('My secret plan')).toEqual([
      {
        field: 'conversationId',
        code: 'form',
        allowed: ['1 to 64 of letters, digits, - and _'],
        given: '14 characters',
      },
    ]);
  });

  test.each([
    [key, true],
    ['sk-svc-', false],
    ['sk-other-abc', false],
    ['', false],
    [undefined, false],
    [`${key}\n`, false],
  ])('a key %j is allowed: %s', (value, allowed) => {
    const faults = validateApiKey(value);
    expect(faults).toHaveLength(allowed ? 0 : 1);
    expect(JSON.stringify(faults)).not.toContain('KEY_');
  });

  test.each([
    ['https://api.example.com/v1', true],
    ['http://127.0.0.1:8080/v1/', true],
    ['https://api.example.com/proxy/v1', true],
    ['https://api.example.com', false],
    ['https://api.example.com/v1?key=x', false],
    ['https://user:password@api.example.com/v1', false],
    ['ftp://api.example.com/v1', false],
    ['api.example.com/v1', false],
    [undefined, false],
  ])('a base URL %j is allowed: %s', (value, allowed) => {
    const faults = validateBaseUrl(value);
    expect(faults).toHaveLength(allowed ? 0 : 1);
    expect(JSON.stringify(faults)).not.toContain('password');
  });

  test.each([
    ['task-1', true],
    ['a/b?c#d', true],
    ['', false],
    ['.', false],
    ['..', false],
    ['has space', false],
    ['\ud800', false],
    ['x'.repeat(257), false],
  ])('a task id %j is allowed: %s', (id, allowed) => {
    expect(validateTaskId(id)).toHaveLength(allowed ? 0 : 1);
  });

  test('a client needs both', () => {
    expect(() => new ServiceClient({ baseUrl: 'x', apiKey: 'y' })).toThrow(InvalidRequestError);
  });
});

describe('an invalid request', () => {
  test('is neither queued nor sent, whatever the call', async () => {
    const { client, server } = await stage();
    const bad = {} as never;
    const calls: Promise<unknown>[] = [
      client.chat.create(bad),
      client.chat.stream(bad).next(),
      client.chat.create(ask, { conversationId: 'not allowed' }),
      client.voices.list({ conversationId: 'not allowed' }),
      client.speech.create(bad),
      client.images.create(bad),
      client.images.submit(bad),
      client.images.status('..'),
      client.videos.submit(bad),
      client.videos.status(''),
    ];
    for (const call of calls) {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ outcome: 'rejected', retryable: false });
    }
    expect(server.received).toHaveLength(0);
  });

  test('does not show the content that was too long', async () => {
    const { client } = await stage();
    const error = await failureOf(client.images.create({ prompt: 'secret'.repeat(4_000) }));
    expect(error.message).toBe('image: prompt must have at most 20000 characters, given 24000');
  });
});
