import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isForwarded } from '../../src/http/local-request.ts';
import { freePort } from '../free-port.ts';
import { compose } from './compose.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'haproxy.cfg'), 'utf8');
const { proxy } = compose.services;
const bots = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
const upstreams = bots.map(([name, { environment }]) => `${name}:${environment?.PORT}`);

/** The lines of each section, by its first line. */
const sections = new Map<string, string[]>();
let section: string[] = [];
for (const line of text.split('\n').filter((one) => one.trim() !== '' && !/^\s*#/.test(one))) {
  if (line.startsWith(' ')) section.push(line.trim());
  else {
    section = [];
    sections.set(line, section);
  }
}
const secondsOf = (line: RegExp) => Number(line.exec(text)?.[1]);

/** Ways to write a path that a bot's server reads as `/metrics`. */
const metricsPaths = [
  '/metrics',
  '/%6Detrics',
  '/./metrics',
  '/a/../metrics',
  '/slack/../metrics',
  '/slack/%2E%2e/metrics',
  '/slack/.%2e/metrics',
  '/slack/x\\..\\..\\metrics',
  '/console/../metrics',
];

/** What the rules of the file say of a path: those for names of rules, of which one has to match. */
function isLetThrough(path: string): boolean {
  const patterns = (start: string) =>
    (sections.get('frontend people') ?? [])
      .filter((line) => line.startsWith(start))
      .flatMap((line) => line.slice(start.length).trim().replaceAll('\\\\', '\\').split(' '));
  const isOutside =
    patterns('acl outside path ').includes(path) ||
    patterns('acl outside path_beg ').some((beginning) => path.startsWith(beginning));
  const leadsElsewhere = patterns('acl elsewhere path_sub -i ').some((part) =>
    path.toLowerCase().includes(part),
  );
  return isOutside && !leadsElsewhere;
}

describe('haproxy.cfg', () => {
  it('spreads everything but metrics over the bots of compose.yaml', () => {
    expect([...sections.keys()]).toEqual([
      'global',
      'defaults',
      'frontend people',
      'backend bots',
      'resolvers here',
      'frontend health',
    ]);
    expect(sections.get('frontend people')).toEqual([
      'bind :8080',
      'acl outside path / /healthz /readyz',
      'acl outside path_beg /console /slack/ /discord/',
      'acl elsewhere path_sub -i /. %2e \\\\',
      'http-request return status 404 unless outside !elsewhere',
      'option forwardfor',
      'default_backend bots',
    ]);
    const servers = sections.get('backend bots')?.filter((line) => line.startsWith('server '));
    expect(servers).toEqual(upstreams.map((one) => `server ${one.split(':')[0]} ${one}`));
    expect(sections.get('backend bots')).toContain('option httpchk GET /healthz');
  });

  it.each(metricsPaths)('keeps %s from the outside, which a bot takes for its metrics', (path) => {
    expect(new URL(path, 'http://bot.example').pathname.replace('%6D', 'm')).toBe('/metrics');
    expect(isLetThrough(path)).toBe(false);
  });

  it.each([
    '/',
    '/healthz',
    '/readyz',
    '/console',
    '/console/files/a1/image%20of%20%E6%BD%AE.png',
    '/slack/events',
    '/discord/interactions',
  ])('lets %s through', (path) => {
    expect(isLetThrough(path)).toBe(true);
  });

  it('fits compose.yaml', () => {
    expect(Object.keys(proxy?.depends_on ?? {}).sort()).toEqual(bots.map(([name]) => name).sort());
    expect(proxy?.ports).toEqual(['127.0.0.1:8080:8080']);
    expect(proxy?.volumes).toEqual(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    const bind = sections.get('frontend health')?.[0]?.replace('bind ', '');
    expect(proxy?.healthcheck?.test.at(-1)).toBe(`http://${bind}/`);
  });

  it('waits long enough for the console’s streams, and not too long for a platform’s events', () => {
    const stream = readFileSync(join(root, 'src/platforms/console/feed/feed.ts'), 'utf8');
    const heartbeat = Number(/const heartbeat = ([\d_]+)/.exec(stream)?.[1]?.replace('_', '')) / 1_000;
    expect(secondsOf(/timeout server (\d+)s/)).toBeGreaterThan(2 * heartbeat);
    expect(secondsOf(/timeout client (\d+)s/)).toBeGreaterThan(2 * heartbeat);
    // They have to be acknowledged within three seconds, also by the second bot that’s tried.
    expect(secondsOf(/timeout connect (\d+)s/)).toBeLessThan(2);
  });
});

const program = ['/usr/local/sbin/haproxy', '/usr/sbin/haproxy', process.env.HAPROXY ?? ''].find(existsSync);

describe.runIf(program !== undefined)('HAProxy with it', () => {
  it('says whom it forwards for, sends what a dead bot can’t take to the other, and doesn’t hold streams up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-haproxy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const seen: IncomingHttpHeaders[] = [];
    const servers = await Promise.all(upstreams.map(() => standIn(seen)));
    const [port, inside] = [await freePort(), await freePort()];
    const moved = text.replace(':8080', `:${port}`).replace(':2020', `:${inside}`);
    const config = upstreams.reduce(
      (all, one, index) => all.replace(one, `127.0.0.1:${portOf(servers[index]!)}`),
      moved,
    );
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    const haproxy = spawn(program ?? '', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'pipe' });
    let said = '';
    haproxy.stderr.on('data', (data) => {
      said += data;
    });
    const exited = once(haproxy, 'exit');
    onTestFinished(async () => {
      haproxy.kill('SIGKILL');
      await exited;
    });
    const at = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`http://127.0.0.1:${inside}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isUp, { message: said }).toBe(true);

    const post = async () => {
      const headers = { 'x-forwarded-proto': 'https' };
      const answer = await fetch(`${at}/slack/events`, { method: 'POST', body: 'payload={}', headers });
      return answer.text();
    };
    const posts = async (count: number) => new Set(await Promise.all(Array.from({ length: count }, post)));
    const both = servers.map((server) => `${portOf(server)} payload={}`).sort();
    expect([...(await posts(20))].sort()).toEqual(both);
    expect(isForwarded(new Headers(seen[0] as Record<string, string>))).toBe(true);
    expect(seen[0]).toMatchObject({ 'x-forwarded-for': '127.0.0.1', host: `127.0.0.1:${port}` });
    // HTTPS ends in front of the proxy.
    expect(seen[0]).toMatchObject({ 'x-forwarded-proto': 'https' });

    servers[0]!.closeAllConnections();
    servers[0]!.close();
    expect([...(await posts(5))]).toEqual([`${portOf(servers[1]!)} payload={}`]);

    const events = await fetch(`${at}/console/events`);
    const { value } = await events.body!.getReader().read();
    expect(Buffer.from(value!).toString()).toBe('data: 1\n\n');
    for (const path of metricsPaths) expect(await statusOf(port, path), path).toBe(404);
    expect(await statusOf(port, '/console')).toBe(200);
    // With a stream that is open.
    haproxy.kill('SIGUSR1');
    await exited;
  });
});

/** The status of a path as it's written: `fetch` would undo its dots. */
async function statusOf(port: number, path: string): Promise<number | undefined> {
  const request = get({ host: '127.0.0.1', port, path });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** Answers like a bot: with its port and what was posted, with a stream of events, with its health. */
async function standIn(seen: IncomingHttpHeaders[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url === '/console/events') return void response.write('data: 1\n\n');
    if (request.url === '/healthz') return void response.end('ok');
    seen.push(request.headers);
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(`${portOf(server)} ${body}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
