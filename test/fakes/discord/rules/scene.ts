import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect } from 'vitest';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../clock.ts';
import { type Channel, FakeDiscord, type Guild, type Person } from '../index.ts';

/** What a request was answered with. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: number; readonly errors?: unknown; readonly [name: string]: unknown };
}

export interface Sent {
  readonly json?: unknown;
  readonly files?: readonly {
    readonly key?: string;
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
  }[];
  readonly token?: string;
}

/** A server with one channel, a person in it, and a way to send the bot's requests without any library. */
export interface Scene {
  readonly discord: FakeDiscord;
  readonly clock: FakeClock;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  api(method: string, path: string, sent?: Sent): Promise<Answered>;
  /** Allows or forbids the bot something in the whole server. */
  permit(bits: bigint): void;
  forbid(bits: bigint): void;
}

/** Everything a bot like this one is invited with. */
const ordinary =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendVoiceMessages |
  PermissionFlagsBits.UseApplicationCommands;

export async function startScene(): Promise<Scene> {
  const clock = new FakeClock();
  const discord = await FakeDiscord.start({ clock, rateClock: clock });
  endsWithTest(() => discord.close());
  const owner = discord.world.addUser('owner');
  const guild = discord.world.addGuild({ name: 'Analysts', owner, permissions: ordinary });
  const everyone = guild.roles.get(guild.id)!;
  return {
    discord,
    clock,
    guild,
    channel: discord.world.addChannel(guild, 'general'),
    ada: discord.addPerson(guild, 'ada'),
    permit: (bits) => {
      everyone.permissions |= bits;
    },
    forbid: (bits) => {
      everyone.permissions &= ~bits;
    },
    api: (method, path, sent = {}) => send(discord, method, path, sent),
  };
}

async function send(discord: FakeDiscord, method: string, path: string, sent: Sent): Promise<Answered> {
  const headers: Record<string, string> = { authorization: `Bot ${sent.token ?? discord.token}` };
  let body: FormData | string | undefined;
  if (sent.files) {
    body = new FormData();
    body.append('payload_json', JSON.stringify(sent.json ?? {}));
    for (const [index, file] of sent.files.entries())
      body.append(
        file.key ?? `files[${index}]`,
        new Blob([Buffer.from(file.bytes)], { type: file.type }),
        file.name,
      );
  } else if (sent.json !== undefined) {
    body = JSON.stringify(sent.json);
    headers['content-type'] = 'application/json';
  }
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Answered['body']) : {},
  };
}

/** How something is refused. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  /** The field a form error names, dotted. */
  readonly field?: string;
}

/** One row of a table of rules: who breaks it is refused so. */
export interface Rule extends Refusal {
  readonly rule: string;
  /** Page of Discord's public documentation. */
  readonly source: string;
  readonly attempt: (scene: Scene) => Promise<Answered>;
}

/** It's refused so, in a form that Discord's description has. */
export function expectRefused({ discord }: Scene, { status, body }: Answered, refusal: Refusal): void {
  expect(status).toBe(refusal.status);
  expect(body.code).toBe(refusal.code);
  if (refusal.field) expect(names(body.errors, refusal.field), JSON.stringify(body.errors)).toBe(true);
  expect(discord.journal.violations.filter((violation) => violation.startsWith('answer'))).toEqual([]);
}

/** Whether a form error's tree names the field. */
export function names(errors: unknown, field: string): boolean {
  let node = errors;
  for (const step of field.split('.')) node = (node as Record<string, unknown> | undefined)?.[step];
  return typeof node === 'object' && node !== null && '_errors' in node;
}

/** The smallest Ogg Opus file by its headers: `seconds` long, silent. */
export function oggOpus(seconds: number): Uint8Array {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt32LE(48_000, 12);
  return Buffer.concat([page(0n, head), page(BigInt(seconds * 48_000), Buffer.from([0]))]);
}

function page(granule: bigint, content: Buffer): Buffer {
  const header = Buffer.alloc(28);
  header.write('OggS', 0, 'latin1');
  header.writeBigInt64LE(granule, 6);
  header.writeUInt8(1, 26);
  header.writeUInt8(content.length, 27);
  return Buffer.concat([header, content]);
}
