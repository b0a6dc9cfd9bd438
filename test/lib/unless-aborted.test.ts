import { expect, it } from 'vitest';
import { unlessAborted } from '../../src/lib/clock.ts';

const reason = new Error('shutting down');

it('work gives what it gives, with a signal or without', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve('result'), signal)).toBe('result');
  expect(await unlessAborted(Promise.resolve('result'), undefined)).toBe('result');
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
});

it('work isn’t waited for once its signal is aborted, before or meanwhile', async () => {
  const never = new Promise<never>(() => {});
  await expect(unlessAborted(never, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = unlessAborted(never, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('work that fails after its signal was aborted is nobody’s fault', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  await expect(unlessAborted(promise, AbortSignal.abort(reason))).rejects.toBe(reason);
  reject(new Error('failed'));
  // Node tells of such a rejection before it goes on to timers.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
