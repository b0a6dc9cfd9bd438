import { apiKeyPattern } from '../service-rules/models.ts';
import { ApiError } from './http/api-error.ts';
import { Parameters } from './http/parameters.ts';
import { sandboxKey } from './sandbox.ts';
import { readSwitches, refuseUnknown, type Switches, usualSwitches } from './switches.ts';

/** What `npm run sandbox` is started with. */
export interface SandboxSettings {
  readonly port: number;
  readonly host: string;
  readonly key: string;
  readonly switches: Switches;
}

const usualPort = 8788;
const usualHost = '127.0.0.1';

/**
 * Reads PORT, HOST, SANDBOX_KEY and SANDBOX_SWITCHES, the last a JSON object as the control address takes it.
 * Returns one line per fault where something is wrong.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): SandboxSettings | { readonly faults: readonly string[] } {
  const { PORT, HOST, SANDBOX_KEY, SANDBOX_SWITCHES } = environment;
  const port = Number(PORT || usualPort);
  const key = SANDBOX_KEY || sandboxKey;
  const switches = parseSwitches(SANDBOX_SWITCHES || '{}');
  const faults = [
    Number.isInteger(port) && port >= 0 && port <= 65_535
      ? ''
      : 'PORT: allowed is an integer from 0 to 65535.',
    apiKeyPattern.test(key) ? '' : 'SANDBOX_KEY: allowed is sk-svc- and letters, digits, - and _.',
    typeof switches === 'string' ? `SANDBOX_SWITCHES: ${switches}` : '',
  ].filter((fault) => fault !== '');
  if (faults.length > 0 || typeof switches === 'string') return { faults };
  return { port, host: HOST || usualHost, key, switches };
}

/** The switches, or what is wrong with them. */
function parseSwitches(text: string): Switches | string {
  try {
    const body = new Parameters(JSON.parse(text));
    refuseUnknown(body, []);
    return readSwitches(body, usualSwitches);
  } catch (error) {
    return error instanceof ApiError ? error.message : 'allowed is a JSON object such as {"pace":"instant"}.';
  }
}
