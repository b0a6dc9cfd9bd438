import type { BossWakeUpsDependencies } from './boss-wake-ups.ts';
import type { WakeUps } from './wake-ups.ts';

/** Wake-ups in PostgreSQL, for several processes. pg-boss is loaded only here. */
export async function sharedWakeUps(dependencies: BossWakeUpsDependencies): Promise<WakeUps> {
  const { BossWakeUps } = await import('./boss-wake-ups.ts');
  return BossWakeUps.open(dependencies);
}
