import { BudgetExceededError } from '../../credits/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { type CommandEnd, PlatformError } from '../../port/index.ts';
import { TooManyRendersError } from '../../renders/index.ts';
import { QueueFullError, ServiceError } from '../../service/index.ts';
import { isAboutOptions, isOfKey } from './explain.ts';
import { PriceRisenError } from './price-risen.ts';

/** How a command ended that failed with this error. */
export function endOf(error: unknown): CommandEnd {
  if (isAboutOptions(error)) return { outcome: 'refused', reason: 'options' };
  if (error instanceof TooManyRendersError) return { outcome: 'refused', reason: 'waiting' };
  if (error instanceof BudgetExceededError || error instanceof PriceRisenError)
    return { outcome: 'refused', reason: 'budget' };
  if (error instanceof PlatformError) return { outcome: 'failed', reason: 'platform' };
  if (error instanceof ServiceError) return endOfService(error);
  return { outcome: 'failed', reason: isLocal(error) ? 'database' : 'unexpected' };
}

function endOfService(error: ServiceError): CommandEnd {
  if (isOfKey(error)) return { outcome: 'failed', reason: 'key' };
  if (error instanceof QueueFullError) return { outcome: 'refused', reason: 'waiting' };
  // A clip may have been made and charged for. Of an answer, people see what there is.
  if (error.operation === 'speech' && error.outcome === 'unknown') return { outcome: 'uncertain' };
  return { outcome: 'failed', reason: 'service' };
}
