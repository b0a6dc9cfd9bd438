import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, consoleOn } from '../config/config.ts';
import { type Finding, fine, patience, wrong } from './finding.ts';

/** Checks whether the bot's HTTP server can listen at `HOST` and `PORT`. */
export async function checkAddress(config: Config): Promise<Finding[]> {
  const { HOST: host, PORT: port } = config;
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const page = `The console is ${consoleOn(config) ? 'on' : 'off'}.`;
  const fault = await faultOfListening(host, port);
  if (fault === undefined)
    return [
      fine(
        'address',
        `The bot can listen ${port === 0 ? `on any free port of ${host}` : `at ${at}`}. ${page}`,
      ),
    ];
  if (fault === 'EADDRINUSE' && (await isBot(at)))
    return [fine('address', `A bot is already running at ${at}. ${page}`)];
  return [wrong('address', ...explained(fault, at, host))];
}

/** What is wrong, and how to mend it, by the system's code. */
function explained(fault: string, at: string, host: string): [found: string, mend: string] {
  const elsewhere = 'set PORT and HOST to a port and an address of this machine';
  switch (fault) {
    case 'EADDRINUSE':
      return [`Another program is using ${at}.`, 'set PORT to a free port, or stop that program'];
    case 'EACCES':
      return [`This user isn’t allowed to listen at ${at}.`, 'set PORT to 1024 or higher'];
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return [`HOST, ${host}, isn’t an address of this machine.`, elsewhere];
    default:
      return [`The bot can’t listen at ${at} (${fault}).`, elsewhere];
  }
}

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
