import { describe, expect, it } from 'vitest';
import { type Crowd, startCrowd, waits } from '../support/crowd.ts';

/** Notes when each prompt's picture was first to be seen. */
function shownAt({ discord, clock, said }: Crowd, prompts: readonly string[]): ReadonlyMap<string, number> {
  const shown = new Map<string, number>();
  discord.world.on('change', () => {
    for (const { content, files } of said()) {
      const prompt = files.length > 0 && prompts.find((each) => content.includes(`${each}\n`));
      if (prompt && !shown.has(prompt)) shown.set(prompt, clock.now());
    }
  });
  return shown;
}

const prompts = (count: number) => Array.from({ length: count }, (_, index) => `picture no. ${index}`);
const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;

describe('25 images at once in one channel', () => {
  it('are each shown as soon as they’re ready where they were asked for by command', async () => {
    const crowd = await startCrowd(25, { renderTime: 4 });
    const asked = prompts(25);
    const shown = shownAt(crowd, asked);
    for (const [index, prompt] of asked.entries())
      crowd.people[index]?.types(crowd.channel, { name: 'imagine', options: { prompt } });
    await crowd.until('every picture', () => shown.size === 25);
    const waited = waits(crowd.readyAt, shown);
    expect(median(waited)).toBeLessThanOrEqual(5_000);
    expect(waited.at(-1)).toBeLessThanOrEqual(15_000);
    expect(crowd.discord.rateLimits.limited).toBe(0);
  });
});
