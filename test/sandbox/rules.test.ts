import { type ClientRequest, request } from 'node:http';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from './support/service.ts';

const chat = { model: 'svc-llm-1.5', messages: [{ role: 'user', content: 'hi' }] };
const speech = { model: 'svc-tts-1', input: 'hello', voice: 'en_male_tim_uranus_bigtts' };
const image = { prompt: 'a cat' };
const video = { prompt: 'a cat' };
const https = 'https://example.com/a.png';
const dataUrl = 'data:image/png;base64,iVBORw0KGgo=';

interface Rule {
  readonly says: string;
  readonly path: string;
  readonly body: object;
  /** The parameter a refusal names; none where the request keeps the rule. */
  readonly refuses?: string;
  /** What the refusal says is allowed. */
  readonly allowed?: string;
}

const paths = {
  chat: '/chat/completions',
  speech: '/audio/speech',
  image: '/images/generations',
  video: '/videos',
};
const bases = { chat, speech, image, video };

function rule(operation: keyof typeof paths, change: object, refuses?: string, allowed?: string): Rule {
  return {
    says: `${operation}: ${inspect(change, { breakLength: Infinity, maxStringLength: 40 })}`,
    path: paths[operation],
    body: { ...bases[operation], ...change },
    ...(refuses !== undefined && { refuses }),
    ...(allowed !== undefined && { allowed }),
  };
}

const message = (role: unknown, content: unknown) => ({ messages: [{ role, content }] });
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

