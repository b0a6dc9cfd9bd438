import { DatabaseSync } from 'node:sqlite';
import type { FullDisk } from './inside.ts';
import type { Interception } from './interception.ts';
import type { ChaosWorld } from './world.ts';

/** Something that goes wrong for a while. */
export interface Trouble {
  readonly name: string;
  /** How long it lasts, in milliseconds of the bot's time. */
  readonly milliseconds: number;
  /** Begins it; what it answers ends it. */
  begin(world: ChaosWorld): Promise<() => Promise<void>>;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

function at(
  name: string,
  place: 'service' | 'discord' | 'slack',
  interception: Interception,
  milliseconds = minute,
): Trouble {
  return {
    name,
    milliseconds,
    async begin({ interceptor, ports }) {
      interceptor.begin(ports[place], interception);
      return async () => interceptor.end(ports[place]);
    },
  };
}

const slow: Interception = { kind: 'slow', milliseconds: 400 };
const stalled: Interception = { kind: 'stall' };
const down: Interception = { kind: 'down' };
const answer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Interception => ({
  kind: 'answer',
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const serviceLimit = answer(429, { error: { message: 'Too many requests' } }, { 'retry-after': '20' });
const wrongKey = answer(401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } });
const noCredits = answer(402, { error: { message: 'Out of credits', code: 'insufficient_credits' } });
const discordLimit = answer(
  429,
  { message: 'You are being rate limited.', retry_after: 2, global: true },
  { 'retry-after': '2', 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
);
const slackLimit = answer(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '5' });

function sockets(place: 'discord' | 'slack'): Trouble {
  return {
    name: `${place} drops its sockets every 2 s`,
    milliseconds: minute,
    async begin({ places, scale }) {
      const timer = setInterval(() => places[place].dropSockets(), (2 * second) / scale);
      return async () => clearInterval(timer);
    },
  };
}

function full(...what: readonly FullDisk[]): Trouble {
  return {
    name: `the disk of the ${what.join(' and the ')} is full`,
    milliseconds: minute,
    async begin({ inside }) {
      await inside({ do: 'disk-full', what });
      return async () => void (await inside({ do: 'disk-full', what: [] }));
    },
  };
}

function clockStep(name: string, milliseconds: number): Trouble {
  return {
    name,
    milliseconds: 10 * second,
    async begin({ inside }) {
      await inside({ do: 'step-clock', milliseconds });
      return async () => {};
    },
  };
}

const locked: Trouble = {
  name: 'the database is locked',
  milliseconds: minute,
  async begin({ databaseFile }) {
    const database = new DatabaseSync(databaseFile);
    database.exec('pragma busy_timeout = 5000; begin immediate');
    return async () => database.close();
  },
};

const gone: Trouble = {
  name: 'the database is gone',
  milliseconds: minute,
  async begin({ inside }) {
    await inside({ do: 'database-gone', gone: true });
    return async () => void (await inside({ do: 'database-gone', gone: false }));
  },
};

const killed: Trouble = {
  name: 'the process is killed and started again',
  milliseconds: second,
  async begin(world) {
    await world.restart();
    return async () => {};
  },
};

/** Every bad day there is. */
export const troubles: readonly Trouble[] = [
  at('the service is slow', 'service', slow),
  at('the service stalls', 'service', stalled),
  at('the service is down', 'service', down),
  at('the service answers 429 for ten minutes', 'service', serviceLimit, 10 * minute),
  at('the service does not accept the key', 'service', wrongKey),
  at('the account is out of credits', 'service', noCredits),
  at('discord is slow', 'discord', slow),
  at('discord is down', 'discord', down),
  at('discord answers 429 to everything', 'discord', discordLimit),
  sockets('discord'),
  at('slack is slow', 'slack', slow),
  at('slack is down', 'slack', down),
  at('slack answers 429 to everything', 'slack', slackLimit),
  sockets('slack'),
  locked,
  gone,
  full('database'),
  full('files'),
  full('log'),
  full('database', 'files', 'log'),
  clockStep('the clock jumps an hour ahead', hour),
  clockStep('the clock jumps an hour back', -hour),
  killed,
];
