import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defaultBehavior, streamVariants, variantChoices } from '../../src/sandbox/account/behavior.ts';
import { createSandbox, type SandboxOptions, type Studio } from '../../src/sandbox/index.ts';
import { knownVoices } from '../../src/service-rules/voices.ts';
import {
  type CallOptions,
  LastingState,
  type MediaResult,
  type RateWindows,
  ServiceClient,
  type ServiceError,
  type TaskStatus,
} from '../../src/service/index.ts';
import { ask, bytesOf, collect, draw, failureOf, film, png, say } from './support/helpers.ts';

const heads = {
  mp3: 'ID3\x04',
  wav: 'RIFF\0\0\0\0WAVE',
  opus: `OggS${'\0'.repeat(22)}\x01\x13OpusHead`,
  ogg: `OggS${'\0'.repeat(22)}\x01\x1e\x01vorbis`,
  vorbis: `OggS${'\0'.repeat(22)}\x01\x1e\x01vorbis`,
};
const mp4 = Buffer.from(`\0\0\0\x20ftypisom${'0'.repeat(100)}`, 'latin1');

/** A studio whose files have the right heads and nothing else. */
const studio: Studio = {
  speak: async ({ format }) => ({
    bytes: Buffer.from(heads[format], 'latin1'),
    contentType: `audio/${format}`,
    seconds: 2.4,
  }),
  draw: async () => png,
  film: async () => mp4,
  close: () => undefined,
};

const openWindows: RateWindows = { take: () => 0, pause: () => undefined };

async function sandbox(options: SandboxOptions = {}) {
  const listening = await createSandbox({
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    media: studio,
    ...options,
  }).listen();
  const client = new ServiceClient({ baseUrl: listening.url, apiKey: listening.key, windows: openWindows });
  return {
    client,
    listening,
    close: async () => {
      await client.close();
      await listening.close();
    },
  };
}

async function sandboxOfTest(options: SandboxOptions = {}) {
  const set = await sandbox(options);
  onTestFinished(set.close);
  return set;
}

/** Asks without a pause until a task is over; the sandbox's tasks take no time here. */
async function over(status: () => Promise<TaskStatus>): Promise<TaskStatus> {
  const lasting = new LastingState();
  for (;;) {
    const now = lasting.read(await status());
    if (now.state === 'ready' || now.state === 'failed') return now;
  }
}

async function fetched(client: ServiceClient, results: readonly MediaResult[]) {
  const [result] = results;
  if (!result) throw new Error('there is no result');
  const download = await client.download(result);
  return { contentType: download.contentType, bytes: await bytesOf(download) };
}

const withShape = (shape: object): SandboxOptions => ({ shapes: { ...defaultBehavior.shapes, ...shape } });
const question = (content: string) => ({ ...ask, messages: [{ role: 'user', content }] });

describe('against the sandbox', () => {
  let set: Awaited<ReturnType<typeof sandbox>>;
  beforeAll(async () => {
    set = await sandbox();
  });
  afterAll(() => set.close());

  test('chats, streamed and not', async () => {
    const whole = await set.client.chat.create(ask);
    expect(whole.text).not.toBe('');
    expect(whole).toMatchObject({ finishReason: 'stop', usage: { outputTokens: expect.any(Number) } });
    expect(whole.requestId).toBeDefined();
    const { text, end } = await collect(set.client.chat.stream(ask));
    expect(text).not.toBe('');
    expect(end).toMatchObject({ finishReason: 'stop', usage: { outputTokens: expect.any(Number) } });
  });

  test('lists the voices', async () => {
    expect((await set.client.voices.list()).map((voice) => voice.id)).toEqual(
      knownVoices.map((voice) => voice.id),
    );
  });

  test.each(['mp3', 'wav', 'opus', 'ogg'] as const)('speaks in %s', async (format) => {
    expect(await set.client.speech.create({ ...say, format, speed: 0.5 })).toMatchObject({ format });
  });

  test.each(['url', 'b64_json'] as const)('draws, with the result as %s', async (response_format) => {
    const { result } = await set.client.images.create({ ...draw, size: '1024x1024', response_format });
    expect(await fetched(set.client, [result])).toEqual({ contentType: 'image/png', bytes: png });
    const { id } = await set.client.images.submit({ ...draw, response_format });
    const { results } = await over(() => set.client.images.status(id ?? ''));
    expect(await fetched(set.client, results)).toEqual({ contentType: 'image/png', bytes: png });
  });

  test('films', async () => {
    const request = {
      ...film,
      duration: 4,
      resolution: '480p',
      quality: 'quality',
      ratio: '1:1',
      seed: 7,
    } as const;
    const { id } = await set.client.videos.submit({ ...request, generate_audio: false });
    const { results } = await over(() => set.client.videos.status(id ?? ''));
    expect(await fetched(set.client, results)).toEqual({ contentType: 'video/mp4', bytes: mp4 });
  });

  test('does not find what is not there', async () => {
    expect(await failureOf(set.client.videos.status('nothing'))).toMatchObject({
      name: 'NotFoundError',
      status: 404,
    });
  });

  test.each([
    ['[[fail 400]]', 'RejectedRequestError', 'rejected'],
    ['[[fail 401]]', 'AuthenticationError', 'rejected'],
    ['[[out of credits]]', 'CreditError', 'rejected'],
    ['[[fail 500]]', 'ServerError', 'unknown'],
    ['[[error]]', 'ServerError', 'unknown'],
    ['[[break off]]', 'TruncatedStreamError', 'unknown'],
    ['[[end early]]', 'TruncatedStreamError', 'unknown'],
  ])('hears %s as %s', async (words, name, outcome) => {
    const error = await failureOf(
      collect(set.client.chat.stream(question(`${words} Tell me about the sea.`))),
    );
    expect(error).toMatchObject({ name, outcome });
  });

  test('hears a film fail, and finds a result gone', async () => {
    const failing = await set.client.videos.submit({ prompt: '[[error]] a cat' });
    expect(await over(() => set.client.videos.status(failing.id ?? ''))).toMatchObject({ state: 'failed' });
    const gone = await set.client.videos.submit({ prompt: '[[gone]] a cat' });
    const { results } = await over(() => set.client.videos.status(gone.id ?? ''));
    expect(await failureOf(fetched(set.client, results))).toMatchObject({ name: 'ResultGoneError' });
  });

  test('hears that an answer was lost after it was paid, and does not pay again', async () => {
    const key = 'sk-svc-lost';
    const client = new ServiceClient({ baseUrl: set.listening.url, apiKey: key, windows: openWindows });
    onTestFinished(() => client.close());
    const error = await failureOf(client.images.create({ prompt: '[[lost]] a cat' }));
    expect((error as ServiceError).outcome).toBe('unknown');
    const meter = await fetch(`${set.listening.url}/sandbox/meter`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await meter.json()).toMatchObject({ credits: 22 });
  });
});