const rules: readonly Rule[] = [
  rule('chat', {}),
  rule('chat', { model: 'svc-llm-1.5-pro' }),
  rule('chat', { model: undefined }, 'model', 'svc-llm-1.5, svc-llm-1.5-pro'),
  rule('chat', { model: 'gpt-4o' }, 'model', 'svc-llm-1.5, svc-llm-1.5-pro'),
  rule('chat', { model: 15 }, 'model'),
  rule('chat', { messages: undefined }, 'messages'),
  rule('chat', { messages: 'hi' }, 'messages'),
  rule('chat', { messages: [] }, 'messages', 'at least one message'),
  rule('chat', { messages: ['hi'] }, 'messages[0]'),
  rule('chat', message(undefined, 'hi'), 'messages[0].role'),
  rule('chat', message('wizard', 'hi'), 'messages[0].role', 'system, developer, user, assistant'),
  rule('chat', message('user', undefined), 'messages[0].content'),
  rule('chat', message('user', [{ type: 'text', text: 'hi' }]), 'messages[0].content'),
  rule('chat', message('user', '')),
  rule('chat', { stream: 'yes' }, 'stream', 'true or false'),
  rule('chat', { stream: null }),
  rule('chat', { temperature: 0.3, tools: [], user: 'x' }),

  rule('speech', {}),
  rule('speech', { model: undefined }, 'model', 'svc-tts-1'),
  rule('speech', { model: 'tts-1' }, 'model', 'svc-tts-1'),
  rule('speech', { input: undefined }, 'input'),
  rule('speech', { input: '  ' }, 'input'),
  rule('speech', { input: 5 }, 'input'),
  rule('speech', { input: 'a'.repeat(16_384) }),
  rule('speech', { input: 'a'.repeat(16_385) }, 'input', '16384 bytes'),
  rule('speech', { input: '猫'.repeat(5_462) }, 'input', '16384 bytes'),
  rule('speech', { input: '猫'.repeat(5_461) }),
  rule('speech', { voice: undefined }, 'voice', 'zh_female_vv_uranus_bigtts'),
  rule('speech', { voice: 'alloy' }, 'voice', 'en_female_stokie_uranus_bigtts'),
  rule('speech', { language: 'en' }),
  rule('speech', { language: 'zh-CN' }),
  rule('speech', { language: 1 }, 'language', 'zh-CN or en'),
  ...['mp3', 'wav', 'opus', 'ogg'].map((response_format) => rule('speech', { response_format })),
  rule('speech', { response_format: 'flac' }, 'response_format', 'mp3, wav, opus, ogg'),
  rule('speech', { speed: 0.5 }),
  rule('speech', { speed: 2 }),
  rule('speech', { speed: 0.49 }, 'speed', 'from 0.5 to 2'),
  rule('speech', { speed: 2.01 }, 'speed', 'from 0.5 to 2'),
  rule('speech', { speed: '1' }, 'speed'),

  rule('image', {}),
  rule('image', { prompt: undefined }, 'prompt'),
  rule('image', { prompt: '' }, 'prompt'),
  rule('image', { prompt: ['a cat'] }, 'prompt'),
  rule('image', { prompt: '🐈'.repeat(20_000) }),
  rule('image', { prompt: 'a'.repeat(20_001) }, 'prompt', '20000 characters'),
  ...['2k', '3k', '4k', '1024x768', '10x4096'].map((size) => rule('image', { size })),
  ...['1k', '9x100', '100x4097', '10000x10', '0x0', 'large', '1024*768', ''].map((size) =>
    rule('image', { size }, 'size', '2k, 3k, 4k'),
  ),
  rule('image', { size: 1024 }, 'size'),
  rule('image', { response_format: 'url' }),
  rule('image', { response_format: 'b64_json' }),
  rule('image', { response_format: 'png' }, 'response_format', 'url, b64_json'),
  rule('image', { reference_images: [https, dataUrl, https, dataUrl] }),
  rule('image', { reference_images: many(5, https) }, 'reference_images', 'at most 4'),
  rule('image', { reference_images: https }, 'reference_images'),
  rule('image', { reference_images: ['http://example.com/a.png'] }, 'reference_images[0]', 'HTTPS'),
  rule('image', { reference_images: [https, 'file:///etc/hosts'] }, 'reference_images[1]'),
  rule('image', { reference_images: ['data:text/html;base64,aGk='] }, 'reference_images[0]'),
  rule('image', { reference_images: ['data:image/png,abc'] }, 'reference_images[0]'),
  rule('image', { reference_images: [7] }, 'reference_images[0]'),
  rule('image', { async: 1 }, 'async', 'true or false'),
  rule('image', { async: true }),
  rule('image', { model: 'x', n: 1, style: 'vivid' }),

  rule('video', {}),
  rule('video', { prompt: undefined }, 'prompt'),
  rule('video', { prompt: ' ' }, 'prompt'),
  rule('video', { duration: 4 }),
  rule('video', { duration: 15 }),
  rule('video', { duration: 3 }, 'duration', 'an integer from 4 to 15'),
  rule('video', { duration: 16 }, 'duration', 'an integer from 4 to 15'),
  rule('video', { duration: 4.5 }, 'duration', 'an integer'),
  rule('video', { duration: '5' }, 'duration'),
  ...['480p', '720p', '1080p'].map((resolution) => rule('video', { resolution })),
  rule('video', { resolution: '4k' }, 'resolution', '480p, 720p, 1080p'),
  ...['balanced', 'quality'].map((quality) => rule('video', { quality })),
  rule('video', { quality: 'best' }, 'quality', 'balanced, quality'),
  ...['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'].map((ratio) => rule('video', { ratio })),
  rule('video', { ratio: '2:1' }, 'ratio', '16:9, 9:16, 1:1, 4:3, 3:4, 21:9'),
  rule('video', { generate_audio: false }),
  rule('video', { generate_audio: 'no' }, 'generate_audio'),
  rule('video', { reference_image_urls: many(9, https) }),
  rule('video', { reference_image_urls: many(10, https) }, 'reference_image_urls', 'at most 9'),
  rule('video', { reference_image_urls: [dataUrl] }, 'reference_image_urls[0]', 'HTTPS'),
  rule('video', { reference_image_urls: ['http://example.com'] }, 'reference_image_urls[0]'),
  rule('video', { reference_image_urls: ['https://192.168.0.7/a.png'] }, 'reference_image_urls[0]', 'public'),
  rule('video', { reference_image_urls: ['https://localhost/a.png'] }, 'reference_image_urls[0]', 'public'),
  rule('video', { reference_video_urls: many(3, https) }),
  rule('video', { reference_video_urls: many(4, https) }, 'reference_video_urls', 'at most 3'),
  rule('video', { operation: 'generate' }),
  rule('video', { operation: 'edit', reference_video_urls: [https] }),
  rule('video', { operation: 'edit' }, 'reference_video_urls', 'at least one'),
  rule('video', { operation: 'edit', reference_image_urls: [https] }, 'reference_video_urls'),
  rule('video', { operation: 'extend' }, 'operation', 'generate, edit'),
  rule('video', { seed: 0 }),
  rule('video', { seed: 1.5 }, 'seed', 'an integer'),
  rule('video', { seed: '1' }, 'seed'),
];

let service: Service;
beforeEach(async () => {
  service = await startService();
});

