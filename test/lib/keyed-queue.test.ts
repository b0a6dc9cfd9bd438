import { describe, expect, it } from 'vitest';
import { KeyedQueue } from '../../src/lib/clock.ts';
import { settle } from '../fakes/clock.ts';

describe('a keyed queue', () => {
  const setting = () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const add = (key: string, name: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const result = queue.run(key, () => {
        log.push(name);
        return promise;
      });
      return { result, resolve, reject };
    };
    return { queue, log, add };
  };

  it('runs the work for a key one after the other, and that for others meanwhile', async () => {
    const { queue, log, add } = setting();
    const [one, two] = [add('k', 'one'), add('k', 'two')];
    add('other', 'elsewhere');
    await settle();
    expect(log).toEqual(['one', 'elsewhere']);
    one.resolve('first result');
    expect(await one.result).toBe('first result');
    await settle();
    expect(log).toEqual(['one', 'elsewhere', 'two']);
    two.resolve('second result');
    expect(await two.result).toBe('second result');
    expect(queue.size).toBe(1);
  });

  it('goes on after work that failed, and remembers nothing when all is done', async () => {
    const { queue, log, add } = setting();
    const [one, two] = [add('k', 'one'), add('k', 'two')];
    one.reject(new Error('broken'));
    await expect(one.result).rejects.toThrow('broken');
    two.resolve('fine');
    expect(await two.result).toBe('fine');
    expect([log, queue.size]).toEqual([['one', 'two'], 0]);
  });
});
