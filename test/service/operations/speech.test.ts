import { describe, expect, test } from 'vitest';
import { knownVoices } from '../../../src/service-rules/voices.ts';
import {
  AuthenticationError,
  BadResponseError,
  InvalidRequestError,
  RejectedRequestError,
} from '../../../src/service/index.ts';
import { failureOf, json, outcome, patient, png, say, stage } from '../support/helpers.ts';

const wav = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');

describe('speech.create', () => {
  test('returns the bytes, and what they are', async () => {
    const { client, server } = await stage((_, reply) =>
      reply.send(200, wav, { 'content-type': 'audio/mpeg' }),
    );
    const speech = await client.speech.create({ ...say, language: 'en', format: 'opus', speed: 1.5 });
    expect(speech).toMatchObject({ format: 'wav', contentType: 'audio/wav' });
    expect(Buffer.compare(Buffer.from(speech.bytes), wav)).toBe(0);
    expect(server.received[0]?.json()).toEqual({
      model: 'svc-tts-1',
      ...say,
      language: 'en',
      response_format: 'opus',
      speed: 1.5,
    });
  });

  test.each(['application/octet-stream', 'text/html', ''])(
    'believes the bytes, not the type %j',
    async (type) => {
      const { client } = await stage((_, reply) =>
        reply.send(200, wav, type ? { 'content-type': type } : {}),
      );
      expect(await client.speech.create(say)).toMatchObject({ format: 'wav' });
    },
  );

  test('believes the type where the bytes tell nothing', async () => {
    const { client } = await stage((_, reply) =>
      reply.send(200, 'raw', { 'content-type': 'audio/L16; rate=24000' }),
    );
    expect(await client.speech.create({ ...say, format: 'wav' })).toMatchObject({
      format: 'wav',
      contentType: 'audio/l16',
    });
  });

  test.each([
    ['nothing', '', 'audio/mpeg'],
    ['a page', '<html>', 'text/html'],
    ['a picture', png, 'audio/mpeg'],
    ['a page', '<html>', 'audio/mpeg'],
    ['some JSON', '{"ok":true}', 'application/json'],
  ])('does not take %s for speech', async (_, body, type) => {
    const { client } = await stage((_request, reply) => reply.send(200, body, { 'content-type': type }));
    const error = await failureOf(client.speech.create(say));
    expect(error).toBeInstanceOf(BadResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test('reads an error in a good answer', async () => {
    const { client } = await stage(json({ error: { message: 'no', status: 400 } }));
    expect(await failureOf(client.speech.create(say))).toBeInstanceOf(RejectedRequestError);
  });

  test('reads one that is only a code and words', async () => {
    const { client } = await stage(json({ code: 400, message: 'no' }));
    expect(await failureOf(client.speech.create(say))).toMatchObject({
      name: 'RejectedRequestError',
      serviceMessage: 'no',
    });
  });

  test('reads one that is called audio, too', async () => {
    const error = JSON.stringify({ error: { message: 'no', status: 400 } });
    const { client } = await stage((_, reply) => reply.send(200, error, { 'content-type': 'audio/mpeg' }));
    expect(await failureOf(client.speech.create(say))).toBeInstanceOf(RejectedRequestError);
  });

  test('holds no speech that is too large', async () => {
    const { client } = await stage(
      (_, reply) => reply.send(200, Buffer.concat([wav, Buffer.alloc(10_000)])),
      { limits: { speechBytes: 1_000 } },
    );
    expect(await failureOf(client.speech.create(say))).toMatchObject({
      name: 'TooLargeError',
      limitBytes: 1_000,
    });
  });

  test('says a known voice without asking for the list', async () => {
    const { client, server } = await stage((_, reply) => reply.send(200, wav));
    await client.speech.create(say);
    expect(server.received.map((request) => request.path)).toEqual(['/v1/audio/speech']);
  });

  test('looks up a voice the description does not have, once in ten minutes', async () => {
    const { client, server, clock } = await stage((request, reply) =>
      request.method === 'GET' ? reply.json(200, ['new_voice']) : reply.send(200, wav),
    );
    await client.speech.create({ ...say, voice: 'new_voice' });
    await client.speech.create({ ...say, voice: 'new_voice' });
    const error = await failureOf(client.speech.create({ ...say, voice: 'mistyped' }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ faults: [{ field: 'voice', code: 'choice', given: 'mistyped' }] });
    const allowed = (error as InvalidRequestError).faults[0]?.allowed;
    expect(allowed).toEqual([...knownVoices.map((voice) => voice.id), 'new_voice']);
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'POST', 'POST']);
    await clock.advance(600_000);
    await client.speech.create({ ...say, voice: 'new_voice' });
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'POST', 'POST', 'GET', 'POST']);
  });

  test('leaves it to the service where there is no list', async () => {
    const { client, server, clock } = await stage(
      (request, reply) => (request.method === 'GET' ? reply.send(500, '') : reply.send(200, wav)),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.speech.create({ ...say, voice: 'new_voice' }))).toMatchObject({
      format: 'wav',
    });
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST']);
  });
});

describe('voices.list', () => {
  test('returns the voices', async () => {
    const { client } = await stage(
      json({ voices: [{ voice_id: 'en_male_tim_uranus_bigtts', name: 'Tim' }] }),
    );
    expect(await client.voices.list()).toEqual([
      { id: 'en_male_tim_uranus_bigtts', name: 'Tim', languages: ['en'] },
    ]);
  });

  test('takes a code and words for an error', async () => {
    const { client } = await stage(json({ code: 401, message: 'no' }), { limits: { tries: 1 } });
    expect(await failureOf(client.voices.list())).toBeInstanceOf(AuthenticationError);
    expect(client.key.trouble).toMatchObject({ kind: 'refused' });
  });

  test('reports a shape it does not know, and fails', async () => {
    const { client, logged } = await stage(json({ hello: 'world' }), { limits: { tries: 1 } });
    expect(await failureOf(client.voices.list())).toBeInstanceOf(BadResponseError);
    expect(logged).toContainEqual({
      level: 'warn',
      event: 'unknown-shape',
      fields: { operation: 'voices', what: 'list of voices', shape: '{hello:string}' },
    });
  });
});
