import { apiKeyPattern } from '../service-rules/models.ts';
import { type Behavior, defaultBehavior, readBehavior } from './account/behavior.ts';
import { ApiError } from './http/api-error.ts';
import { Parameters } from './http/parameters.ts';
import { sandboxKey } from './sandbox.ts';

/** Settings of `npm run sandbox`. */
export interface SandboxSettings {
  readonly port: number;
  readonly host: string;
  readonly key: string;
  readonly behavior: Behavior;
}

/**
 * Reads PORT, HOST, SANDBOX_KEY and SANDBOX_SWITCHES, a JSON object as for the control endpoint. Returns one
 * line per invalid setting.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): SandboxSettings | { readonly faults: readonly string[] } {
  const { PORT, HOST, SANDBOX_KEY, SANDBOX_SWITCHES } = environment;
  const port = Number(PORT || 8788);
  const key = SANDBOX_KEY || sandboxKey;
  const behavior = parseBehavior(SANDBOX_SWITCHES || '{}');
  const faults: string[] = [];
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    faults.push('PORT: allowed: an integer from 0 to 65535.');
  if (!apiKeyPattern.test(key))
    faults.push('SANDBOX_KEY: allowed: sk-svc- followed by letters, digits, - and _.');
  if (typeof behavior === 'string') faults.push(`SANDBOX_SWITCHES: ${behavior}`);
  if (faults.length > 0 || typeof behavior === 'string') return { faults };
  return { port, host: HOST || '127.0.0.1', key, behavior };
}

/** Parses the behavior, or returns why it is invalid. */
function parseBehavior(text: string): Behavior | string {
  try {
    return readBehavior(new Parameters(JSON.parse(text)), defaultBehavior);
  } catch (error) {
    return error instanceof ApiError ? error.message : 'allowed: a JSON object such as {"pace":"instant"}.';
  }
}
