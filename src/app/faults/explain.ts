import { BudgetExceededError } from '../../credits/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { commandFor, PlatformError, type PlatformErrorKind } from '../../port/index.ts';
import { TooManyRendersError } from '../../renders/index.ts';
import {
  AuthenticationError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  ContentRefusedError,
  CreditError,
  InvalidRequestError,
  NotFoundError,
  type Operation,
  PermissionError,
  QueueFullError,
  RateLimitError,
  RejectedRequestError,
  ResultGoneError,
  ServiceError,
  TimeoutError,
  TruncatedStreamError,
} from '../../service/index.ts';
import type { PaidOperation } from '../../service-rules/operations.ts';
import { creditsInWords, type Words } from '../../words/index.ts';
import { budgetExceeded, type Reader } from './budget-sentences.ts';
import { InputError } from './input-error.ts';
import { optionFaults } from './option-faults.ts';
import { PriceRisenError } from './price-risen.ts';

/** An error as a person reads it: one sentence that says what to do, without internals. */
export function explain(error: unknown, say: Words, reader: Reader): string {
  if (error instanceof InputError) return error.sentence(say);
  if (error instanceof TooManyRendersError) return say.tooManyRenders(error.most);
  if (error instanceof BudgetExceededError) return budgetExceeded(error, say, reader);
  if (error instanceof PriceRisenError)
    return say.spending.priceRisen(creditsInWords(error.price, say.locale));
  if (error instanceof InvalidRequestError)
    return say.faults(commandNameOf(error.operation), optionFaults(error.faults));
  if (error instanceof PlatformError) return explainPlatformError(error, say);
  if (error instanceof ServiceError) return explainService(error, say);
  return isLocal(error) ? say.errors.database : say.errors.unexpected;
}

/**
 * Whether an error is the person's own to mend: nothing was spent, and only they see it.
 */
export function isTheirs(error: unknown): boolean {
  return isAboutOptions(error) || error instanceof TooManyRendersError;
}

/**
 * Whether an error is about what the person typed. A wrong voice is refused by the service itself if its list of voices
 * couldn't be read before.
 */
export function isAboutOptions(error: unknown): boolean {
  if (error instanceof InputError || error instanceof InvalidRequestError) return true;
  if (!(error instanceof RejectedRequestError) || error instanceof ContentRefusedError) return false;
  return error.operation === 'speech' && error.outcome === 'rejected';
}

/** Whether a stop of the bot cut a call to the service off, which is nobody's fault. */
export function isCutOff(error: unknown): boolean {
  return error instanceof CancelledError || error instanceof ClientClosedError;
}

/** Whether running the same command again may help. */
export function worthTryingAgain(error: unknown): boolean {
  if (isTheirs(error)) return false;
  if (error instanceof BudgetExceededError || error instanceof PriceRisenError) return false;
  if (error instanceof ServiceError) return error.outcome !== 'rejected' || error.retryable;
  return true;
}

function explainService(error: ServiceError, say: Words): string {
  const { errors } = say;
  if (isOfKey(error)) return errors.unavailable;
  if (error instanceof ResultGoneError) return errors.resultGone;
  if (error instanceof NotFoundError) return errors.notFound;
  if (error instanceof RateLimitError) return errors.rateLimit;
  if (error instanceof QueueFullError) return errors.queueFull;
  if (error instanceof TruncatedStreamError) return errors.truncated;
  const mayCharge = isPaid(error.operation) && error.outcome === 'unknown';
  if (isCutOff(error)) return mayCharge ? say.noticeUncertain : say.shuttingDown;
  if (error instanceof ConnectionError) return mayCharge ? errors.connectionMayCharge : errors.connection;
  if (error instanceof TimeoutError) return mayCharge ? errors.timeoutMayCharge : errors.timeout;
  if (error.outcome === 'rejected') return errors.refused(error.serviceMessage ?? error.code ?? '?');
  return mayCharge ? errors.serverMayCharge : errors.server;
}

/** Whether it's about the key or its account, which only those who run the bot can mend. */
export function isOfKey(error: ServiceError): boolean {
  return (
    error instanceof AuthenticationError || error instanceof PermissionError || error instanceof CreditError
  );
}

function isPaid(operation: Operation): operation is PaidOperation {
  return Object.hasOwn(commandFor, operation);
}

/** The command people know an operation by. */
function commandNameOf(operation: Operation): string {
  return isPaid(operation) ? commandFor[operation] : operation;
}

/** A platform's refusal as a person reads it. */
export function explainPlatformError(
  error: { readonly kind: PlatformErrorKind; readonly detail?: string | undefined },
  say: Words,
): string {
  const { errors } = say;
  const detail = error.detail ?? '';
  switch (error.kind) {
    case 'no-permission':
      return errors.noPermission(detail);
    case 'refused':
    case 'moderated':
      return errors.contentRefused(detail);
    case 'not-a-member':
      return errors.notMember;
    case 'too-large':
      return errors.tooLarge(detail);
    case 'file-not-allowed':
      return errors.fileNotAllowed;
    case 'expired':
      return errors.expired;
    case 'gone':
    case 'deleted':
      return errors.gone;
    case 'unreachable':
      return errors.unreachable;
  }
}
