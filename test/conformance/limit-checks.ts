import { ratesPerMinute } from '../../src/service-rules/limits.ts';
import { type Check, differs, type Outcome, pass } from './check.ts';
import type { CheckedService } from './service.ts';

const otherQueries = 10;
const path = '/videos/conformance-none';

/** The rate limit that can be reached for nothing. */
export const limitChecks: readonly Check[] = [
  {
    section: 8,
    says: `status queries beyond ${ratesPerMinute.status} in a minute are answered with 429`,
    kind: 'limits',
    run: reachLimit,
  },
];

/** The status queries of the other checks are in the same minute, and count. */
async function reachLimit(service: CheckedService): Promise<Outcome> {
  let admitted = 0;
  for (let request = 0; request < ratesPerMinute.status + 10; request++) {
    const answer = await service.sendOnce('GET', path);
    if (answer.status !== 429) admitted += 1;
    else return judge(admitted, answer.headers.get('retry-after'));
  }
  return differs(`${admitted} in a row were let in`);
}

function judge(admitted: number, retryAfter: string | null): Outcome {
  if (retryAfter === null) return differs('no Retry-After header');
  return admitted >= ratesPerMinute.status - otherQueries ? pass : differs(`refused after ${admitted}`);
}
