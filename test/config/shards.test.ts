import { describe, expect, it } from 'vitest';
import { parseShards } from '../../src/config/settings.ts';

describe('DISCORD_SHARDS', () => {
  it('is auto, a count, or a slice of the total', () => {
    expect(parseShards('auto')).toBe('auto');
    expect(parseShards('2')).toEqual({ ids: [0, 1], count: 2 });
    expect(parseShards('0')).toEqual({ ids: [], count: 0 });
    expect(parseShards('3/16')).toEqual({ ids: [3], count: 16 });
    expect(parseShards('0-3/16')).toEqual({ ids: [0, 1, 2, 3], count: 16 });
  });

  it.each(['', '3-1/16', '0/0', '0-16/16', '16/16', '1-2', '10000', '-1/4', 'AUTO', '1/0'])(
    'is not %j',
    (text) => {
      expect(parseShards(text)).toBeUndefined();
    },
  );
});
