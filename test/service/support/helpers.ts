import { type ClientOptions, ServiceClient } from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { FakeClock, settle } from '../../fakes/clock.ts';
import { RawServer, type Script } from './raw-server.ts';

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
  const client = new ServiceClient({
    baseUrl: server.baseUrl,
    apiKey: key,
    clock,
    log: (level, event, fields) => logged.push({ level, event, fields }),
    random: () => 0.5,
    ...options,
  });
  endsWithTest(() => server.close());
  endsWithTest(() => client.close());
  return { server, client, clock, logged };
}

export function closeAfterwards(close: () => Promise<void>): void {
  endsWithTest(close);
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

/** One Chat Completions chunk as an event. */
export function delta(content: unknown, rest: Record<string, unknown> = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...rest }] })}\n\n`;
}

export const stop = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
export const done = 'data: [DONE]\n\n';
