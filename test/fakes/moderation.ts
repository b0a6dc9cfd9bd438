import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A moderation endpoint of OpenAI's shape, for one test. */
export interface FakeModeration {
  readonly url: string;
  /** What it was asked about, by request. */
  readonly asked: (readonly string[])[];
  readonly requests: { readonly body: string; readonly authorization: string | undefined }[];
  /** Answers instead of it. */
  respond: ((response: ServerResponse) => void) | undefined;
}

/** Flags as harassment what has “bad” in it. */
export async function startModeration(): Promise<FakeModeration> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    // Given up before all of it came.
    if (!request.complete) return;
    const { input } = JSON.parse(body) as { input: string[] };
    fake.asked.push(input);
    fake.requests.push({ body, authorization: request.headers.authorization });
    if (fake.respond) return fake.respond(response);
    const results = input.map((one) => {
      const flagged = one.includes('bad');
      return { flagged, categories: { harassment: flagged, violence: false }, category_scores: {} };
    });
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'modr-1', results }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const fake: FakeModeration = {
    url: `http://127.0.0.1:${port}/v1/moderations`,
    asked: [],
    requests: [],
    respond: undefined,
  };
  return fake;
}
