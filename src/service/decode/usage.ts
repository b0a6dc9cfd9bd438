import { field } from './read.ts';

/** Tokens of a chat answer, split like the price table (description, section 8). */
export interface ChatUsage {
  /** Prompt tokens neither read from nor written to the cache. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
}

/** More than any model reads or writes in one answer. A larger count is an error that would use up every budget. */
const mostTokens = 100_000_000;

/**
 * Decodes `prompt_tokens` and `completion_tokens` (prompt tokens include cached ones) or `input_tokens` and
 * `output_tokens` with separate cache tokens. `undefined` if neither is reported, or if a count is impossible.
 */
export function decodeUsage(value: unknown): ChatUsage | undefined {
  const usage = readUsage(value);
  return usage && Object.values(usage).every((tokens) => tokens <= mostTokens) ? usage : undefined;
}

function readUsage(value: unknown): ChatUsage | undefined {
  const prompt = count(field(value, 'prompt_tokens'));
  const input = prompt ?? count(field(value, 'input_tokens'));
  const output = count(field(value, 'completion_tokens', 'output_tokens'));
  if (input === undefined && output === undefined) return undefined;
  const details = field(value, 'prompt_tokens_details', 'input_tokens_details');
  const within = count(field(details, 'cached_tokens')) ?? count(field(value, 'prompt_cache_hit_tokens'));
  const withinCreation = count(field(details, 'cache_creation_tokens'));
  const cacheRead = within ?? count(field(value, 'cache_read_input_tokens')) ?? 0;
  const cacheCreation = withinCreation ?? count(field(value, 'cache_creation_input_tokens')) ?? 0;
  const apart = prompt === undefined && within === undefined && withinCreation === undefined;
  return {
    inputTokens: apart ? (input ?? 0) : Math.max(0, (input ?? 0) - cacheRead - cacheCreation),
    outputTokens: output ?? 0,
    cacheReadTokens: cacheRead,
    cacheCreationTokens: cacheCreation,
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
