import type { FakeDiscord } from './index.ts';

const servers = new Set<FakeDiscord>();
const elsewhere = globalThis.fetch;

/** Answers requests for files at Discord's address, which is nowhere here, with those a test server keeps. */
export function serveFiles(discord: FakeDiscord): () => void {
  servers.add(discord);
  globalThis.fetch = async (...request) => {
    const address = request[0] instanceof Request ? request[0].url : String(request[0]);
    for (const server of servers) {
      const bytes = server.fileBytes(address);
      if (bytes) return new Response(Buffer.from(bytes));
    }
    return elsewhere(...request);
  };
  return () => {
    servers.delete(discord);
    if (servers.size === 0) globalThis.fetch = elsewhere;
  };
}
