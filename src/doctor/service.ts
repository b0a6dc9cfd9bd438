import type { Config } from '../config/config.ts';
import { sandboxIsInstalled } from '../embedded-sandbox.ts';
import {
  AuthenticationError,
  BadResponseError,
  ConnectionError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceClient,
  ServiceError,
  TimeoutError,
  type Voice,
} from '../service/index.ts';
import { type Finding, fine, patience, wrong } from './finding.ts';

/** Asks for the voices, which costs nothing and shows whether the key is taken. */
export async function checkService(config: Config): Promise<Finding[]> {
  const { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: apiKey = '', SERVICE_VOICE: voice } = config;
  if (baseUrl === undefined) return [checkSandbox()];
  const client = new ServiceClient({
    baseUrl,
    apiKey,
    limits: { tries: 1 },
    timeouts: { read: patience },
  });
  try {
    const voices = await client.voices.list();
    const key = fine('service', `${baseUrl} takes SERVICE_API_KEY and has ${voices.length} voices`);
    return [key, checkVoice(voices, voice)];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [wrong('service', `${baseUrl}: ${wordsOf(error)}`, mendOf(error))];
  } finally {
    await client.close();
  }
}

function checkSandbox(): Finding {
  return sandboxIsInstalled()
    ? fine('service', 'the embedded sandbox is used, as SERVICE_BASE_URL is not set')
    : wrong(
        'service',
        'SERVICE_BASE_URL is not set, and the embedded sandbox is not installed',
        'set SERVICE_BASE_URL and SERVICE_API_KEY, or install the development dependencies with npm ci',
      );
}

function checkVoice(voices: readonly Voice[], chosen: string): Finding {
  const ids = voices.map(({ id }) => id);
  return ids.includes(chosen)
    ? fine('voice', `${chosen} is one of the service's`)
    : wrong(
        'voice',
        `the service has no voice ${chosen}`,
        `set SERVICE_VOICE to one of ${ids.slice(0, 20).join(', ')}`,
      );
}

function wordsOf(error: ServiceError): string {
  const { status, code } = error;
  if (error instanceof ConnectionError) return `cannot be reached (${code ?? 'no connection'})`;
  if (error instanceof TimeoutError) return `gives no answer within ${patience / 1_000} seconds`;
  if (error instanceof BadResponseError) return 'answers with something that is no list of voices';
  return status === undefined ? error.message : `answers ${status} to the key`;
}

function mendOf(error: ServiceError): string {
  if (error instanceof AuthenticationError)
    return 'set SERVICE_API_KEY to a key of this service that was not deleted';
  if (error instanceof PermissionError)
    return 'allow the key of SERVICE_API_KEY to list voices, or set another';
  if (error instanceof CreditError) return 'add credits to the account of SERVICE_API_KEY';
  if (error instanceof NotFoundError || error instanceof BadResponseError)
    return 'check SERVICE_BASE_URL: there is no such service at this address';
  if (error instanceof RateLimitError) return 'wait a minute: the key has made all its requests of this one';
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return 'check SERVICE_BASE_URL and the way from here to there (network, firewall, DNS)';
  return 'try again later; if it stays this way, ask the people who run the service';
}
