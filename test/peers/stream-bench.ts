/**
 * How fast a chat stream is read, from socket to text, beside the `openai` client: the same bytes from the same
 * local server, which runs in a worker of its own. Prints microseconds for each delta, and the ratio.
 */
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import OpenAI from 'openai';
import { ServiceClient } from '../../src/service/index.ts';
import { median } from '../bench/support/median.ts';

const deltas = 20_000;
const rounds = 7;
const key = 'sk-svc-bench';
const question = { model: 'svc-llm-1.5', messages: [{ role: 'user', content: 'hello' }] } as const;

/** How many events the server puts into one write: one is a model at work, many is a service that is ahead. */
const bunches = [1, 20] as const;

type Reader = (baseUrl: string) => Promise<number>;

if (isMainThread) await main();
else serve();

function serve(): void {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'svc-llm-1.5', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const server = createServer((request, response) => {
    const bunch = Number(request.url?.split('/')[1] ?? 1);
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let written = 0;
      const write = () => {
        while (written < deltas) {
          written += bunch;
          if (!response.write(chunk({ content: 'word ' }, null).repeat(bunch))) {
            response.once('drain', write);
            return;
          }
        }
        response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      };
      write();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined);
  });
}

async function main(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  for (const bunch of bunches) {
    const baseUrl = `http://127.0.0.1:${port}/${bunch}/v1`;
    const [own, peer] = await race(baseUrl, readWithTroupe, readWithOpenAI);
    const each = (milliseconds: number) => ((milliseconds * 1_000) / deltas).toFixed(2);
    console.log(
      `${deltas} deltas, ${bunch} to a write: troupe ${each(own)} µs, openai ${each(peer)} µs a delta; ` +
        `${(peer / own).toFixed(2)} times as fast`,
    );
  }
  await worker.terminate();
}

/** The median times of two readers in milliseconds, taken in turns so that both meet the same machine. */
async function race(baseUrl: string, one: Reader, other: Reader): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const [index, read] of [one, other].entries()) {
      const start = performance.now();
      const length = await read(baseUrl);
      const time = performance.now() - start;
      if (length !== deltas * 5) throw new Error(`read ${length} characters instead of ${deltas * 5}`);
      // The first round warms up.
      if (round > 0) times[index]?.push(time);
    }
  }
  return [median(times[0]), median(times[1])];
}

async function readWithTroupe(baseUrl: string): Promise<number> {
  const client = new ServiceClient({ baseUrl, apiKey: key });
  let length = 0;
  for await (const event of client.chat.stream(question))
    if (event.type === 'text') length += event.text.length;
  await client.close();
  return length;
}

async function readWithOpenAI(baseURL: string): Promise<number> {
  const client = new OpenAI({ baseURL, apiKey: key });
  const messages = question.messages.map((message) => ({ ...message }));
  const stream = await client.chat.completions.create({ model: question.model, messages, stream: true });
  let length = 0;
  for await (const chunk of stream) length += chunk.choices[0]?.delta.content?.length ?? 0;
  return length;
}
