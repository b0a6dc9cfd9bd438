import { PlatformError } from '../../../port/index.ts';

/**
 * Downloads a private file. The token goes only to Slack’s own hosts: other URLs are refused, and so are redirects,
 * because Slack sends those who may not read a file to a page on another host.
 */
export async function download(
  address: string,
  token: string,
  apiUrl: string,
  maxBytes: number,
): Promise<Uint8Array> {
  if (!isSlackHost(address, apiUrl)) throw new PlatformError('unreachable', 'not an address of Slack');
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  }).catch((error: unknown) => {
    throw new PlatformError('unreachable', undefined, { cause: error });
  });
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 404) throw new PlatformError('gone');
  if (response.status !== 200 || type.startsWith('text/html')) {
    await response.body?.cancel();
    throw new PlatformError('no-permission', 'files:read');
  }
  return readAtMost(response, maxBytes);
}

async function readAtMost(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new PlatformError('too-large', String(maxBytes));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Whether a URL is Slack’s, over https; so is one at the Web API's domain, where GovSlack has its files
 * (files.slack-gov.com). The Web API's own host counts with plain http, too, if it’s configured that way.
 */
function isSlackHost(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, hostname } = new URL(address);
  const api = new URL(apiUrl);
  if (host === api.host) return protocol === api.protocol;
  const isWithin = (domain: string) => hostname.endsWith(`.${domain}`);
  return (
    protocol === 'https:' && (hostname === 'slack.com' || isWithin('slack.com') || isWithin(api.hostname))
  );
}
