import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../process-environment.ts';

const thisVersion = fileURLToPath(new URL('../..', import.meta.url));
/** A start takes some seconds of processor time, which a busy machine gives it in its own time; in milliseconds. */
const patience = 120_000;
/** Lines of its log that are kept. */
const kept = 5_000;

/** The bot as a process of its own, so that it can be killed as a power cut would. */
export class BotProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly url: string;
  /** Its id among the processes of the bot. */
  readonly process: string;

  private constructor(child: ChildProcess, lines: string[], { url, process }: Ready) {
    this.#child = child;
    this.#lines = lines;
    this.url = url;
    this.process = process;
  }

  /** Starts it, and waits until it answers and every platform is connected. */
  static async start(
    environment: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
    {
      project = thisVersion,
      entry = 'src/main.js',
      waitsForReady = true,
      onLine = (_line: string) => {},
      /** Aborted, it's killed wherever its start has come to, which then fails. */
      dies = new AbortController().signal,
    } = {},
  ): Promise<BotProcess> {
    const child = spawn(process.execPath, [...nodeOptions, join(project, entry)], {
      cwd: project,
      env: { ...processEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    dies.addEventListener('abort', () => child.kill('SIGKILL'));
    const lines: string[] = [];
    child.stderr?.on('data', (data) => lines.push(String(data)));
    const { promise: listening, resolve } = Promise.withResolvers<Ready>();
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line);
      onLine(line);
      if (lines.length > kept) lines.splice(0, kept / 2);
      const entry = parse(line);
      if (entry.msg === 'ready') resolve({ url: String(entry.url), process: String(entry.process) });
    });
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the bot ended with ${signal ?? code} as it started:\n${lines.join('\n')}`);
    });
    ended.catch(() => {});
    try {
      const complaint = () => `the bot did not start:\n${lines.join('\n')}`;
      const begun = await within(patience, Promise.race([listening, ended]), complaint);
      const bot = new BotProcess(child, lines, begun);
      if (waitsForReady) await bot.ready();
      return bot;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** As a power cut: at once, with nothing said. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** As an operator stops it. */
  async stop(): Promise<number | null> {
    const ended = this.end();
    this.signal('SIGTERM');
    return ended;
  }

  /** Resolves with the status it ends with; null where a signal killed it. */
  async end(): Promise<number | null> {
    await within(patience, once(this.#child, 'exit'), () => `the bot did not stop:\n${this.log}`);
    return this.#child.exitCode;
  }

  /** Sends it a signal, and does not wait. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves when it has logged this message. */
  async said(message: string): Promise<void> {
    const until = Date.now() + patience;
    while (!this.#lines.some((line) => parse(line).msg === message)) {
      if (Date.now() > until) throw new Error(`it never said ${message}:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Sends something to what was preloaded with `nodeOptions`, and resolves with its answer. */
  async ask<Answer>(request: object): Promise<Answer> {
    const answered = once(this.#child, 'message');
    this.#child.send(request);
    const [answer] = await answered;
    return answer as Answer;
  }

  /** Whether it has ended by itself, and how. */
  get ended(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null ? undefined : `${signalCode ?? exitCode}`;
  }

  /** Its id among the processes of the machine. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything that's kept of its log. */
  get wholeLog(): string {
    return this.#lines.join('\n');
  }

  get log(): string {
    return this.#lines.slice(-40).join('\n');
  }

  /** A machine that is very busy may cut the connection. */
  async #readiness(): Promise<{ readonly ok: boolean; readonly reasons: string }> {
    try {
      const answer = await fetch(`${this.url}/readyz`);
      return { ok: answer.ok, reasons: await answer.text() };
    } catch (error) {
      return { ok: false, reasons: String(error) };
    }
  }

  /** Resolves when every platform is connected. */
  async ready(): Promise<void> {
    const until = Date.now() + patience;
    for (;;) {
      const { ok, reasons } = await this.#readiness();
      if (ok) return;
      if (this.ended !== undefined)
        throw new Error(`it ended with ${this.ended} as it started:\n${this.log}`);
      if (Date.now() > until) throw new Error(`not ready: ${reasons}\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** What it says of itself when it's ready. */
interface Ready {
  readonly url: string;
  readonly process: string;
}

function parse(line: string): { readonly msg?: unknown; readonly url?: unknown; readonly process?: unknown } {
  try {
    return JSON.parse(line) as object;
  } catch {
    return {};
  }
}

async function within<T>(milliseconds: number, work: Promise<T>, complaint: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
