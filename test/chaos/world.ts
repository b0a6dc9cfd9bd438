import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BotProcess } from '../crash/bot-process.ts';
import { createDiscordPlace } from '../crash/discord-place.ts';
import type { CrashPlace } from '../crash/place.ts';
import { CountingService } from '../crash/service.ts';
import { createSlackPlace } from '../crash/slack-place.ts';
import type { Request } from './inside.ts';
import { Interceptor } from './interception.ts';
import { scaledClock } from './scaled-clock.ts';

const preloaded = fileURLToPath(new URL('inside.ts', import.meta.url));

/** What the bot says in one line where it cannot start because of a lock. */
const locked = ': another process is using it; stop that process first';

/** The bot as a process of its own, with both platforms and the service in this one. */
export class ChaosWorld {
  readonly service: CountingService;
  readonly places: { readonly discord: CrashPlace; readonly slack: CrashPlace };
  readonly interceptor = new Interceptor();
  readonly databaseFile: string;
  /** How many times as fast the bot's time runs as this process's. */
  readonly scale: number;
  readonly ports: { readonly service: number; readonly discord: number; readonly slack: number };
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #hung = new Set<string>();
  #bot: BotProcess | undefined;
  /** It was not this process that ended the bot. */
  readonly deaths: string[] = [];

  private constructor(parts: {
    folder: string;
    scale: number;
    service: CountingService;
    account: { readonly url: string; readonly key: string };
    places: ChaosWorld['places'];
  }) {
    const { folder, scale, service, account, places } = parts;
    this.#folder = folder;
    this.scale = scale;
    this.service = service;
    this.places = places;
    this.databaseFile = join(folder, 'troupe.db');
    this.ports = {
      service: Number(new URL(account.url).port),
      discord: places.discord.port,
      slack: places.slack.port,
    };
    this.#environment = {
      ...places.discord.environment,
      ...places.slack.environment,
      SERVICE_BASE_URL: account.url,
      SERVICE_API_KEY: account.key,
      DATABASE_URL: `sqlite:${this.databaseFile}`,
      CONFIRM_OVER_CREDITS: '1000000',
      RENDERS_PER_PERSON: '1000',
      CHAOS_SCALE: String(scale),
      LOG_LEVEL: process.env.CHAOS_LOG ?? 'info',
      PORT: '0',
    };
  }

  static async start(scale: number): Promise<ChaosWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
    const service = new CountingService();
    const account = await service.start();
    const clock = scaledClock(scale);
    const discord = await createDiscordPlace({ rateClock: clock });
    const slack = await createSlackPlace({ clock });
    const world = new ChaosWorld({ folder, scale, service, account, places: { discord, slack } });
    await world.#begin();
    return world;
  }

  /**
   * Kills the bot, and starts it again on the same data; its platforms may be away just then. Where it cannot start
   * because its database is locked, and says so, `revive` tries again, as whatever runs a bot does.
   */
  async restart(): Promise<void> {
    await this.#bot?.kill();
    await this.#startAgain();
  }

  /** Asks the bot's own process; where it could not start yet there is nobody to ask. */
  readonly inside = async <Answer>(request: Request): Promise<Answer> => {
    if (!this.#bot) await this.#startAgain();
    return this.#bot?.ask<Answer>(request) as Promise<Answer>;
  };

  /** Starts the bot again where it has ended by itself, and notes that; or where it could not start before. */
  async revive(): Promise<void> {
    const ended = this.#bot?.ended;
    if (this.#bot && ended === undefined) return;
    if (ended !== undefined) this.deaths.push(`${ended}\n${this.log}`);
    await this.#startAgain();
  }

  async #startAgain(): Promise<void> {
    this.#bot = undefined;
    await this.#startBot(false).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.includes(locked))) throw error;
    });
  }

  /** Whether something says that it is under way, other than what was told already. */
  isHanging(): boolean {
    return this.#hanging().length > 0;
  }

  /** What says that it is under way, each told once. */
  newlyHanging(): readonly string[] {
    const hanging = this.#hanging();
    for (const one of hanging) this.#hung.add(one);
    return hanging;
  }

  /** Resolves after so long of the bot's time, in milliseconds. */
  pass(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds / this.scale));
  }

  get log(): string {
    return this.#bot?.log ?? '';
  }

  async close(): Promise<void> {
    this.interceptor.close();
    await this.#bot?.kill();
    await this.service.close();
    await this.places.discord.close();
    await this.places.slack.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #hanging(): readonly string[] {
    const all = Object.values(this.places).flatMap((place) =>
      place.hanging().map((what) => `${place.name}: ${what}`),
    );
    return all.filter((one) => !this.#hung.has(one));
  }

  async #startBot(waitsForReady: boolean): Promise<void> {
    const nodeOptions = ['--expose-gc', '--import', preloaded];
    this.#bot = await BotProcess.start(this.#environment, nodeOptions, { waitsForReady });
  }

  async #begin(): Promise<void> {
    await this.#startBot(true);
    await this.places.discord.ready();
    await this.places.slack.ready();
  }
}
