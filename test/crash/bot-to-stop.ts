import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { openDatabase } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { sampleStudio } from '../e2e/support/sample-studio.ts';
import { processEnvironment } from '../process-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { BotProcess } from './bot-process.ts';
import { createDiscordPlace, type DiscordPlace } from './discord-place.ts';
import type { Wish } from './place.ts';

/** A bot on Discord, a process of its own, that a test tells to stop; it ends with the test. */
export class BotToStop {
  readonly place: DiscordPlace;
  readonly environment: Readonly<Record<string, string>>;
  #process: BotProcess | undefined;

  private constructor(place: DiscordPlace, environment: Readonly<Record<string, string>>) {
    this.place = place;
    this.environment = environment;
  }

  static async start(): Promise<BotToStop> {
    const folder = await temporaryFolder();
    const place = await createDiscordPlace();
    endsWithTest(() => place.close());
    const service = await createSandbox({ pace: 4, limits: 'off', media: sampleStudio }).listen();
    endsWithTest(() => service.close());
    const stopped = new BotToStop(place, {
      ...place.environment,
      SERVICE_BASE_URL: service.url,
      SERVICE_API_KEY: service.key,
      DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
      PORT: '0',
    });
    endsWithTest(() => stopped.process.kill());
    await stopped.restart();
    await place.ready();
    return stopped;
  }

  get process(): BotProcess {
    if (!this.#process) throw new Error('it has not started');
    return this.#process;
  }

  /** Starts it again, on the same data. */
  async restart(): Promise<void> {
    this.#process = await BotProcess.start(this.environment);
  }

  /** Has it tell a story of so many words, and waits for the first of them. */
  async tells(words: number): Promise<void> {
    this.place.give({ command: 'ask', prompt: `tell me a story of ${words} words` });
    await this.place.until('the first words', () =>
      this.place.texts().some((text) => text.includes('sandbox')),
    );
  }

  /** Starts it after a render whose request may not have been sent, tells it to stop meanwhile, and looks at the render. */
  async keepsRender(at: string, signals: string): Promise<void> {
    const { place } = this;
    const wish: Wish = { command: 'video', prompt: 'a kite over the sea' };
    place.give(wish);
    await place.until('a render under way', () => place.texts().some((text) => text.includes(wish.prompt)));
    expect(await this.process.stop()).toBe(0);
    // As if the process had died before the request was sent.
    await this.#query(`UPDATE renders SET state = 'reserved', task_id = NULL`);

    expect(await this.#endOfStart(at, signals)).toBe(0);
    const [render] = await this.#query<{ state: string }>('SELECT state FROM renders');
    expect(['reserved', 'waiting']).toContain(render?.state);

    await this.restart();
    await place.until('the video', () => place.fate(wish).delivered > 0);
    expect(place.fate(wish)).toEqual({ delivered: 1, uncertain: 0, told: 0 });
  }

  /** The status of one that is told to stop while it starts; null where the signal killed it. */
  async #endOfStart(STOP_AT: string, STOP_SIGNALS: string): Promise<number | null> {
    const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
    const child = spawn(process.execPath, ['--import', at('stop-in-start.ts'), at('../../src/main.js')], {
      env: { ...processEnvironment, ...this.environment, STOP_AT, STOP_SIGNALS },
      stdio: 'ignore',
    });
    const [status] = await once(child, 'exit');
    return status;
  }

  /** Runs a query on the database while no bot has it. */
  async #query<Row>(text: string): Promise<Row[]> {
    const database = await openDatabase(this.environment.DATABASE_URL ?? '');
    try {
      return (await sql<Row>`${sql.raw(text)}`.execute(database)).rows;
    } finally {
      await database.destroy();
    }
  }
}
