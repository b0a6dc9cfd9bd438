import { onTestFinished } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { FakeStudio } from './fake-studio.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

/** A sandbox of one test, and a hand that sends it requests. */
export class Service {
  readonly url: string;
  readonly studio: FakeStudio;
  readonly faults: unknown[];
  readonly close: () => Promise<void>;

  constructor(url: string, studio: FakeStudio, faults: unknown[], close: () => Promise<void>) {
    this.url = url;
    this.close = close;
    this.studio = studio;
    this.faults = faults;
  }

  raw(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(path.startsWith('http') ? path : this.url + path, {
      method,
      headers: { authorization: 'Bearer sk-svc-test', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered> {
    const response = await this.raw(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answered> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered> {
    return this.call('POST', path, body, headers);
  }

  chat(question: string, more: object = {}): Promise<Answered> {
    return this.post('/chat/completions', chatBody(question, more));
  }

  /** Asks how far a task is until it is finished. */
  async finished(path: string): Promise<Answered> {
    for (;;) {
      const answered = await this.get(path);
      if (answered.status !== 200 || ['succeeded', 'failed'].includes(answered.body.status)) return answered;
    }
  }

  async meter(): Promise<Answered['body']> {
    return (await this.get('/sandbox/meter')).body;
  }
}

export function chatBody(question: string, more: object = {}): object {
  return { model: 'svc-llm-1.5', messages: [{ role: 'user', content: question }], ...more };
}

/** Starts a sandbox that is as fast as it can be, unless the test wants it otherwise. */
export async function startService(options: SandboxOptions = {}): Promise<Service> {
  const studio = new FakeStudio();
  const faults: unknown[] = [];
  const sandbox = createSandbox({
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    media: studio,
    report: (error) => faults.push(error),
    ...options,
  });
  const { url, close } = await sandbox.listen();
  onTestFinished(close);
  return new Service(url, studio, faults, close);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
