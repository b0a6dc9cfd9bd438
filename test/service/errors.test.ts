import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  ContentRefusedError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RejectedRequestError,
  ServerError,
  ServiceError,
} from '../../src/service/index.ts';
import { ask, failureOf, film, stage } from './support/helpers.ts';

/** The error of one paid call, tried once, that is answered like this. */
async function answered(status: number, body: string | object = '', headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { client } = await stage((_, reply) => reply.send(status, text, headers), { limits: { tries: 1 } });
  const error = await failureOf(client.videos.submit(film));
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

describe('the status tells the class, the outcome, and whether to try again', () => {
  test.each([
    [300, RejectedRequestError, 'rejected', false],
    [301, RejectedRequestError, 'rejected', false],
    [303, RejectedRequestError, 'unknown', false],
    [400, RejectedRequestError, 'rejected', false],
    [401, AuthenticationError, 'rejected', false],
    [402, CreditError, 'rejected', false],
    [403, PermissionError, 'rejected', false],
    [404, NotFoundError, 'rejected', false],
    [408, ServerError, 'unknown', true],
    [409, RejectedRequestError, 'rejected', false],
    [410, NotFoundError, 'rejected', false],
    [413, RejectedRequestError, 'rejected', false],
    [415, RejectedRequestError, 'rejected', false],
    [418, RejectedRequestError, 'rejected', false],
    [422, RejectedRequestError, 'rejected', false],
    [425, ServerError, 'not-processed', true],
    [429, RateLimitError, 'not-processed', true],
    [499, RejectedRequestError, 'unknown', false],
    [500, ServerError, 'unknown', true],
    [501, ServerError, 'unknown', false],
    [502, ServerError, 'unknown', true],
    [503, ServerError, 'unknown', true],
    [504, ServerError, 'unknown', true],
    [529, ServerError, 'unknown', true],
    [599, ServerError, 'unknown', true],
  ])('%d', async (status, type, outcome, retryable) => {
    const error = await answered(status);
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ status, outcome, retryable, operation: 'video' });
  });

  test('503 with Retry-After was not processed, any other 5xx with it may have been', async () => {
    const after = { 'retry-after': '5' };
    expect(await answered(503, '', after)).toMatchObject({ outcome: 'not-processed', retryAfter: 5_000 });
    expect(await answered(500, '', after)).toMatchObject({ outcome: 'unknown', retryAfter: 5_000 });
    expect(await answered(502, '', after)).toMatchObject({ outcome: 'unknown', retryAfter: 5_000 });
  });
});