describe('every rule of the description', () => {
  it.each(rules)('$says → refuses $refuses', async ({ path, body, refuses, allowed }) => {
    const { status, body: answer } = await service.post(path, body);
    if (refuses === undefined) {
      expect(answer?.error).toBeUndefined();
      expect(status).toBe(200);
      return;
    }
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({
      type: 'invalid_request_error',
      code: 'invalid_parameter',
      param: refuses,
    });
    expect(answer.error.message).toContain(`'${refuses}'`);
    expect(answer.error.message).toContain(allowed ?? 'Allowed: ');
  });

  it('charges nothing for refusals', async () => {
    for (const { path, body, refuses } of rules) if (refuses !== undefined) await service.post(path, body);
    expect(await service.meter()).toMatchObject({ calls: 0, credits: 0 });
  });

  it('says what was given, but neither long texts nor what follows the host of an address', async () => {
    const message = async (path: string, body: object) => (await service.post(path, body)).body.error.message;
    expect(await message('/videos', { ...video, duration: 3 })).toContain(': 3.');
    expect(await message('/videos', { ...video, ratio: '2:1' })).toContain('"2:1"');
    const prompt = `secret ${'a'.repeat(20_001)}`;
    expect(await message('/images/generations', { prompt })).toContain('20008 characters');
    expect(await message('/images/generations', { prompt })).not.toContain('secret');
    const reference_images = ['http://example.com/a?token=secret'];
    expect(await message('/images/generations', { ...image, reference_images })).toContain(
      'http://example.com/…',
    );
  });
});

describe('authentication', () => {
  it.each([
    ['no header', ''],
    ['another scheme', 'Basic sk-svc-test'],
    ['a key of another form', 'Bearer sk-test'],
    ['a key without a body', 'Bearer sk-svc-'],
    ['an empty key', 'Bearer '],
  ])('refuses %s with 401', async (_, authorization) => {
    const { status, body } = await service.get('/audio/voices', { authorization });
    expect(status).toBe(401);
    expect(body.error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' });
  });

  it('comes before everything else', async () => {
    expect((await service.get('/nothing', { authorization: 'Bearer x' })).status).toBe(401);
    expect((await service.post('/videos', '{', { authorization: 'Bearer x' })).status).toBe(401);
  });

  it('takes any key of the form', async () => {
    expect((await service.get('/audio/voices', { authorization: 'Bearer sk-svc-a_B-9' })).status).toBe(200);
  });
});

describe('the conversation id', () => {
  const withId = (id: string) => service.get('/audio/voices', { 'x-svc-conversation-id': id });

  it.each(['a', 'A-b_9', 'x'.repeat(64)])('may be %s', async (id) => {
    expect((await withId(id)).status).toBe(200);
  });

  it.each(['x'.repeat(65), 'a b', 'a.b', 'a/b', 'a:b'])('must not be %s', async (id) => {
    const { status, body } = await withId(id);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_conversation_id', param: 'X-Svc-Conversation-Id' });
    expect(body.error.message).toContain('1 to 64 letters, digits, - and _');
  });
});

describe('what is no request of the description', () => {
  it.each(['', '{', 'hello', '{"model":'])('refuses the body %j as no JSON', async (body) => {
    const answered = await service.post('/chat/completions', body);
    expect(answered.status).toBe(400);
    expect(answered.body.error.code).toBe('invalid_json');
  });

  it.each(['[]', '"a"', '5', 'null'])('refuses the body %s, which is no object', async (body) => {
    expect((await service.post('/videos', body)).body.error.code).toBe('invalid_json');
  });

  it('reads a body whatever its content type says', async () => {
    const answered = await service.post('/videos', video, { 'content-type': 'text/plain' });
    expect(answered.status).toBe(200);
  });

  it('refuses a body that is too large with 413, with or without Content-Length', async () => {
    const length = 49 * 1024 * 1024;
    expect(await statusOf({ 'content-length': String(length) }, (request) => request.flushHeaders())).toBe(
      413,
    );
    expect(await statusOf({}, (request) => request.write('x'.repeat(length)))).toBe(413);
    expect(service.faults).toEqual([]);
  });

  it('answers 404 for unknown paths and 405 with what is allowed for other methods', async () => {
    expect((await service.get('/models')).status).toBe(404);
    expect((await service.get('/models')).body.error.code).toBe('unknown_path');
    const wrong = await service.call('DELETE', '/videos');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await service.get('/chat/completions')).status).toBe(405);
    expect((await service.post('/audio/voices', {})).status).toBe(405);
  });

  it('gives every answer a request id of its own', async () => {
    const answers = [
      await service.get('/audio/voices'),
      await service.get('/nothing'),
      await service.get('/audio/voices', { authorization: '' }),
      await service.post('/videos', '{'),
      await service.chat('hi'),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(new Set(ids).size).toBe(answers.length);
  });
});

/** The status of an answer that may come before the request is sent whole. */
function statusOf(headers: Record<string, string>, send: (request: ClientRequest) => void): Promise<number> {
  return new Promise((resolve) => {
    const options = { method: 'POST', headers: { authorization: 'Bearer sk-svc-test', ...headers } };
    const sent = request(`${service.url}/images/generations`, options, (response) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', () => {});
    send(sent);
  });
}
