import { describe, expect, test } from 'vitest';
import { ShapeReporter } from '../../../src/service/decode/answer.ts';
import { findMedia as findAll, type MediaKind } from '../../../src/service/decode/media.ts';
import { decodeTask, LastingState, type TaskStatus } from '../../../src/service/decode/task.ts';
import { png } from '../support/helpers.ts';

const url = 'https://cdn.example.com/a.mp4';
const found = [{ kind: 'url', url }];
const picture = 'https://cdn.example.com/a.png';
const pictured = [{ kind: 'url', url: picture }];
const base64 = png.toString('base64');
const bytes = [{ kind: 'bytes', bytes: png, contentType: 'image/png' }];

/** An address that doesn't tell what it leads to. */
const odd = (number: number) => `https://cdn.example.com/signed/${number}`;
const findMedia = (value: unknown, kind: MediaKind) => findAll(value, kind).results;

describe('a result', () => {
  test.each([
    { data: [{ url }] },
    { data: { url } },
    { url },
    { URL: url },
    { video_url: url },
    { videoUrl: url },
    { 'Video-URL': url },
    { VIDEO_URL: url },
    { video: url },
    { video: { url } },
    { videos: [url] },
    { videos: [{ url }] },
    { generated_videos: [{ video: { uri: url } }] },
    { video_urls: [url] },
    { urls: [url] },
    { output: url },
    { output: [url] },
    { output: { video_url: url } },
    { outputs: [{ url }] },
    { result: url },
    { result: { url } },
    { result: { data: [{ url }] } },
    { results: [{ url }] },
    { result_url: url },
    { download_url: url },
    { downloadUrl: url },
    { output_url: url },
    { file_url: url },
    { signed_url: url },
    { media: [{ src: url }] },
    { content: { video_url: url } },
    { content: [{ type: 'video', url }] },
    { artifacts: [{ uri: url }] },
    { files: [{ href: url }] },
    { assets: { video: url } },
    { response: { generations: [{ url }] } },
    { task: { task_result: { videos: [{ url }] } } },
    { data: { task_result: { videos: [{ id: 1, url, duration: '5' }] } } },
    { video_url: { url } },
    { video_result: [{ url, cover_image_url: 'https://cdn.example.com/a.png' }] },
    { creations: [{ url, cover_url: 'https://cdn.example.com/a.png' }] },
    { video_download_url: url },
    { output_video_url: url },
    { outputVideoUrls: [url] },
    [{ url }],
  ])('of a video is found in %j', (value) => {
    expect(findMedia(value, 'video')).toEqual(found);
  });

  test.each([
    [{ data: [{ url: picture }] }, pictured],
    [{ image_url: picture }, pictured],
    [{ imageUrl: picture }, pictured],
    [{ image: { url: picture } }, pictured],
    [{ images: [{ url: picture }] }, pictured],
    [{ generated_images: [picture] }, pictured],
    [{ data: [{ b64_json: base64 }] }, bytes],
    [{ data: [{ B64_JSON: base64 }] }, bytes],
    [{ b64_json: base64 }, bytes],
    [{ image_base64: base64 }, bytes],
    [{ imageB64: base64 }, bytes],
    [{ data: [{ b64_json: base64, url: picture }] }, bytes],
    [{ data: [{ b64_json: null, url: picture }] }, pictured],
    [{ data: [{ url: `data:image/png;base64,${base64}` }] }, bytes],
    [{ b64_json: `data:image/png;base64,${base64}` }, bytes],
    [{ image: base64 }, bytes],
    [{ result: base64 }, bytes],
    [{ data: [{ b64_json: `\n${base64.replace(/.{76}/g, '$&\r\n')}\n` }] }, bytes],
    [{ data: [{ b64_json: ` data:image/png;base64,\n${base64}` }] }, bytes],
    [{ data: [{ url: ` ${picture}\n` }] }, pictured],
  ])('of an image is found in %j', (value, result) => {
    expect(findMedia(value, 'image')).toEqual(result);
  });

  test('keeps the type its data URL names where the bytes tell none', () => {
    expect(findMedia({ url: 'data:image/tiff;name=a;base64,SUkqAA==' }, 'image')).toMatchObject([
      { contentType: 'image/tiff' },
    ]);
  });

  test('may be a path on the service itself', () => {
    expect(findMedia({ url: '/v1/files/7' }, 'image')).toEqual([{ kind: 'url', url: '/v1/files/7' }]);
  });

  test.each(
    [
      {},
      null,
      'text',
      url,
      { thumbnail_url: url },
      { cover: { url } },
      { input: { url } },
      { reference_video_urls: [url] },
      { input_video_url: url, source_video_url: url },
      { cover_video_url: url, video_cover_url: url, video_preview_url: url },
      { urls: { get: url, cancel: url } },
      { url: 'not an address' },
      { url: 'javascript:alert(1)' },
      { url: 'ftp://example.com/a' },
      { url: '//example.com/a' },
      { url: '' },
      { b64_json: '' },
      { result: 'a short text' },
    ].filter((value) => value !== url),
  )('is not found in %j', (value) => {
    expect(findMedia(value, 'video')).toEqual([]);
  });

  test('of a video is not its cover image', () => {
    expect(findMedia({ image_url: 'https://example.com/cover.png', video_url: url }, 'video')).toEqual(found);
  });

  const cover = 'https://cdn.example.com/cover.jpg';
  test.each([
    [
      {
        output: [
          { type: 'image', url: cover },
          { type: 'video', url },
        ],
      },
    ],
    [
      {
        output: [
          { type: 'cover_video', url: `${url}?cover` },
          { type: 'output_video', url },
        ],
      },
    ],
    [
      {
        outputs: [
          { mime_type: 'image/jpeg', url: `${url}?cover` },
          { mime_type: 'video/mp4', url },
        ],
      },
    ],
    [
      {
        files: [
          { format: 'jpg', url: 'https://x.example/1' },
          { format: 'mp4', url },
        ],
      },
    ],
    [{ output: [cover, `${url}`] }],
    [{ data: [{ url: `${cover}?sign=a.mp4` }, { url }] }],
    [{ output: [{ role: 'thumbnail', url: 'https://x.example/1' }, { url }] }],
    [{ output: [`data:image/png;base64,${base64}`, url] }],
    [{ result: { url: cover, video: { url } } }],
    [{ result: { url: 'https://x.example/1', video: { url } } }],
    [{ result: { url: cover, output: url } }],
    [
      {
        files: [
          { mime: 'image/jpeg', url: 'https://x.example/1' },
          { mime: 'video/mp4', url },
        ],
      },
    ],
    [
      {
        files: [
          { label: 'thumbnail', url: 'https://x.example/1' },
          { label: 'output', url },
        ],
      },
    ],
    [{ type: 'video', outputs: [cover, url] }],
    [{ type: 'text_to_video', data: [{ type: 'subtitles', url: 'https://x.example/1' }, { url }] }],
    [{ outputs: ['https://x.example/film.srt', 'https://x.example/film.json', url] }],
  ])('wins over a cover before it in the list: %j', (value) => {
    expect(findMedia(value, 'video')).toEqual(found);
  });

  test('of an image wins over its thumbnail, whose type is the same', () => {
    const outputs = [
      { type: 'image', role: 'thumbnail', url: cover },
      { type: 'json', url: 'https://x.example/1' },
      { type: 'image', url: picture },
    ];
    expect(findMedia({ outputs }, 'image')).toEqual(pictured);
  });

  test.each([
    { outputs: [{ type: 'image', url: cover }] },
    { output: { url: cover } },
    { result: cover },
    { image_b64: base64, b64_json: base64 },
  ])('is not there where all there is says that it is something else: %j', (value) => {
    const others = 'b64_json' in value ? bytes : [{ kind: 'url', url: cover }];
    expect(findAll(value, 'video')).toEqual({ results: [], others });
  });

  test.each([
    [{ outputs: [{ role: 'thumbnail', url: 'https://x.example/1' }] }, 'image'],
    [{ outputs: [{ type: 'cover_video', url }] }, 'video'],
    [{ outputs: [{ label: 'preview', data: { url } }] }, 'video'],
  ] as const)('is never what only comes beside one: %j', (value, kind) => {
    expect(findAll(value, kind)).toEqual({ results: [], others: [] });
  });

  test.each([
    { type: 'text_to_video' },
    { type: 'textToVideo' },
    { type: 'image2video' },
    { label: 'A preview of spring, as text' },
    { object: 'list', format: 'url' },
  ])('of a record that says %j is one', (says) => {
    const odd = 'https://cdn.example.com/signed/1';
    expect(findMedia({ ...says, url: odd }, 'video')).toEqual([{ kind: 'url', url: odd }]);
  });

  test('comes after one that says it is of the kind', () => {
    const task = 'https://api.example.com/tasks/1';
    expect(
      findMedia({ data: [{ url: task }, { url }] }, 'video').map((one) => 'url' in one && one.url),
    ).toEqual([url, task]);
    const beside = [{ url: task }, { url, cover_url: cover }];
    expect(findMedia({ data: beside }, 'video')).toHaveLength(2);
  });

  test.each([
    { url: odd(1), output: url },
    { url: odd(1), result: { url } },
    { url: odd(1), outputs: [url] },
    { url: odd(1), download_url: url },
    { output: { url: odd(1), files: [{ url }] } },
  ])('that says so comes before an address beside it that does not: %j', (value) => {
    expect(findMedia(value, 'video')).toEqual([...found, { kind: 'url', url: odd(1) }]);
  });

  test.each([
    { url: odd(1), output: odd(2) },
    { output: { url: odd(1), video: null, result: [odd(2)] } },
    { type: 'video', url: odd(1), output: odd(2) },
    { video_url: odd(1), url: odd(2) },
    { url: odd(1), data: [{ src: odd(2) }] },
  ])('of an object with two addresses that say nothing may be either: %j', (value) => {
    const both = [odd(1), odd(2)].map((one) => ({ kind: 'url', url: one }));
    expect(findMedia(value, 'video')).toEqual(both);
  });

  test('of an object with two addresses comes before what is beside it, and those of another list entry too', () => {
    const data = [{ url: odd(1), output: odd(2) }, { url: odd(3) }];
    const addresses = findMedia({ data }, 'video').map((one) => 'url' in one && one.url);
    expect(addresses).toEqual([odd(1), odd(3), odd(2)]);
    expect(findMedia({ video_url: odd(1), output: url }, 'video')[0]).toEqual({ kind: 'url', url: odd(1) });
    expect(findMedia({ url: odd(1), output: cover }, 'video')).toEqual([{ kind: 'url', url: odd(1) }]);
  });

  test('that says nothing of its kind is one all the same', () => {
    const odd = 'https://cdn.example.com/signed/1';
    expect(findMedia({ output: [odd] }, 'video')).toEqual([{ kind: 'url', url: odd }]);
    expect(findMedia({ output: [{ type: 'file', url: odd }] }, 'image')).toEqual([{ kind: 'url', url: odd }]);
  });

  test('is told once, however often it is there', () => {
    expect(findMedia({ url, output: url, data: [{ url }, { video_url: url }] }, 'video')).toEqual(found);
  });

  test('is one of sixteen at most, and not looked for too deep', () => {
    const many = { data: Array.from({ length: 1_000 }, (_, index) => ({ url: `${url}?${index}` })) };
    expect(findMedia(many, 'video')).toHaveLength(16);
    let deep: unknown = { url };
    for (let level = 0; level < 10_000; level++) deep = { data: deep };
    expect(findMedia(deep, 'video')).toEqual([]);
  });
});