describe('the body tells more', () => {
  test.each([
    [{ error: { message: 'no', type: 'bad', code: 'worse' } }, 'no', 'worse'],
    [{ error: { message: 'no', type: 'bad' } }, 'no', 'bad'],
    [{ error: { message: 'no', code: 1234 } }, 'no', '1234'],
    [{ error: 'no' }, 'no', undefined],
    [{ Error: { Message: 'no', Code: 'worse' } }, 'no', 'worse'],
    [{ error: 'no', code: 'worse' }, 'no', 'worse'],
    [{ code: 'worse', message: 'no' }, 'no', 'worse'],
    [{ code: 40001, msg: 'no' }, 'no', '40001'],
    [{ error_code: 'worse', error_msg: 'no' }, 'no', 'worse'],
    [{ detail: 'no' }, 'no', undefined],
    [{ detail: [{ loc: ['body', 'prompt'], msg: 'no', type: 'missing' }] }, 'no', 'missing'],
    [{ errors: [{ message: 'no', code: 'worse' }] }, 'no', 'worse'],
    [{ title: 'no', status: 400 }, 'no', undefined],
    [{ message: 'no' }, 'no', undefined],
    [{ error: { error: { message: 'deep' } } }, undefined, undefined],
    [{ error: null }, undefined, undefined],
    [{}, undefined, undefined],
    [[], undefined, undefined],
    ['no', 'no', undefined],
    ['"no"', 'no', undefined],
    ['null', undefined, undefined],
    ['{"error": {"mess', '{"error": {"mess', undefined],
    ['<!doctype html><title>no</title>', undefined, undefined],
    ['', undefined, undefined],
  ])('%j', async (body, message, code) => {
    const error = await answered(400, body as object);
    expect(error).toBeInstanceOf(RejectedRequestError);
    expect(error.serviceMessage).toBe(message);
    expect(error.code).toBe(code);
  });

  test.each([
    [{ error: { code: 'insufficient_quota' } }, 429, CreditError, 'rejected', false],
    [{ error: { code: 'insufficient_credits' } }, 403, CreditError, 'rejected', false],
    [{ code: 'BalanceNotEnough' }, 400, CreditError, 'rejected', false],
    [{ error: { code: 'insufficient_user_quota' } }, 403, CreditError, 'rejected', false],
    [{ error: { code: 'InsufficientFunds' } }, 400, CreditError, 'rejected', false],
    // As Chinese clouds say it.
    [{ error: { code: 'AccountOverdueError', type: 'Forbidden' } }, 403, CreditError, 'rejected', false],
    [{ error: { code: 'OperationDenied.ServiceOverdue' } }, 403, CreditError, 'rejected', false],
    [{ code: 'Arrearage' }, 400, CreditError, 'rejected', false],
    [{ error: { code: 'load_balancer_error' } }, 400, RejectedRequestError, 'rejected', false],
    [{ error: { code: 'LoadBalancing' } }, 400, RejectedRequestError, 'rejected', false],
    [{ error: { code: 'balanced_not_supported' } }, 400, RejectedRequestError, 'rejected', false],
    [{ error: { code: 'insufficient_permissions' } }, 403, PermissionError, 'rejected', false],
    [{ error: { code: 'insufficient_resolution' } }, 400, RejectedRequestError, 'rejected', false],
    [{ error: { code: 'rate_limit_exceeded' } }, 429, RateLimitError, 'not-processed', true],
    [{ error: { code: 'content_policy_violation' } }, 400, ContentRefusedError, 'rejected', false],
    [{ error: { type: 'content_filter' } }, 422, ContentRefusedError, 'rejected', false],
    [{ error: { code: 'moderation_blocked' } }, 403, ContentRefusedError, 'rejected', false],
    [{ error: { code: 'SensitiveContentDetected' } }, 400, ContentRefusedError, 'rejected', false],
    [{ error: { code: 'insufficient_quota' } }, 401, AuthenticationError, 'rejected', false],
    [{ error: { code: 'billing_service_down' } }, 500, ServerError, 'unknown', true],
  ])('%j with status %d', async (body, status, type, outcome, retryable) => {
    const error = await answered(status, body);
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ outcome, retryable });
  });

  test.each([
    [{ error: { message: 'no', code: 429 } }, RateLimitError, 'not-processed'],
    [{ error: { message: 'no', status: 400 } }, RejectedRequestError, 'rejected'],
    [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, RateLimitError, 'not-processed'],
    [{ error: { status: 'INVALID_ARGUMENT', code: 400 } }, RejectedRequestError, 'rejected'],
    [{ error: { type: 'invalid_api_key' } }, AuthenticationError, 'rejected'],
    [{ error: { code: 'insufficient_quota' } }, CreditError, 'rejected'],
    [{ error: { code: 'content_policy_violation' } }, ContentRefusedError, 'rejected'],
    [{ error: { code: 0, type: 'content_filter', message: 'no' } }, ContentRefusedError, 'rejected'],
    [{ error: 'no' }, ServerError, 'unknown'],
  ])('even with status 200: %j', async (body, type, outcome) => {
    const error = await answered(200, body);
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ outcome, status: 200 });
  });

  test('is read up to its bound, and the status counts where the rest is lost', async () => {
    const long = await answered(400, 'x'.repeat(1_000_000));
    expect(long.serviceMessage).toHaveLength(500);
    const { client } = await stage(
      (_, reply) => {
        reply.raw('HTTP/1.1 400 Bad\r\ncontent-length: 100\r\n\r\nhalf');
        setImmediate(() => reply.destroy());
      },
      { limits: { tries: 1 } },
    );
    expect(await failureOf(client.chat.create(ask))).toMatchObject({ status: 400, outcome: 'rejected' });
  });
});

describe('the id of a request', () => {
  test.each(['x-request-id', 'request-id', 'x-svc-request-id', 'x-trace-id'])(
    'is read from %s',
    async (name) => {
      expect(await answered(400, '', { [name]: 'req-1' })).toMatchObject({ requestId: 'req-1' });
    },
  );

  test('is read from the body too', async () => {
    expect(await answered(400, { request_id: 'req-2', message: 'no' })).toMatchObject({ requestId: 'req-2' });
    expect(await answered(400, { error: { requestId: 'req-3' } })).toMatchObject({ requestId: 'req-3' });
  });

  test('is dropped where it is none', async () => {
    expect(
      (await answered(400, '', { 'x-request-id': 'a sentence of some kind' })).requestId,
    ).toBeUndefined();
    expect((await answered(400, '', { 'x-request-id': 'sk-svc-abc' })).requestId).toBeUndefined();
  });
});

describe('an error', () => {
  test('reads well, and keeps the words of the service apart', async () => {
    const error = await answered(
      400,
      { error: { message: 'your words', code: 'bad_size' } },
      { 'x-request-id': 'r1' },
    );
    expect(error.message).toBe('video: the service answered 400 (bad_size)');
    expect(error.name).toBe('RejectedRequestError');
    expect(error.stack).toContain('RejectedRequestError: video: the service answered 400 (bad_size)');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'RejectedRequestError',
      message: error.message,
      operation: 'video',
      outcome: 'rejected',
      retryable: false,
      status: 400,
      code: 'bad_size',
      requestId: 'r1',
    });
    expect(inspect(error, { depth: 9 })).not.toContain('your words');
    expect(error.serviceMessage).toBe('your words');
  });
});
