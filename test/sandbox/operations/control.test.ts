import { beforeEach, describe, expect, it } from 'vitest';
import { readEvents, textOf } from '../support/events.ts';
import { type Answered, chatBody, type Service, startService } from '../support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});

const speech = { model: 'svc-tts-1', input: 'hello', voice: 'en_male_tim_uranus_bigtts' };

function control(switches: object): Promise<Answered> {
  return service.post('/sandbox/control', switches);
}

const begun = async (prompt = 'a'): Promise<string> => (await service.post('/videos', { prompt })).body.id;

describe('the control address', () => {
  it('tells how the sandbox behaves, changes what is given and takes everything back', async () => {
    const before = (await service.get('/sandbox/control')).body;
    expect(before).toMatchObject({ pace: 'instant', render_time: 0, limits: 'off', faults: [], answers: 0 });
    const changed = await control({ pace: 2, shapes: { voices: 'array' }, answers: ['a'] });
    expect(changed.body).toMatchObject({
      pace: 2,
      render_time: 0,
      shapes: { voices: 'array', task: 'id' },
      answers: 1,
    });
    expect((await service.get('/sandbox/control')).body).toEqual(changed.body);
    expect((await service.call('DELETE', '/sandbox/control')).body).toEqual(before);
  });

  it('changes one key alone', async () => {
    await control({ shapes: { voices: 'array' } });
    expect(Array.isArray((await service.get('/audio/voices')).body)).toBe(true);
    const other = await service.get('/audio/voices', { authorization: 'Bearer sk-svc-other' });
    expect(Array.isArray(other.body)).toBe(false);
  });

  it.each([
    [{ speed: 1 }, 'speed'],
    [{ pace: 'fast' }, 'pace'],
    [{ pace: 0 }, 'pace'],
    [{ render_time: -1 }, 'render_time'],
    [{ limits: { chats: 5 } }, 'limits'],
    [{ limits: { chat: 0 } }, 'limits.chat'],
    [{ credits: 'many' }, 'credits'],
    [{ stream: ['odd'] }, 'stream'],
    [{ stream: 'crlf' }, 'stream'],
    [{ shapes: { voice: 'data' } }, 'shapes'],
    [{ shapes: { voices: 'xml' } }, 'shapes.voices'],
    [{ faults: {} }, 'faults'],
    [{ faults: [{ operation: 'search', do: 'error' }] }, 'faults[0].operation'],
    [{ faults: [{ operation: 'chat', do: 'explode' }] }, 'faults[0].do'],
    [{ faults: [{ operation: 'chat', do: 'error', status: 200 }] }, 'faults[0].status'],
    [{ faults: [{ operation: 'chat', do: 'error', times: 0 }] }, 'faults[0].times'],
    [{ faults: [{ operation: 'chat', do: 'end', when: 'before' }] }, 'faults[0].when'],
    [{ faults: [{ operation: 'chat', do: 'error', retry_after: 'a\nb' }] }, 'faults[0].retry_after'],
    [{ answers: [5] }, 'answers'],
  ])('refuses %j and changes nothing', async (switches, param) => {
    const before = (await service.get('/sandbox/control')).body;
    const refused = await control({ ...switches, render_time: 1, ...switches });
    expect([refused.status, refused.body.error.param]).toEqual([400, param]);
    expect((await service.get('/sandbox/control')).body).toEqual(before);
  });

  it('sets the next chat answers word for word', async () => {
    await control({ answers: ['**one**', ''] });
    const ask = async () => (await service.chat('hello')).body.choices[0].message.content;
    expect(await ask()).toBe('**one**');
    expect(await ask()).toBe('');
    expect(await ask()).toContain('sandbox');
  });
});

