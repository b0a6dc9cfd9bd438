import { readSetting } from '../config/config.ts';

/**
 * The container’s health check: exit status 0 if the bot of this container answers at `/healthz`, else 1. It gets the
 * container’s settings from the environment.
 */

/** How long the bot may take to answer, in milliseconds. */
const patience = 4_000;

/** An address to reach a server at that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

async function isHealthy(): Promise<boolean> {
  const [host, port] = [readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT')];
  try {
    const answer = await fetch(`http://${reachable(host)}:${port}/healthz`, {
      signal: AbortSignal.timeout(patience),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

process.exitCode = (await isHealthy()) ? 0 : 1;
