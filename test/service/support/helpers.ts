import { expect } from 'vitest';
import { type ClientOptions, type Download, ServiceClient } from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { FakeClock, settle } from '../../fakes/clock.ts';
import { RawServer, type Reply, type Script } from './raw-server.ts';

export const key = 'sk-svc-test-KEY_0123456789';

/** Limits of time so long that a test which steps through pauses never meets one by chance. */
export const patient = Object.fromEntries(
  'waiting chat streamStart streamIdle stream speech image submit read task downloadIdle download'
    .split(' ')
    .map((name) => [name, 1e12]),
) as NonNullable<ClientOptions['timeouts']>;

/** A client against a server of bytes, with a clock that stands still; both end with the test. */
export interface Stage {
  server: RawServer;
  client: ServiceClient;
  clock: FakeClock;
  logged: { level: string; event: string; fields: Record<string, unknown> }[];
}

export async function stage(
  script: Script = () => undefined,
  options: Partial<ClientOptions> = {},
): Promise<Stage> {
  const server = await RawServer.start(script);
  const clock = new FakeClock();
  const logged: Stage['logged'] = [];
  const logTo = (level: string) => (fields: object, message: string) =>
    logged.push({ level, event: message.replace('service: ', ''), fields: { ...fields } });
  const client = new ServiceClient({
    baseUrl: server.baseUrl,
    apiKey: key,
    clock,
    log: { debug: logTo('debug'), info: logTo('info'), warn: logTo('warn') },
    random: () => 0.5,
    ...options,
  });
  endsWithTest(() => server.close());
  endsWithTest(() => client.close());
  return { server, client, clock, logged };
}

/** Moves the clock on, second by second, until the promise is settled; returns how it was. */
export async function outcome<T>(clock: FakeClock, promise: Promise<T>): Promise<T | Error> {
  let settled = false;
  const result = promise.then(
    (value) => value,
    (error: Error) => error,
  );
  void result.finally(() => {
    settled = true;
  });
  while (!settled) await clock.advance(1_000);
  return result;
}

/** The error a promise fails with; the test fails where it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

/** Lets the event loop turn until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

export const ask = { model: 'svc-llm-1.5', messages: [{ role: 'user', content: 'hello' }] } as const;
export const say = { input: 'hello', voice: 'en_male_tim_uranus_bigtts' } as const;
export const draw = { prompt: 'a cat' } as const;
export const film = { prompt: 'a cat' } as const;

/** The text and the end of a stream. */
export async function collect<T extends { type: string; text?: string }>(
  events: AsyncIterable<T>,
): Promise<{ text: string; end: T | undefined }> {
  let text = '';
  let end: T | undefined;
  for await (const event of events) {
    if (event.type === 'text') text += event.text;
    else end = event;
  }
  return { text, end };
}

export const png = Buffer.from(`\x89PNG\r\n\x1a\n${'0'.repeat(100)}`, 'latin1');

/** A server that answers its requests with these values in turn, and with the last one from then on. */
export const json =
  (...values: unknown[]): Script =>
  (_, reply, index) =>
    reply.json(200, values[Math.min(index, values.length - 1)]);

/** A server that answers every request with these chunks of a stream, and then ends it. */
export const answering =
  (...chunks: (string | Uint8Array)[]) =>
  (_: unknown, reply: Reply) => {
    reply.startEvents();
    for (const chunk of chunks) reply.chunk(chunk);
    reply.end();
  };

/** What a stream of these chunks is read as. */
export async function read(...chunks: (string | Uint8Array)[]) {
  const { client } = await stage(answering(...chunks));
  return collect(client.chat.stream(ask));
}

export async function bytesOf({ stream }: Download): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream));
}

/** One Chat Completions chunk as an event. */
export function delta(content: unknown, rest: Record<string, unknown> = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...rest }] })}\n\n`;
}

export const stop = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
export const done = 'data: [DONE]\n\n';

/** So many streamed answers of which the first word is read, and what ends each; the first of them by itself, too. */
export async function begun(
  count = 1,
  headers: Record<string, string> = {},
  encoded: (text: string) => string | Uint8Array = (text) => text,
) {
  const replies: Reply[] = [];
  const set = await stage((_, reply) => {
    replies.push(reply);
    reply.startEvents(headers);
    reply.chunk(encoded(delta('a')));
  });
  const answers = [];
  for (let index = 0; index < count; index++) {
    const leaving = new AbortController();
    const events = set.client.chat.stream(ask, { signal: leaving.signal });
    expect(await events.next()).toEqual({ done: false, value: { type: 'text', text: 'a' } });
    answers.push({ events, leaving });
  }
  const [{ events, leaving }, reply] = [answers[0]!, replies[0]!];
  return { ...set, answers, events, leaving, reply, closed: reply.closed };
}
