import { seededRandom } from '../crash/random.ts';
import type { Day } from './chaos.ts';
import { troubles } from './troubles.ts';

/** Days with several troubles at once; the same seed gives the same ones. */
export function randomDays(seed: number, count: number, commands: number): Day[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const chosen = troubles.filter(({ milliseconds }) => milliseconds <= 60_000 && random() < 0.25);
    return {
      name: `seed ${seed}, day ${index + 1}: ${chosen.map(({ name }) => name).join(', ')}`,
      troubles: chosen,
      commands,
    };
  });
}