function decode(value: unknown) {
  const reported: unknown[] = [];
  const shapes = new ShapeReporter((_, __, fields) => reported.push(fields));
  return { task: decodeTask(value, 'video', shapes), reported };
}

describe('a task', () => {
  const running = { state: 'running', results: [] };
  const ready = { state: 'ready', results: found };
  test.each([
    [{ id: 'a', status: 'queued' }, 'a', { state: 'waiting', results: [] }],
    [{ id: 7, status: 'running' }, '7', running],
    [{ task_id: 'a', state: 'RUNNING' }, 'a', running],
    [{ taskId: 'a', taskStatus: 'IN_PROGRESS' }, 'a', running],
    [{ id: 'a', status: { state: 'processing' } }, 'a', running],
    [{ data: { id: 'a', status: 'processing' } }, 'a', running],
    [{ data: [{ id: 'a', status: 'processing' }] }, 'a', running],
    [{ code: 0, status: 'success', data: { task_id: 'a', task_status: 'processing' } }, 'a', running],
    [{ status: 200, task: { id: 'a', status: 'processing' } }, 'a', running],
    [{ code: 0, data: { task: { id: 'a', status: 'processing' } } }, 'a', running],
    // What it's making has ids and states of its own.
    [{ id: 'a', status: 'queued', output: { id: 'b' } }, 'a', { state: 'waiting', results: [] }],
    [{ id: 'a', status: 'running', output: [{ id: 'b', url }] }, 'a', running],
    [{ id: 'a', status: 'running', result: { status: 'uploaded', url } }, 'a', running],
    [
      { id: 'a', status: 'success', data: { id: 'b', status: 'running', output: { id: 'c', url } } },
      'b',
      running,
    ],
    [{ video: { id: 'a', status: 'queued' } }, 'a', { state: 'waiting', results: [] }],
    [{ video: { id: 'a' } }, 'a', running],
    [{ code: 0, data: { videos: [{ id: 'a' }] } }, 'a', running],
    [{ generation: { id: 'a', state: 'running' } }, 'a', running],
    [{ tasks: [{ task_id: 'a' }] }, 'a', running],
    [{ status: 'success', video: { id: 'a', status: 'processing' } }, 'a', running],
    [
      { status: 'ok', data: { video: { id: 'a', status: 'queued' } } },
      'a',
      { state: 'waiting', results: [] },
    ],
    [{ status: 'running', video: { id: 'a', status: 'ok' } }, 'a', running],
    [{ status: 'completed', video: { id: 'b', url } }, undefined, ready],
    [{ video: { id: 'b', url } }, undefined, ready],
    [{ id: 'a' }, 'a', running],
    [{ id: 'a', status: null }, 'a', running],
    [{ id: 'a', status: 1, error: { code: null, message: null } }, 'a', running],
    [{ id: 'a', status: 1, error: { code: 0, message: '' } }, 'a', running],
    [{ id: 'a', error: { code: '0', message: 'success' }, url }, 'a', ready],
    [{ id: 'a', status: 'running', progress: '45%' }, 'a', { ...running, progress: 0.45 }],
    [{ id: 'a', status: 'running', url: 'https://example.com/tasks/a' }, 'a', running],
    [{ id: 'a', status: 'done', url }, 'a', ready],
    [{ id: 'a', status: 'Succeeded', output: { video_url: url } }, 'a', ready],
    [{ id: 'a', data: [{ url }] }, 'a', ready],
    [{ id: 'a', done: true, response: { url } }, 'a', ready],
    [{ status: 'completed', result: { url } }, undefined, ready],
    [{ data: [{ url }] }, undefined, ready],
  ])('%j', (value, id, status) => {
    expect(decode(value)).toEqual({ task: { id, status }, reported: [] });
  });

  test.each([
    [{ id: 'a', status: 'failed', error: { message: 'too dark', code: 'dark' } }, 'too dark', 'dark'],
    [{ id: 'a', status: 'failed', error: 'too dark' }, 'too dark', undefined],
    [{ id: 'a', status: 'FAILURE', fail_reason: 'too dark' }, 'too dark', undefined],
    [{ id: 'a', status: 'failed', message: 'too dark', error_code: 'dark' }, 'too dark', 'dark'],
    [{ id: 'a', status: 'failed', error: 'too dark', output: { id: 'b' } }, 'too dark', undefined],
    [{ status: 'failed', error: 'too dark', video: { id: 'b' } }, 'too dark', undefined],
    [{ status: 'success', tasks: [{ id: 'a', status: 'failed', error: 'too dark' }] }, 'too dark', undefined],
    [{ id: 'a', status: 'failed', errors: [{ message: 'too dark', code: 'dark' }] }, 'too dark', 'dark'],
    [{ id: 'a', status: 'failed', error: ['too dark'] }, 'too dark', undefined],
    [{ id: 'a', status: 'failed', error: null, status_message: 'too dark' }, 'too dark', undefined],
    [{ id: 'a', status: 'cancelled' }, undefined, undefined],
    [{ id: 'a', error: { message: 'too dark' } }, 'too dark', undefined],
    [{ id: 'a', error: { code: 0, message: 'too dark' } }, 'too dark', '0'],
    [{ id: 'a', status: 'failed', error: 'key sk-svc-abc is bad' }, 'key sk-svc-… is bad', undefined],
  ])('that failed says why: %j', (value, error, errorCode) => {
    expect(decode(value).task?.status).toEqual({ state: 'failed', results: [], error, errorCode });
  });

  test('of an unknown state runs, and is reported by its shape, once', () => {
    const reported: unknown[] = [];
    const shapes = new ShapeReporter((level, event, fields) => reported.push([level, event, fields]));
    const value = { id: 'secret-id', status: 'marinating', prompt: 'secret' };
    const unclear = { word: 'marinating', status: running };
    for (let turn = 0; turn < 3; turn++)
      expect(decodeTask(value, 'video', shapes)?.status).toEqual({ ...running, unclear });
    const shape = '{id:string,status:string,prompt:string}';
    expect(reported).toEqual([
      ['warn', 'unknown-shape', { operation: 'video', what: 'task state marinating', shape }],
    ]);
  });

  test.each(['expired', 'DELETED', 'TASK_STATUS_EXPIRED', 'not_found', '已过期'])(
    'that is %s may have been made before',
    (word) => {
      expect(decode({ id: 'a', status: word }).task?.status).toMatchObject({ state: 'failed', isGone: true });
      expect(decode({ id: 'a', status: 'failed' }).task?.status).not.toHaveProperty('isGone');
    },
  );

  test('of an unknown state is ready, or failed, once that stays with a result, or an error', () => {
    const lasting = new LastingState();
    const states = (...values: object[]) =>
      values.map((value) => lasting.read(decode({ id: 'a', ...value }).task?.status as TaskStatus).state);
    const served = { status: 'served', url };
    expect(states(served, served, served)).toEqual(['running', 'running', 'running']);
    expect(lasting.read(decode({ id: 'a', ...served }).task?.status as TaskStatus)).toEqual(ready);
    const draft = { status: 'simmering', url };
    expect(
      states(...[1, 2, 3, 4, 5, 6].map((progress) => ({ ...draft, progress: progress * 10 }))),
    ).not.toContain('ready');
    const nothing = { status: 'simmering' };
    expect(states(draft, draft, nothing, draft, draft, nothing)).not.toContain('ready');
    const spilled = { status: 'spilled', error: { message: 'oh' } };
    expect(states(spilled, spilled, spilled, spilled)).toEqual(['running', 'running', 'running', 'failed']);
  });

  test('of an unknown state runs on where all it has is a cover', () => {
    const outputs = [{ type: 'image', url: 'https://cdn.example.com/cover.jpg' }];
    const lasting = new LastingState();
    for (let turn = 0; turn < 9; turn++) {
      const status = decode({ id: 'a', status: 'transcoding', outputs }).task?.status as TaskStatus;
      expect(lasting.read(status)).toMatchObject(running);
    }
    expect(decode({ id: 'a', status: 'succeeded', outputs }).task?.status).toEqual({
      state: 'ready',
      results: [],
      others: [{ kind: 'url', url: outputs[0]?.url }],
    });
  });

  test('of a state that is more than a name is reported without it', () => {
    expect(decode({ id: 'a', status: 'as you said: "secret"' }).reported).toMatchObject([
      { what: 'task state …' },
    ]);
  });

  test('that is ready without a result says so', () => {
    const { task, reported } = decode({ id: 'a', status: 'succeeded' });
    expect(task?.status).toEqual({ state: 'ready', results: [] });
    expect(reported).toHaveLength(1);
  });

  test.each([null, 7, 'text', [], {}, { error: { message: 'no' } }, { hello: 'world' }, [{}, {}]])(
    'is not %j',
    (value) => {
      expect(decode(value).task).toBeUndefined();
    },
  );
});
