import { BudgetExceededError, CooldownError } from '../../credits/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import type { Log } from '../../ops/index.ts';
import { type CommandEnd, commandFor, type Job, type OptionFault, PlatformError } from '../../port/index.ts';
import { type Render, TooManyRendersError } from '../../renders/index.ts';
import type { CreditRange, PaidOperation } from '../../service-rules/prices.ts';
import {
  AuthenticationError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  ContentRefusedError,
  CreditError,
  type Fault,
  InvalidRequestError,
  type Operation,
  QueueFullError,
  RateLimitError,
  RejectedRequestError,
  ResultGoneError,
  ServiceError,
  TimeoutError,
  TruncatedStreamError,
  validateImage,
  validateVideo,
} from '../../service/index.ts';
import { bytesInWords, creditsInWords, explainPlatformError, type Words } from '../../words/index.ts';
import { budgetExceeded, cooldownLasts, type Reader } from '../policy/limits.ts';

/** An error as a person reads it: one sentence that says what to do, without internals. */
export function explain(error: unknown, say: Words, reader: Reader): string {
  if (error instanceof InputError) return error.sentence(say);
  if (error instanceof TooManyRendersError) return say.tooManyRenders(error.most);
  if (error instanceof BudgetExceededError) return budgetExceeded(error, say, reader);
  if (error instanceof CooldownError) return cooldownLasts(error, say);
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
  return isAboutOptions(error) || error instanceof TooManyRendersError || error instanceof CooldownError;
}

/**
 * Whether an error is about what the person typed. A wrong voice is refused by the service itself if its list of voices
 * couldn't be read before.
 */
function isAboutOptions(error: unknown): boolean {
  if (error instanceof InputError || error instanceof InvalidRequestError) return true;
  if (!(error instanceof RejectedRequestError) || error instanceof ContentRefusedError) return false;
  return error.operation === 'speech' && error.outcome === 'rejected';
}

/** Whether a stop of the bot cut a call to the service off, which is nobody's fault. */
function isCutOff(error: unknown): boolean {
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
  if (error instanceof RateLimitError) return errors.rateLimit;
  if (error instanceof QueueFullError) return errors.queueFull;
  if (error instanceof TruncatedStreamError) return errors.truncated;
  const mayCharge = isPaid(error.operation) && error.outcome === 'unknown';
  if (isCutOff(error)) return mayCharge ? say.noticeUncertain : say.shuttingDown;
  if (error instanceof ConnectionError) return mayCharge ? errors.connectionMayCharge : errors.connection;
  if (error instanceof TimeoutError) return mayCharge ? errors.timeoutMayCharge : errors.timeout;
  if (error.outcome === 'rejected') return errors.refused(error.serviceMessage ?? error.code);
  return mayCharge ? errors.serverMayCharge : errors.server;
}

/** Whether it's about the key or its account, which only those who run the bot can mend. */
function isOfKey(error: ServiceError): boolean {
  return error instanceof AuthenticationError || error instanceof CreditError;
}

function isPaid(operation: Operation): operation is PaidOperation {
  return Object.hasOwn(commandFor, operation);
}

/** The command people know an operation by. */
function commandNameOf(operation: Operation): string {
  return isPaid(operation) ? commandFor[operation] : operation;
}

/** The option that a field of the service's request comes from, if its name is different. */
const optionNames: Readonly<Record<string, string>> = {
  input: 'text',
  reference_images: 'reference_urls',
  reference_image_urls: 'image_urls',
  reference_video_urls: 'video_urls',
};

/** @throws {InvalidRequestError} before anything is posted or sent. */
export function checkImage(request: object): void {
  const faults = validateImage(request);
  if (faults.length > 0) throw new InvalidRequestError('image', faults);
}

/** @throws {InvalidRequestError} before anything is posted or sent. */
export function checkVideo(request: object): void {
  const faults = validateVideo(request);
  if (faults.length > 0) throw new InvalidRequestError('video', faults);
}

/** Options with too many choices for a sentence: the command that lists them. */
const listedBy: Readonly<Record<string, string>> = { voice: '/voices' };

/** A value that isn't in the list that a command shows. */
export function notListed(option: string, given: string): OptionFault {
  return { option, code: 'not-listed', given, allowed: listedBy[option] ?? '' };
}

