import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type Service, startService } from '../sandbox/support/service.ts';

function clientOf(service: Service, apiKey = 'sk-svc-stranger'): OpenAI {
  return new OpenAI({ baseURL: service.url, apiKey, maxRetries: 0 });
}

describe('the openai client, as a stranger', () => {
  it('chats', async () => {
    const client = clientOf(await startService());
    const { data, request_id } = await client.chat.completions
      .create({ model: 'svc-llm-1.5', messages: [{ role: 'user', content: 'hello' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toContain('This is the sandbox');
    expect(data.choices[0]?.finish_reason).toBe('stop');
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(request_id).toMatch(/^req_/);
  });

  it('chats in a stream', async () => {
    const client = clientOf(await startService());
    const stream = client.chat.completions.stream({
      model: 'svc-llm-1.5-pro',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'My name is Alice.' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'What is my name?' },
      ],
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toContain('Alice');
    expect(deltas.join('')).toBe(final.choices[0]?.message.content);
    expect(deltas.length).toBeGreaterThan(5);
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  it('gets speech', async () => {
    const service = await startService();
    const response = await clientOf(service).audio.speech.create({
      model: 'svc-tts-1',
      voice: 'en_male_tim_uranus_bigtts',
      input: 'Hello there',
      response_format: 'wav',
      speed: 1.5,
    });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect(service.studio.spoken).toMatchObject([{ text: 'Hello there', format: 'wav', speed: 1.5 }]);
  });

  it('gets images', async () => {
    const service = await startService();
    const image = await clientOf(service).images.generate({ prompt: 'a cat', size: '1024x1024' });
    expect(Buffer.from(image.data?.[0]?.b64_json ?? '', 'base64').length).toBeGreaterThan(0);
    const linked = await clientOf(service).images.generate({ prompt: 'a cat', response_format: 'url' });
    const file = await fetch(linked.data?.[0]?.url ?? '');
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [409, OpenAI.ConflictError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [503, OpenAI.InternalServerError],
  ])('knows HTTP %i', async (status, error) => {
    const client = clientOf(await startService());
    const messages = [{ role: 'user' as const, content: `hello [[fail ${status}]]` }];
    const failure = await client.chat.completions.create({ model: 'svc-llm-1.5', messages }).catch((e) => e);
    expect(failure).toBeInstanceOf(error);
    expect(failure).toMatchObject({
      status,
      requestID: expect.stringMatching(/^req_/),
      message: expect.any(String),
    });
  });

  it('knows a wrong key, a wrong model and a wrong parameter', async () => {
    const service = await startService();
    const speech = { model: 'svc-tts-1', voice: 'alloy', input: 'hello' };
    await expect(clientOf(service, 'sk-other').audio.speech.create(speech)).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
    const failure = await clientOf(service)
      .audio.speech.create(speech)
      .catch((error) => error);
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ code: 'invalid_parameter', param: 'voice' });
    const chat = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hi' }] };
    await expect(clientOf(service).chat.completions.create(chat)).rejects.toMatchObject({ param: 'model' });
  });

  it('sees an error in mid-stream, and a connection that breaks', async () => {
    const client = clientOf(await startService());
    const read = async (content: string) => {
      const messages = [{ role: 'user' as const, content }];
      let text = '';
      try {
        const stream = await client.chat.completions.create({ model: 'svc-llm-1.5', messages, stream: true });
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      } catch (error) {
        return { text, error };
      }
      return { text };
    };
    const failed = await read('hello [[error]]');
    expect(failed.error).toBeInstanceOf(OpenAI.APIError);
    expect(failed.text).toContain('This is the sandbox');
    const broken = await read('hello [[break off]]');
    expect(broken.error).toBeInstanceOf(Error);
    expect(broken.text).toContain('This is the sandbox');
  });

  it('tries again by itself after a 429 and a 503', async () => {
    const service = await startService();
    const client = new OpenAI({ baseURL: service.url, apiKey: 'sk-svc-test', maxRetries: 2 });
    const faults = [
      { operation: 'chat', do: 'error', status: 429, retry_after: 0.001 },
      { operation: 'chat', do: 'error', status: 503, retry_after: 0.001 },
    ];
    await service.post('/sandbox/control', { faults });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const answer = await client.chat.completions.create({ model: 'svc-llm-1.5', messages });
    expect(answer.choices[0]?.message.content).toContain('sandbox');
  });
});
