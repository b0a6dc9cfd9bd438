import { describe, expect, test } from 'vitest';
import { InvalidRequestError } from '../../../src/service/index.ts';
import { ask, failureOf, stage } from '../support/helpers.ts';

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
