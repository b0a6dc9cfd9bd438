import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answering, ask, collect, delta, done, read, stage, stop } from '../support/helpers.ts';

describe('the text of a stream', () => {
  test('is what the deltas say, and its end tells why, what it took and whose request it was', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const { client, server } = await stage((_, reply) => {
      reply.startEvents({ 'x-request-id': 'req-1' });
      reply.chunk(delta('Hel') + delta('lo') + stop);
      reply.chunk(`data: ${JSON.stringify({ choices: [], usage })}\n\n${done}`);
      reply.end();
    });
    const { text, end } = await collect(client.chat.stream(ask));
    expect(text).toBe('Hello');
    expect(end).toEqual({
      type: 'end',
      finishReason: 'stop',
      usage: { inputTokens: 6, outputTokens: 2, cacheReadTokens: 4, cacheCreationTokens: 0 },
      requestId: 'req-1',
    });
    expect(server.received[0]?.json()).toEqual({ ...ask, stream: true });
  });

  test('is the same with CR LF, with CR alone, and with a byte order mark', async () => {
    const plain = delta('a') + delta('b') + stop + done;
    expect((await read(plain.replaceAll('\n', '\r\n'))).text).toBe('ab');
    expect((await read(plain.replaceAll('\n', '\r'))).text).toBe('ab');
    expect((await read(`\uFEFF${plain}`)).text).toBe('ab');
  });

  test('does not hold comments, other fields and empty events', async () => {
    const noise = ': keep-alive\n\nevent: ping\ndata: \n\nid: 7\nretry: 10\n\nfoo: bar\n\n';
    expect((await read(noise, delta('a'), noise, delta('b'), stop, noise, done)).text).toBe('ab');
  });

  test('comes from data on several lines', async () => {
    const lines = JSON.stringify(JSON.parse(delta('two').slice(6)), null, 2)
      .split('\n')
      .map((line) => `data: ${line}\n`);
    expect((await read(`${lines.join('')}\n`, stop, done)).text).toBe('two');
  });

  test('survives one byte a packet, in characters of one to four bytes', async () => {
    const { client } = await stage(async (_, reply) => {
      reply.startEvents();
      for (const byte of Buffer.from(delta('né猫🐈‍⬛') + stop + done)) {
        reply.chunk(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      reply.end();
    });
    expect((await collect(client.chat.stream(ask))).text).toBe('né猫🐈‍⬛');
  });

  test('leaves out roles, empty and null content, reasoning, tool calls and other choices', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
    const { text } = await read(
      chunk({ index: 0, delta: { role: 'assistant' } }),
      chunk({ index: 0, delta: { role: 'assistant', content: '' } }),
      chunk({ index: 0, delta: { content: null } }),
      chunk({ index: 0, delta: { content: null, reasoning_content: 'thinking' } }),
      chunk({ index: 0, delta: { reasoning: 'thinking' } }),
      chunk({ index: 0, delta: { tool_calls: [{ function: { arguments: '{}' } }] } }),
      chunk({ index: 1, delta: { content: 'other' } }),
      chunk({ index: 0, delta: { content: 'answer' } }),
      chunk({ index: 0 }),
      `data: ${JSON.stringify({ choices: [] })}\n\n`,
      `data: ${JSON.stringify({ object: 'ping' })}\n\n`,
      stop,
      done,
    );
    expect(text).toBe('answer');
  });

  test('is that of the first choice, whose number may be a text', async () => {
    const first = (piece: object) =>
      `data: ${JSON.stringify({ choices: [{ index: '0', delta: {}, ...piece }] })}\n\n`;
    const { text, end } = await read(
      first({ delta: { content: 'a' } }),
      first({ finish_reason: 'length' }),
      done,
    );
    expect(text).toBe('a');
    expect(end).toMatchObject({ finishReason: 'length' });
  });

  test.each([
    ['of which nothing is known', { code: null, message: null }],
    ['of an empty code', { code: '', message: '' }],
    ['numbered zero', { code: 0, message: 'success' }],
    ['with the number of its log', { code: 'ok', message: '', log_id: '7' }],
  ])('comes with an error that’s none: %s', async (_, error) => {
    const top = `data: ${JSON.stringify({ choices: [{ delta: { content: 'a' } }], error })}\n\n`;
    expect((await read(top, delta('b', { error }), stop, done)).text).toBe('ab');
  });

  test('may come after a word of its envelope that says nothing of it', async () => {
    const working = `data: ${JSON.stringify({ code: 102, message: 'processing' })}\n\n`;
    expect((await read(working, delta('a'), done)).text).toBe('a');
  });

  test.each(['reasoning_content', 'reasoning'])('comes after what the model thought, in %s', async (name) => {
    const thought = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '', [name]: 'Hm. ' } }] })}\n\n`;
    const { client } = await stage(answering(thought, thought, delta('answer'), stop, done));
    const events = await Array.fromAsync(client.chat.stream(ask));
    const all = (part: 'text' | 'reasoning') =>
      events.map((event) => (event.type === 'text' ? (event[part] ?? '') : '')).join('');
    expect(all('reasoning')).toBe('Hm. Hm. ');
    expect(all('text')).toBe('answer');
  });

  describe('of a model that writes its thoughts in front of it, between tags,', () => {
    const parts = async (...pieces: string[]) => {
      const { client } = await stage(async (_, reply) => {
        reply.startEvents();
        for (const piece of [...pieces.map((one) => delta(one)), stop, done]) {
          reply.chunk(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
        reply.end();
      });
      const events = await Array.fromAsync(client.chat.stream(ask));
      const all = (part: 'text' | 'reasoning') =>
        events.map((event) => (event.type === 'text' ? (event[part] ?? '') : '')).join('');
      return { text: all('text'), thought: all('reasoning') };
    };

    test.each([
      [['<think>Hm, 1 < 2.</think>\n\nanswer']],
      [['\n<think>', 'Hm, ', '1 < 2.', '</think>', 'answer']],
      [[...'<think>Hm, 1 < 2.</think>answer']],
      [['<think>Hm, 1 < 2.</', 'think>', '\nanswer']],
    ])('is without them: %j', async (pieces) => {
      const { text, thought } = await parts(...pieces);
      expect([text.trim(), thought]).toEqual(['answer', 'Hm, 1 < 2.']);
    });

    test.each([
      [['<', 'b>bold</b>']],
      [['<thi', 'nker>']],
      [['Write <think>, ', 'then </think>.']],
      [['  <t']],
      [['<think']],
    ])('is whole where it only looks like that: %j', async (pieces) => {
      expect(await parts(...pieces)).toEqual({ text: pieces.join(''), thought: '' });
    });

    test('is all there is where the tag isn’t closed', async () => {
      const { text } = await parts('<think>', ' is a tag', ', such as <b>');
      expect(text).toBe('<think> is a tag, such as <b>');
    });

    test('has thoughts after its beginning, too', async () => {
      const { text } = await parts('<think>one</think>a', '<think>b</think>');
      expect(text).toBe('a<think>b</think>');
    });
  });

  test('comes from content in parts, and is not repeated by a last chunk with the whole message', async () => {
    const whole = `data: ${JSON.stringify({ choices: [{ index: 0, message: { content: 'ab' }, finish_reason: 'stop' }] })}\n\n`;
    expect(
      (await read(delta([{ type: 'text', text: 'a' }, { type: 'image' }]), delta('b'), whole, done)).text,
    ).toBe('ab');
    expect((await read(whole, done)).text).toBe('ab');
  });

  test('is what the model says instead where it refuses', async () => {
    const piece = (piece: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: piece }] })}\n\n`;
    const begun = piece({ role: 'assistant', content: '', refusal: null });
    const { text } = await read(
      begun,
      piece({ refusal: 'I ' }),
      piece({ content: '', refusal: 'won’t' }),
      stop,
    );
    expect(text).toBe('I won’t');
  });

  test('may be one event of a megabyte', async () => {
    const long = 'x'.repeat(2 ** 20);
    expect((await read(delta(long), stop, done)).text).toBe(long);
  });

  test('may be compressed', async () => {
    const { client } = await stage((_, reply) => {
      reply.startEvents({ 'content-encoding': 'gzip' });
      reply.chunk(gzipSync(delta('zipped') + stop + done));
      reply.end();
    });
    expect((await collect(client.chat.stream(ask))).text).toBe('zipped');
  });

  test('may come as plain JSON, even where a stream was asked for and the type says so', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const answer = {
      choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
      usage,
    };
    for (const contentType of ['application/json', 'text/event-stream']) {
      const { client } = await stage((_, reply) => reply.json(200, answer, { 'content-type': contentType }));
      const { text, end } = await collect(client.chat.stream(ask));
      expect(text).toBe('whole');
      expect(end).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 1 } });
    }
  });

  test('that arrived together is one event', async () => {
    const { client } = await stage(answering(delta('a') + delta('b') + delta('c') + stop + done));
    const types: string[] = [];
    for await (const event of client.chat.stream(ask))
      types.push(event.type === 'text' ? event.text : event.type);
    expect(types).toEqual(['abc', 'end']);
  });
});

describe('usage', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 7 };
  const read5and7 = { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheCreationTokens: 0 };

  test.each([
    ['in the chunk that finishes', [delta('a'), delta('', { finish_reason: 'stop', usage }), done]],
    [
      'at the top of the last chunk',
      [
        delta('a'),
        `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage })}\n\n`,
        done,
      ],
    ],
    ['in a chunk without choices', [delta('a'), stop, `data: ${JSON.stringify({ usage })}\n\n`, done]],
  ])('is kept where it comes %s', async (_, chunks) => {
    const { end } = await read(...chunks);
    expect(end).toMatchObject({ finishReason: 'stop', usage: read5and7 });
  });

  test('that text follows counts so far, and isn’t the answer’s', async () => {
    const first = `data: ${JSON.stringify({ choices: [{ delta: { content: 'a' } }], usage })}\n\n`;
    const last = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null })}\n\n`;
    const { client } = await stage(answering(first, delta('b'), last));
    const events = await Array.fromAsync(client.chat.stream(ask));
    expect(events[0]).toMatchObject({ type: 'text', usage: read5and7 });
    expect(events.at(-1)).toMatchObject({ type: 'end', usage: undefined });
  });
});
