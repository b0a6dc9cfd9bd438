import { type Config, isSandboxInstalled } from '../config/config.ts';
import { knownVoices } from '../service-rules/voices.ts';
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
    const count = voices.length === 1 ? '1 voice' : `${voices.length} voices`;
    const key = fine('service', `${baseUrl} accepts SERVICE_API_KEY, and has ${count}.`);
    return [key, checkVoice(voices, voice)];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [wrong('service', `${baseUrl} ${wordsOf(error)}.`, mendOf(error))];
  } finally {
    await client.close();
  }
}

function checkSandbox(): Finding {
  if (isSandboxInstalled())
    return fine('service', 'SERVICE_BASE_URL isn’t set, so the bot uses the embedded sandbox.');
  return wrong(
    'service',
    'SERVICE_BASE_URL isn’t set, and the embedded sandbox isn’t installed.',
    'set SERVICE_BASE_URL and SERVICE_API_KEY, or install the development dependencies with npm ci',
  );
}

function checkVoice(voices: readonly Voice[], chosen: string): Finding {
  // The bot uses what the description names, too, until others are listed.
  const ids = (voices.length > 0 ? voices : knownVoices).map(({ id }) => id);
  if (ids.includes(chosen))
    return fine(
      'voice',
      voices.length > 0
        ? `The service has ${chosen}.`
        : 'The service lists no voices, so those of its description are used.',
    );
  const mend = `set SERVICE_VOICE to one of ${ids.slice(0, 20).join(', ')}`;
  return wrong('voice', `The service has no voice ${chosen}.`, mend);
}

function wordsOf(error: ServiceError): string {
  const { status, code } = error;
  if (error instanceof ConnectionError) return `can’t be reached (${code ?? 'no connection'})`;
  if (error instanceof TimeoutError) return `doesn’t answer within ${patience / 1_000} seconds`;
  if (error instanceof BadResponseError) return 'doesn’t answer with a list of voices';
  return status === undefined ? `can’t be asked (${error.message})` : `answers ${status}`;
}

function mendOf(error: ServiceError): string {
  if (error instanceof AuthenticationError) return 'set SERVICE_API_KEY to a valid key of this service';
  if (error instanceof PermissionError) return 'let SERVICE_API_KEY list voices, or use another key';
  if (error instanceof CreditError) return 'add credits to the account of this key';
  const isRedirect = error.status !== undefined && error.status >= 300 && error.status < 400;
  if (error instanceof NotFoundError || error instanceof BadResponseError || isRedirect)
    return 'check SERVICE_BASE_URL: the service isn’t at this address';
  if (error instanceof RateLimitError) return 'wait a minute: the key has reached its rate limit';
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return 'check SERVICE_BASE_URL and the connection to it (network, firewall, DNS)';
  return 'try again later; if it keeps failing, ask the people who run the service';
}
