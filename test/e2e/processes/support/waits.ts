import { existsSync, readFileSync } from 'node:fs';

/** How long processes have waited for a processor that was busy with others, in milliseconds; 0 where only Linux could tell. */
export function waited(pids: readonly number[]): number {
  const waits = pids.map((pid) => {
    const ofLinux = `/proc/${pid}/schedstat`;
    const [, nanoseconds] = existsSync(ofLinux) ? readFileSync(ofLinux, 'utf8').split(' ') : [];
    return Number(nanoseconds ?? 0) / 1e6;
  });
  return waits.reduce((sum, wait) => sum + wait, 0);
}
