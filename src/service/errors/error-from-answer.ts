import type { ErrorBody } from '../decode/error-body.ts';
import {
  AuthenticationError,
  ContentRefusedError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RejectedRequestError,
  ServerError,
} from './answered-errors.ts';
import type { ErrorFacts, Operation, Outcome, ServiceError } from './service-error.ts';

/** A response that is an error. */
export interface ErrorAnswer {
  operation: Operation;
  /** The HTTP status; 200 if the error came in the body of a successful response or during a stream. */
  status: number;
  body: ErrorBody;
  requestId?: string | undefined;
  /** Milliseconds the response asks to wait. */
  retryAfter?: number | undefined;
  /** Whether part of the result had arrived: then the request was processed, whatever the error says. */
  begun?: boolean;
}

const speaksOfCredit = /insufficient|balance|billing|credit|arrears|payment/i;
const speaksOfContent = /content[_.-]?(?:policy|filter)|moderation|safety|sensitive|nsfw|prohibited/i;
const speaksOfRate = /rate.?limit|too.?many.?requests/i;
const speaksOfKey = /invalid.?api.?key|unauthori[sz]ed|authentication/i;

/** The one place where a response becomes an error: class, outcome and whether to retry. */
export function errorFromAnswer(answer: ErrorAnswer): ServiceError {
  const { body, operation } = answer;
  const words = `${body.code ?? ''} ${body.type ?? ''}`;
  // For an error in the body of a 200, the body counts instead of the status.
  const status = answer.status < 300 ? (body.status ?? statusOf(words)) : answer.status;
  const code = body.code ?? body.type;
  const ErrorClass = classOf(status, words);
  const outcome = ErrorClass === CreditError ? 'rejected' : outcomeOf(status, answer.retryAfter);
  const facts: ErrorFacts = {
    operation,
    status: answer.status,
    code,
    requestId: answer.requestId ?? body.requestId,
    retryAfter: answer.retryAfter,
    serviceMessage: body.message,
    outcome: answer.begun ? 'unknown' : outcome,
    retryable: ErrorClass === RateLimitError || (ErrorClass === ServerError && status !== 501),
  };
  const named = code === undefined ? '' : ` (${code})`;
  const sentence =
    answer.status < 300 ? 'the service reported an error' : `the service answered ${answer.status}`;
  return new ErrorClass(sentence + named, facts);
}

function statusOf(words: string): number {
  if (speaksOfRate.test(words)) return 429;
  return speaksOfKey.test(words) ? 401 : 200;
}

function classOf(status: number, words: string): typeof ServiceError {
  const refused = status < 500 && status !== 401;
  if (status === 402 || (refused && speaksOfCredit.test(words))) return CreditError;
  if (refused && status !== 429 && speaksOfContent.test(words)) return ContentRefusedError;
  switch (status) {
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionError;
    case 404:
    case 410:
      return NotFoundError;
    case 429:
      return RateLimitError;
    case 408:
    case 425:
      return ServerError;
    default:
      return status >= 300 && status < 500 ? RejectedRequestError : ServerError;
  }
}

function outcomeOf(status: number, retryAfter: number | undefined): Outcome {
  if (status === 429 || status === 425) return 'not-processed';
  if (status === 503) return retryAfter === undefined ? 'unknown' : 'not-processed';
  // 303 points to the result of a processed request; 408 or 499 may come from an intermediary.
  if (status === 303 || status === 408 || status === 499) return 'unknown';
  return status >= 300 && status < 500 ? 'rejected' : 'unknown';
}
