import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, consoleOn } from '../config/config.ts';
import { type Finding, fine, patience, wrong } from './finding.ts';

/** Checks whether the bot's HTTP server can listen at `HOST` and `PORT`. */
export async function checkAddress(config: Config): Promise<Finding[]> {
  const { HOST: host, PORT: port } = config;
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const page = consoleOn(config) ? 'the console is there' : 'the console is off';
  const fault = await faultOfListening(host, port);
  if (fault === undefined)
    return [fine('address', `${port === 0 ? `any free port of ${host}` : at}; ${page}`)];
  if (fault === 'EADDRINUSE' && (await isBot(at)))
    return [fine('address', `a bot is already running at ${at}; ${page}`)];
  return [
    wrong('address', `${at}: ${words[fault] ?? `can't listen here (${fault})`}`, mends[fault] ?? usual),
  ];
}

const usual = 'set PORT and HOST to a port and an address of this machine';
const words: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'not allowed for this user',
  EADDRNOTAVAIL: "HOST isn't an address of this machine",
  ENOTFOUND: "HOST isn't an address of this machine",
};
const mends: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set PORT to a free port, or stop that program',
  EACCES: 'set PORT to 1024 or higher',
};

/** The system's code for why nothing can listen there. */
async function faultOfListening(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  } finally {
    server.close();
  }
}

async function isBot(at: string): Promise<boolean> {
  try {
    const answer = await fetch(`${at}/healthz`, { signal: AbortSignal.timeout(patience) });
    return answer.ok && (await answer.text()) === 'ok\n';
  } catch {
    return false;
  }
}
