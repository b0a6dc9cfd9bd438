/** A model that writes long answers as fast as models do: the service that all programs of a comparison ask. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox } from '../../../src/sandbox/index.ts';

/** A token's characters, on average. */
const chunkCharacters = 4;
/** How fast an answer is written: a hundred tokens a second. */
const chunkMilliseconds = 10;

/** An answer that's asked for by its number. */
interface Written {
  readonly text: string;
  readonly chunks: number;
  /** When its last words were written, in milliseconds of `performance.now()`; undefined before. */
  endedAt: number | undefined;
}

export class Model {
  readonly answers = new Map<number, Written>();
  /** Characters of an answer. */
  length = 8_000;
  #close = async () => {};

  /** Where it is, and its key. All but answers comes from the sandbox. */
  async start(): Promise<{ readonly SERVICE_BASE_URL: string; readonly SERVICE_API_KEY: string }> {
    const sandbox = await createSandbox({ limits: 'off' }).listen();
    const server = createServer((request, response) => {
      const isChat = request.url?.endsWith('/chat/completions');
      void (isChat ? this.#write(request, response) : forward(sandbox.url, request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    this.#close = async () => {
      server.closeAllConnections();
      server.close();
      await sandbox.close();
    };
    return {
      SERVICE_BASE_URL: `http://127.0.0.1:${port}${new URL(sandbox.url).pathname.replace(/\/$/, '')}`,
      SERVICE_API_KEY: sandbox.key,
    };
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #write(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    // The last question of a conversation.
    const number = Number([...body.matchAll(/question (\d+)/g)].at(-1)?.[1] ?? -1);
    const text = answerOf(number, this.length);
    const chunks = Math.ceil(text.length / chunkCharacters);
    const written: Written = { text, chunks, endedAt: undefined };
    this.answers.set(number, written);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const began = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(chunks, Math.ceil((performance.now() - began) / chunkMilliseconds));
      // One write each, as a model does that's not ahead of its reader.
      for (; sent < due; sent++)
        response.write(
          chunk({ content: text.slice(sent * chunkCharacters, (sent + 1) * chunkCharacters) }, null),
        );
      if (sent < chunks && !response.destroyed) return;
      clearInterval(timer);
      written.endedAt = performance.now();
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    }, chunkMilliseconds);
  }
}

/** Paragraphs and lists whose words count up, so that it shows which are missing. */
function answerOf(number: number, length: number): string {
  let text = '';
  for (let word = 0; text.length < length; word++) {
    text += `w${number}x${word}`;
    text += word % 120 === 119 ? '\n\n' : word % 120 === 60 ? '\n- ' : word % 17 === 0 ? ', ' : ' ';
  }
  return text.trimEnd();
}

/** The words of an answer in their order. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/w\d+x\d+/g) ?? [];
}

function chunk(delta: object, finish_reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'svc-llm-1.5' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = request.method === 'GET' ? undefined : await textOf(request);
  const headers = { ...(request.headers as Record<string, string>) };
  delete headers.host;
  delete headers['content-length'];
  const answer = await fetch(new URL(request.url ?? '/', url), {
    method: request.method ?? 'GET',
    headers,
    ...(body !== undefined && { body }),
  });
  response.writeHead(answer.status, {
    'content-type': answer.headers.get('content-type') ?? 'application/json',
  });
  response.end(Buffer.from(await answer.arrayBuffer()));
}
