import { describe, expect, test } from 'vitest';
import {
  InvalidRequestError,
  ServiceClient,
  validateApiKey,
  validateBaseUrl,
  validateConversationId,
  validateTaskId,
} from '../../../src/service/index.ts';
import { key } from '../support/helpers.ts';

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
    ['has space / 任务\n', true],
    ['😀'.repeat(256), true],
    ['\ud800', false],
    ['x'.repeat(257), false],
  ])('a task id %j is allowed: %s', (id, allowed) => {
    expect(validateTaskId(id)).toHaveLength(allowed ? 0 : 1);
  });

  test('a client needs both', () => {
    expect(() => new ServiceClient({ baseUrl: 'x', apiKey: 'y' })).toThrow(InvalidRequestError);
  });
});