describe('planned faults', () => {
  it.each([
    ['chat', 'POST', '/chat/completions', chatBody('hi')],
    ['voices', 'GET', '/audio/voices', undefined],
    ['speech', 'POST', '/audio/speech', speech],
    ['image', 'POST', '/images/generations', { prompt: 'a' }],
    ['video', 'POST', '/videos', { prompt: 'a' }],
  ] as const)(
    'of %s happen so many times, before anything is done or after it is metered',
    async (...row) => {
      const [operation, method, path, body] = row;
      await control({
        faults: [
          { operation, do: 'error', status: 503, times: 2, retry_after: 'soon' },
          { operation, do: 'cut' },
          { operation, do: 'error', when: 'after', status: 502 },
          { operation, do: 'cut', when: 'after' },
        ],
      });
      for (let time = 0; time < 2; time++) {
        const refused = await service.call(method, path, body);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, 'soon']);
      }
      await expect(service.call(method, path, body)).rejects.toThrow();
      expect((await service.meter()).calls).toBe(0);
      expect((await service.call(method, path, body)).status).toBe(502);
      await expect(service.call(method, path, body)).rejects.toThrow();
      while ((await service.meter()).calls < 2);
      expect((await service.call(method, path, body)).status).toBe(200);
      while ((await service.meter()).calls < 3);
      expect((await service.get('/sandbox/control')).body.faults).toEqual([]);
    },
  );

  it('of status queries leave the task alone', async () => {
    const id = await begun();
    await control({ faults: [{ operation: 'video_status', do: 'error', status: 500, times: 3 }] });
    for (let time = 0; time < 3; time++) expect((await service.get(`/videos/${id}`)).status).toBe(500);
    expect((await service.finished(`/videos/${id}`)).body.status).toBe('succeeded');
  });

  it('of tasks can happen while they run', async () => {
    await control({ faults: [{ operation: 'video', do: 'error', when: 'during' }] });
    const make = async () => {
      const id = await begun();
      return (await service.finished(`/videos/${id}`)).body.status;
    };
    expect([await make(), await make()]).toEqual(['failed', 'succeeded']);
  });

  it('of a stream happen after so many deltas', async () => {
    await control({
      answers: ['one two three four', 'one two three four', 'one two'],
      faults: [
        { operation: 'chat', do: 'end', after_deltas: 2 },
        { operation: 'chat', do: 'error', when: 'during', after_deltas: 0 },
        { operation: 'chat', do: 'end', after_deltas: 99 },
      ],
    });
    const read = async () => {
      const response = await service.raw('POST', '/chat/completions', chatBody('hi', { stream: true }));
      return readEvents(await response.text());
    };
    expect(textOf(await read())).toBe('one two');
    const failed = await read();
    expect([textOf(failed), failed.at(-1).error.type]).toEqual(['', 'server_error']);
    const cut = await read();
    expect([textOf(cut), cut.at(-1).choices[0].finish_reason]).toEqual(['one two', null]);
  });

  it('that stall hold the answer until the client leaves', async () => {
    await control({ faults: [{ operation: 'voices', do: 'stall' }] });
    const stop = new AbortController();
    const stalled = fetch(`${service.url}/audio/voices`, {
      headers: { authorization: 'Bearer sk-svc-test' },
      signal: stop.signal,
    }).catch(() => 'given up');
    while ((await service.get('/sandbox/control')).body.faults.length > 0);
    stop.abort();
    expect(await stalled).toBe('given up');
  });
});

describe('odd shapes', () => {
  const shaped = (shapes: object) => control({ shapes });

  it.each([
    ['array', (body: Answered['body']) => body[0].id],
    ['voices', (body) => body.voices[0].voice_id],
    ['strings', (body) => body[0]],
    ['string_data', (body) => body.data[0]],
    ['nested', (body) => body.data.voice_list[0].voice],
  ] as [string, (body: Answered['body']) => string][])('voices as %s', async (voices, first) => {
    await shaped({ voices });
    const { body } = await service.get('/audio/voices');
    expect(first(body)).toBe('zh_female_vv_uranus_bigtts');
  });

  it.each([
    ['url', (body: Answered['body']) => body.url],
    ['image_url', (body) => body.image_url.url],
    ['images', (body) => body.images[0].url],
    ['output', (body) => body.output],
    ['result', (body) => body.result.url],
    ['data_url', (body) => body.url],
    ['nested', (body) => body.data.task_result.images[0].url],
  ] as [string, (body: Answered['body']) => string][])('an image as %s', async (image, place) => {
    await shaped({ image });
    const { body } = await service.post('/images/generations', { prompt: 'a', response_format: 'url' });
    expect((await fetch(place(body))).status).toBe(200);
  });

  it('an image in base64 as a data URL', async () => {
    await shaped({ image: 'data_url' });
    const { url } = (await service.post('/images/generations', { prompt: 'a' })).body;
    expect(url).toMatch(/^data:image\/png;base64,/);
  });

  it.each([
    ['data', (body: Answered['body']) => body.data.id],
    ['task', (body) => body.task.id],
    ['result', (body) => body.result.id],
  ] as [string, (body: Answered['body']) => string][])('a task created as %s', async (task, place) => {
    await shaped({ task });
    const { body } = await service.post('/videos', { prompt: 'a' });
    expect((await service.finished(`/videos/${place(body)}`)).body.status).toBe('succeeded');
  });

  it.each([
    ['url', (body: Answered['body']) => body.url],
    ['kind_url', (body) => body.video_url],
    ['output', (body) => body.output],
    ['output_list', (body) => body.output[0]],
    ['result', (body) => body.result.url],
    ['content', (body) => body.content.video_url],
    ['nested', (body) => body.data.task_result.videos[0].url],
    ['data_url', (body) => body.url],
  ] as [string, (body: Answered['body']) => string][])('a result as %s', async (result, place) => {
    await shaped({ result });
    const id = await begun();
    const url = place((await service.finished(`/videos/${id}`)).body);
    expect(url.startsWith('data:video/mp4;base64,')).toBe(result === 'data_url');
    expect((await fetch(url)).status).toBe(200);
  });

  it.each([
    ['upper', 'RUNNING'],
    ['dashed', 'in-progress'],
    ['spaced', 'In Progress'],
    ['other', 'generating'],
    ['unknown', 'simmering'],
  ])('states spelled %s', async (states, word) => {
    await shaped({ states });
    const id = await begun('a [[stall]]');
    const status = async () => (await service.get(`/videos/${id}`)).body.status;
    let now = await status();
    while (now !== word) now = await status();
    expect(now).toBe(word);
  });

  it.each([
    ['state', (body: Answered['body']) => body.state],
    ['task_status', (body) => body.task_status],
    ['nested', (body) => body.task.status],
  ] as [string, (body: Answered['body']) => string][])('the state in %s', async (status_field, place) => {
    await shaped({ status_field });
    const id = await begun();
    const state = place((await service.get(`/videos/${id}`)).body);
    expect(['queued', 'processing', 'succeeded']).toContain(state);
  });

  it.each([
    ['percent', 45],
    ['fraction', 0.45],
    ['text', '45%'],
    ['none', undefined],
  ])('progress as %s', async (progress, shown) => {
    await shaped({ progress });
    const id = await begun('a [[stall]]');
    let body = (await service.get(`/videos/${id}`)).body;
    while (body.status !== 'processing') body = (await service.get(`/videos/${id}`)).body;
    expect((await service.get(`/videos/${id}`)).body.progress).toBe(shown);
  });

  it.each([
    ['flat', { code: 'internal_error', message: expect.any(String) }],
    ['detail', { detail: expect.any(String) }],
    ['text', expect.any(String)],
    ['html', expect.stringMatching(/^<html>/)],
    ['empty', ''],
  ])('errors as %s', async (errors, shown) => {
    await shaped({ errors });
    const { status, body } = await service.chat('hi [[fail 503]]');
    expect(status).toBe(503);
    expect(body).toEqual(shown);
  });

  it.each([
    ['missing', null],
    ['octet_stream', 'application/octet-stream'],
    ['wrong', 'text/plain; charset=utf-8'],
  ])('a clip whose type is %s', async (speech_type, type) => {
    await shaped({ speech_type });
    const response = await service.raw('POST', '/audio/speech', speech);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.arrayBuffer()).byteLength).toBe(64);
  });
});