describe('takes every form an answer of the sandbox can have:', () => {
  test.each(streamVariants)('a stream with %s', async (shape) => {
    const { client } = await sandboxOfTest({ stream: [shape] });
    const plain = await sandboxOfTest();
    const expected = await collect(plain.client.chat.stream(ask));
    const { text } = await collect(client.chat.stream(ask));
    expect(text).toBe(expected.text);
  });

  test('an error inside a choice that ends the stream', async () => {
    const { client } = await sandboxOfTest({ stream: ['error_in_choice'] });
    const error = await failureOf(collect(client.chat.stream(question('[[error]] Tell me about the sea.'))));
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown' });
  });

  test('a stream with all of it at once that is quick', async () => {
    const { client } = await sandboxOfTest({
      stream: streamVariants.filter(
        (shape) => !['plain_json', 'no_done', 'huge_event', 'one_byte'].includes(shape),
      ),
    });
    const plain = await sandboxOfTest();
    expect((await collect(client.chat.stream(ask))).text).toBe(
      (await collect(plain.client.chat.stream(ask))).text,
    );
  });

  test.each(variantChoices.voices)('voices as %s', async (voices) => {
    const { client } = await sandboxOfTest(withShape({ voices }));
    expect(await client.voices.list()).toMatchObject(
      knownVoices.map(({ id, languages }) => ({ id, languages })),
    );
  });

  test.each(variantChoices.speech_type)('speech with a content type that is %s', async (speech_type) => {
    const { client } = await sandboxOfTest(withShape({ speech_type }));
    expect(await client.speech.create(say)).toMatchObject({ format: 'mp3', contentType: 'audio/mpeg' });
  });

  test.each(
    variantChoices.image.flatMap(
      (image) =>
        [
          [image, 'url'],
          [image, 'b64_json'],
        ] as const,
    ),
  )('an image as %s, asked for as %s', async (image, response_format) => {
    const { client } = await sandboxOfTest(withShape({ image }));
    const { result } = await client.images.create({ ...draw, response_format });
    expect((await fetched(client, [result])).bytes).toEqual(png);
  });

  const states = variantChoices.states
    .filter((shape) => shape !== 'unknown')
    .map((shape) => ({ states: shape }));
  const taskShapes: object[] = [
    ...variantChoices.task.map((task) => ({ task })),
    ...variantChoices.ids.map((ids) => ({ ids })),
    ...variantChoices.status_field.map((status_field) => ({ status_field })),
    ...states,
    ...variantChoices.progress.map((progress) => ({ progress })),
    ...variantChoices.result.map((result) => ({ result })),
    ...variantChoices.result.map((result) => ({ result, status_field: 'nested', states: 'other' })),
  ];
  test.each(taskShapes)('tasks with %j', async (shape) => {
    const { client } = await sandboxOfTest(withShape(shape));
    const options: CallOptions = { conversationId: 'conv_1' };
    const image = await client.images.submit(draw, options);
    const drawn = await over(() => client.images.status(image.id ?? '', options));
    expect((await fetched(client, drawn.results)).bytes).toEqual(png);
    const video = await client.videos.submit(film, options);
    const filmed = await over(() => client.videos.status(video.id ?? '', options));
    expect((await fetched(client, filmed.results)).bytes).toEqual(mp4);
  });

  test.each(variantChoices.errors)('errors as %s', async (errors) => {
    const { client } = await sandboxOfTest(withShape({ errors }));
    const error = (await failureOf(client.chat.create(question('[[fail 400]] x')))) as ServiceError;
    expect(error).toMatchObject({ name: 'RejectedRequestError', status: 400, outcome: 'rejected' });
    if (!['html', 'empty'].includes(errors)) expect(error.serviceMessage).toEqual(expect.any(String));
  });
});
