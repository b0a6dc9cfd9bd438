import { safeWord, scrub } from '../scrub.ts';
import { anyField, anyText, asText, isObject, parseJson } from './read.ts';

/** Content of an error body of any shape, without keys. */
export interface ErrorBody {
  /** Only for the requester: it may repeat the request. At most 500 characters. */
  message?: string | undefined;
  code?: string | undefined;
  type?: string | undefined;
  requestId?: string | undefined;
  /** An HTTP status named in the body, 400 to 599. */
  status?: number | undefined;
}

const longestMessage = 500;

/**
 * Decodes `{error: {message, type, code}}`, `{error: "…"}`, `{code, message}`, `{detail}`, `{errors: […]}`, plain
 * text. HTML is dropped, because it is useless to a person.
 */
export function decodeErrorBody(text: string): ErrorBody {
  const trimmed = text.trim();
  const value = parseJson(trimmed);
  if (value !== undefined && typeof value !== 'string') return decodeErrorValue(value);
  const message = typeof value === 'string' ? value : trimmed;
  return message.startsWith('<') ? {} : { message: shorten(message) };
}

/** The same for parsed JSON. */
export function decodeErrorValue(value: unknown): ErrorBody {
  const inner = innermost(value);
  const status = Number(anyText(inner, 'status', 'statuscode', 'code') ?? anyText(value, 'code'));
  return {
    message: shorten(messageOf(inner) ?? messageOf(value)),
    code: safeWord(anyField(inner, 'code', 'errorcode', 'type') ?? anyField(value, 'code', 'type')),
    type: safeWord(anyField(inner, 'type') ?? anyField(value, 'type')),
    requestId: safeWord(anyField(inner, 'requestid', 'traceid') ?? anyField(value, 'requestid', 'traceid')),
    status: status >= 400 && status <= 599 ? status : undefined,
  };
}

/** Whether a 2xx response is actually an error. */
export function isErrorValue(value: unknown): boolean {
  if (!isObject(value)) return false;
  const error = anyField(value, 'error', 'errors');
  if (Array.isArray(error)) return error.length > 0;
  if (isObject(error)) return Object.keys(error).length > 0;
  return error !== undefined && error !== false && error !== '' && error !== 0;
}

function innermost(value: unknown): unknown {
  const inner = anyField(value, 'error', 'errors', 'detail');
  const first = Array.isArray(inner) ? inner[0] : inner;
  return isObject(first) ? first : value;
}

function messageOf(value: unknown): string | undefined {
  return (
    anyText(value, 'message', 'msg', 'detail', 'error', 'errormessage', 'errormsg', 'description', 'title') ??
    asText(value)
  );
}

function shorten(text: string | undefined): string | undefined {
  const clean = text && scrub(text).trim();
  return clean ? clean.slice(0, longestMessage) : undefined;
}