describe('odd streams', () => {
  const whole = 'Grüße, 世界 👩‍👩‍👧!';
  const read = async (...stream: string[]) => {
    await control({ stream, answers: [whole] });
    const response = await service.raw('POST', '/chat/completions', chatBody('hi', { stream: true }));
    const text = await response.text();
    return { headers: response.headers, text };
  };

  it.each([
    [['crlf'], '\r\n\r\n'],
    [['one_byte'], 'data: '],
    [['comments'], ': keep-alive\n'],
    [['multiline'], 'data: {\ndata:  "id"'],
    [['event_names'], 'event: message\n'],
    [['no_space'], 'data:{'],
    [['null_content'], '"content":null'],
    [['empty_deltas'], '"delta":{}'],
    [['reasoning'], '"reasoning_content"'],
    [['huge_event'], 'x'.repeat(1_000_000)],
    [['usage_with_finish'], '"finish_reason":"stop"}],"usage"'],
    [['gzip'], '[DONE]'],
    [['crlf', 'one_byte', 'comments', 'multiline', 'event_names'], ': keep-alive\r\n'],
  ])('%j still make the whole answer', async (shapes, sign) => {
    const { text } = await read(...shapes);
    expect(text).toContain(sign);
    const events = readEvents(text);
    expect(textOf(events)).toBe(whole);
    expect(events.at(-1)).toBe('[DONE]');
  });

  it.each([
    ['no_usage', '"usage"'],
    ['no_role', '"role"'],
    ['no_done', '[DONE]'],
    ['no_finish', '"finish_reason":"stop"'],
  ])('%s leaves it out', async (shape, absent) => {
    const { text } = await read(shape);
    expect(text).not.toContain(absent);
    expect(textOf(readEvents(text))).toBe(whole);
  });

  it('count what’s thought before the answer as its output', async () => {
    const usage = async (...shapes: string[]) =>
      readEvents((await read(...shapes)).text).find((event) => event.usage).usage.completion_tokens;
    expect(await usage('reasoning')).toBeGreaterThan(1.5 * (await usage()));
  });

  it('are compressed on request', async () => {
    expect((await read('gzip')).headers.get('content-encoding')).toBe('gzip');
  });

  it('can be no stream at all', async () => {
    const { headers, text } = await read('plain_json');
    expect(headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text).choices[0].message.content).toBe(whole);
  });
});
