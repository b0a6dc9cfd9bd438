import { GatewayIntentBits } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { Fields } from '../http/fields.ts';
import { shardOf } from '../snowflakes.ts';

interface SentEvent {
  readonly sequence: number;
  readonly name: string;
  readonly data: Fields;
}

/** What an IDENTIFY asks for. */
export interface Identified {
  readonly intents: number;
  readonly shard: readonly [number, number];
  /** How many servers it is about: so many events are kept for each (discord-api-docs#24). */
  readonly guilds: number;
}

/** One shard's session. It outlives its socket, so that missed events are sent after a RESUME. */
export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  /** The last events, for a RESUME. */
  readonly events: SentEvent[] = [];
  /** What people see beside the bot's name. */
  presence: Fields | undefined;
  /** When its socket was lost, by the server's clock. */
  lostAt: number | undefined;
  readonly #kept: number;
  #sequence = 0;
  #socket: WebSocket | undefined;

  constructor(id: string, { intents, shard, guilds }: Identified, socket: WebSocket) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
    this.#kept = Math.max(100, Math.min(3500, guilds * 75));
    this.#socket = socket;
  }

  get connected(): boolean {
    return this.#socket !== undefined;
  }

  /** The sequence of its last event. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether everything after `sequence` is still kept. */
  reaches(sequence: number): boolean {
    return sequence >= (this.events[0]?.sequence ?? this.#sequence + 1) - 1;
  }

  /**
   * Takes over a new socket and sends everything after `sequence`, and `again` events before it once more. RESUMED says
   * that what follows is new (events/gateway, resuming), so an earlier one isn't among it.
   */
  resume(socket: WebSocket, sequence: number, again: number): void {
    this.#socket = socket;
    this.lostAt = undefined;
    for (const event of this.events)
      if (event.sequence > sequence - again && event.name !== 'RESUMED') this.#write(event);
    this.send('RESUMED', {});
  }

  /** Its socket is lost; another one may have taken over. */
  detach(socket: WebSocket, now: number): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.lostAt = now;
  }

  socket(): WebSocket | undefined {
    return this.#socket;
  }

  /** Sends an event, or keeps it for the resumption. */
  send(name: string, data: Fields): void {
    const event = { sequence: ++this.#sequence, name, data };
    this.events.push(event);
    if (this.events.length > this.#kept) this.events.shift();
    this.#write(event);
  }

  /** Sends an event if the session's shard and intents include it (events/gateway, intents). */
  offer(name: string, data: (intents: number) => Fields, guildId: string | undefined): void {
    const shard = guildId === undefined ? 0 : shardOf(guildId, this.shard[1]);
    if (shard !== this.shard[0] || !this.#intended(name, guildId)) return;
    this.send(name, data(this.intents));
  }

  #intended(name: string, guildId: string | undefined): boolean {
    if (name === 'INTERACTION_CREATE') return true;
    if (!name.startsWith('MESSAGE_')) return (this.intents & GatewayIntentBits.Guilds) !== 0;
    const needed = guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
    return (this.intents & needed) !== 0;
  }

  #write(event: SentEvent): void {
    this.#socket?.send(JSON.stringify({ op: 0, s: event.sequence, t: event.name, d: event.data }));
  }
}
