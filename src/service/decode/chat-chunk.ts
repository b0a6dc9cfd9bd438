import { isErrorValue } from './error-body.ts';
import { asText, field, isObject } from './read.ts';
import { type ChatUsage, decodeUsage } from './usage.ts';

/** Content of one chunk of a stream, or of a whole answer. */
export interface ChatPiece {
  /** Text of the answer itself, without the model's reasoning. */
  text: string;
  /** Whether `text` is the whole answer (`message`) rather than its next part (`delta`). */
  whole: boolean;
  finishReason?: string | undefined;
  /** The error's container if the choice ended with one; it may also have a `finish_reason`. */
  error?: unknown;
  usage?: ChatUsage | undefined;
}

/**
 * Decodes a Chat Completions chunk or answer: `choices[].delta` or `choices[].message`, only the first choice.
 * `undefined` for anything else.
 */
export function decodeChatPiece(value: unknown): ChatPiece | undefined {
  const body = 'choices' in Object(value) ? value : (field(value, 'data') ?? value);
  const choices = field(body, 'choices');
  const usage = decodeUsage(field(body, 'usage'));
  if (!Array.isArray(choices)) return usage && { text: '', whole: false, usage };
  const choice = choices.find((entry) => (field(entry, 'index') ?? 0) === 0);
  const delta = field(choice, 'delta');
  const content = field(delta ?? field(choice, 'message'), 'content') ?? field(choice, 'text');
  const finishReason = asText(field(choice, 'finish_reason'));
  return {
    text: textOf(content),
    whole: delta === undefined,
    finishReason,
    error: finishReason === 'error' || isErrorValue({ error: field(choice, 'error') }) ? choice : undefined,
    usage: usage ?? decodeUsage(field(choice, 'usage')),
  };
}

/** A string, or the text of parts (`[{type: 'text', text}]`); empty if null or absent. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}