/** Broken rules of the service's description as faults of the options a person typed. */
export function optionFaults(faults: readonly Fault[]): readonly OptionFault[] {
  return faults.map((fault) => {
    const field = fault.field.replace(/[[.][\s\S]*$/, '');
    const given = fault.given === undefined ? {} : { given: String(fault.given) };
    return { option: optionNames[field] ?? field, ...given, ...rule(fault) };
  });
}

function rule(fault: Fault): Pick<OptionFault, 'code' | 'allowed'> {
  const limit = String(fault.limit);
  switch (fault.code) {
    case 'required':
      return { code: 'missing' };
    case 'range':
      return { code: 'out-of-range', allowed: `${fault.min}–${limit}` };
    case 'integer':
      return { code: 'not-an-integer', allowed: '0, 1, 2, …' };
    case 'too-long':
      return { code: fault.unit === 'bytes' ? 'too-many-bytes' : 'too-long', allowed: limit };
    case 'too-many':
      return { code: 'too-many', allowed: limit };
    case 'choice':
      return listedBy[fault.field]
        ? { code: 'not-listed', allowed: listedBy[fault.field] ?? '' }
        : { code: 'not-a-choice', allowed: fault.allowed?.join(', ') ?? '' };
    case 'https':
    case 'public':
      return { code: 'not-https', allowed: 'https://…' };
    case 'edit-needs-video':
      return { code: 'needs', allowed: 'video_1 … video_3, video_urls' };
    default:
      return { code: 'wrong-form', allowed: fault.allowed?.join(', ') ?? '?' };
  }
}

/** Something a person entered that can't be used. Nothing was sent, and nothing was spent. */
export class InputError extends Error {
  /** The fault and the allowed values, in a language. */
  readonly sentence: (say: Words) => string;

  constructor(sentence: (say: Words) => string) {
    super('input that cannot be used');
    this.name = 'InputError';
    this.sentence = sentence;
  }
}

/** A turn costs more than twice what its person has said yes to, or than is spent without asking: nothing is sent. */
export class PriceRisenError extends Error {
  readonly price: CreditRange;

  constructor(price: CreditRange) {
    super('the price has risen since it was confirmed');
    this.price = price;
  }
}

/** How a command ended that failed with this error. */
export function endOf(error: unknown): CommandEnd {
  if (isAboutOptions(error)) return { outcome: 'refused', reason: 'options' };
  if (error instanceof TooManyRendersError || error instanceof CooldownError)
    return { outcome: 'refused', reason: 'waiting' };
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

/** Why a render ended without a result, as a person reads it. */
function renderFault(render: Render, say: Words): string {
  const { errors } = say;
  const fault = render.fault;
  if (render.state === 'uncertain' && fault === undefined) return say.noticeUncertain;
  switch (fault?.code) {
    case undefined:
      return errors.unexpected;
    case 'canceled':
      return say.canceled;
    case 'server':
      return errors.serverMayCharge;
    case 'refused':
      return errors.refused(fault.reason);
    case 'failed':
      return errors.renderFailed(fault.reason);
    case 'deadline':
      return errors.mayCharge(errors.renderDeadline(fault.minutes));
    case 'unanswered':
      return errors.renderUnanswered(fault.days);
    case 'task-gone':
      return errors.mayCharge(errors.notFound);
    case 'result-gone':
      return errors.spent(errors.resultGone);
    case 'source-gone':
      return fault.isLost ? errors.imagesLost : errors.nothingSpent(errors.resultGone);
    case 'wrong-kind':
      return errors.wrongKind[render.kind];
    case 'result-too-large':
      return fault.link === undefined
        ? errors.tooLarge(bytesInWords(fault.limit))
        : say.tooLargeHere(bytesInWords(fault.bytes ?? fault.limit), bytesInWords(fault.limit));
    case 'delivery':
      return explainPlatformError(fault, say);
    case 'no-place':
      return errors.nothingSpent(explainPlatformError(fault, say));
    case 'not-sent':
      return errors.nothingSpent(
        {
          authentication: errors.unavailable,
          credit: errors.unavailable,
          'rate-limit': errors.rateLimit,
          unreachable: errors.connection,
        }[fault.error],
      );
  }
}

/** Why some of a job's renders have no result, each reason once. */
export function renderFaults(renders: readonly Render[], say: Words): string {
  const reasons = Map.groupBy(renders, (render) => renderFault(render, say));
  if (reasons.size === 1) return [...reasons.keys()].join('');
  return [...reasons].map(([reason, { length }]) => `${length} × ${reason}`).join('\n');
}

/** The link to a result that couldn't be posted. */
export function linkOf({ fault, result }: Render): { readonly link?: string } {
  const link = fault?.code === 'result-too-large' ? fault.link : result?.link;
  return link === undefined ? {} : { link };
}

/**
 * Logs that a command failed: as an error where trying again may help and no stop of the bot cut it off. @returns the level.
 */
export function logFailureOf(
  { id, command }: Job,
  error: unknown,
  log: Pick<Log, 'error' | 'info'>,
): 'error' | 'info' {
  const level = worthTryingAgain(error) && !isCutOff(error) ? 'error' : 'info';
  log[level]({ job: id, command, error }, 'command failed');
  return level;
}
