import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeSlack } from '../slack.ts';

/** Another host, that keeps what it is sent: a token must never come here. */
export interface Elsewhere {
  readonly origin: string;
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

export async function startElsewhere(): Promise<Elsewhere> {
  const requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A private file: its bytes for a token that may read it, a sign-in page elsewhere for anybody else. */
export function downloadAnswer(
  slack: FakeSlack,
  name: string,
  authorization: string | undefined,
  response: ServerResponse,
): void {
  const [teamId = '', fileId = ''] = name.split('-');
  const file = slack.world.workspaces.get(teamId)?.files.get(fileId);
  const installation = slack.world.installations.get(authorization?.replace('Bearer ', '') ?? '');
  const workspaces = installation?.state === 'active' ? slack.world.reach(installation) : [];
  const allowed = workspaces.some((one) => one.id === teamId) && installation?.scopes.has('files:read');
  if (!allowed || slack.redirectsDownloads) {
    response.writeHead(302, { location: `${slack.elsewhere.origin}/signin?redir=${fileId}` }).end();
    return;
  }
  slack.world.useScope('files:read', 'download');
  if (!file?.bytes) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': file.mimetype, 'content-length': file.length }).end(file.bytes);
}
