import { commands } from '../../commands/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { FakeDiscord } from '../fakes/discord/index.ts';
import { type Channel, type FakePerson, FakeSlack, type Json } from '../fakes/slack/index.ts';
import { invited } from '../platforms/discord/support/invited.ts';

/** How the platform's own wait for an acknowledgement ended. */
export interface Taken {
  /** Undefined where it came in time, else why the person was told that the bot did not respond. */
  readonly missed: string | undefined;
}

/** A test server with many people in many channels. */
export interface SoakPlace {
  readonly name: 'discord' | 'slack';
  readonly environment: Readonly<Record<string, string>>;
  /** Does what the platform needs of a bot that has just started at `url`. */
  begin(url: string): Promise<void>;
  /** Has somebody type a command; resolves to what the bot's acknowledgement was like. */
  give(index: number, command: string, text: string): Promise<Taken>;
  /** Lets a request of the bot's fail. */
  disturb(random: number): void;
  /** Forgets what is long over, so that the test server's own memory stays small. */
  forget(): void;
  close(): Promise<void>;
}

const size = { servers: 10, channels: 20 };
/** Longer than a person waits for an acknowledgement, in milliseconds. */
const patience = 3_500;
/** Messages kept in a channel: enough for the answers under way there. */
const kept = 40;

/** Windows so short that nothing waits: a soak is about what is left over, not about pacing. */
const wide = { limit: 1_000, windowMilliseconds: 100 };
const buckets = { 'message-create': wide, 'message-edit': wide, webhook: wide, thread: wide, commands: wide };

export async function createDiscordSoakPlace(rateClock: Clock): Promise<SoakPlace> {
  const discord = await FakeDiscord.start({ buckets, rateClock });
  discord.gateway.identifyWindow = 0;
  const { world } = discord;
  const seats = Array.from({ length: size.servers }, (_, server) => {
    const guild = world.addGuild({
      name: `server ${server}`,
      owner: world.addUser('owner'),
      permissions: invited,
    });
    return Array.from({ length: size.channels }, (__, index) => ({
      person: discord.addPerson(guild, `person ${server} ${index}`),
      channel: world.addChannel(guild, `channel ${index}`),
    }));
  }).flat();

  return {
    name: 'discord',
    environment: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    begin: () =>
      discord.until('the commands', () => discord.commands.list('global').length > 0).then(() => {}),
    async give(index, command, text) {
      const { person, channel } = seats[index % seats.length] as (typeof seats)[number];
      const option = { ask: 'prompt', imagine: 'prompt', video: 'prompt', speak: 'text' }[command];
      const interaction = person.types(channel, {
        name: command,
        ...(option !== undefined && { options: { [option]: text } }),
      });
      const until = Date.now() + patience;
      while (interaction.acknowledgement === undefined && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return { missed: interaction.acknowledgement ? undefined : 'no acknowledgement' };
    },
    disturb(random) {
      const kinds = ['close', 'close-after', 'error'] as const;
      const kind = kinds[Math.floor(random * kinds.length)] ?? 'close';
      discord.faults.next('*', kind === 'error' ? { kind, status: 502 } : { kind });
    },
    forget() {
      discord.journal.requests.length = 0;
      for (const { channel } of seats) {
        const all = [...world.messages.values()].filter(({ channelId }) => channelId === channel.id);
        for (const { id } of all.slice(0, Math.max(0, all.length - kept))) world.messages.delete(id);
      }
      drop(world.interactions, kept * size.servers);
      drop(world.files, kept * size.servers);
    },
    close: () => discord.close(),
  };
}

const publicUrl = 'https://soak.example.com';

export async function createSlackSoakPlace(clock: Clock): Promise<SoakPlace> {
  let botUrl = '';
  const slack = await FakeSlack.start({
    manifest: slackManifest(commands, { prefix: '', url: publicUrl }) as unknown as Json,
    clock,
    send: (request) => fetch(new Request(request.url.replace(publicUrl, botUrl), request)),
  });
  const organization = 'E0SOAK';
  const workspaces = Array.from({ length: size.servers }, (_, index) =>
    slack.addWorkspace(`workspace${index}`, organization),
  );
  const [first] = workspaces;
  if (!first) throw new Error('no workspace');
  const administrator = slack.person(first, { name: 'administrator', admin: true });
  const seats: { person: FakePerson; channel: Channel }[] = workspaces.flatMap((workspace, server) =>
    Array.from({ length: size.channels }, (_, index) => {
      const person = slack.person(workspace, { name: `person${server}-${index}` });
      return { person, channel: slack.channel(workspace, `channel${index}`, [person]) };
    }),
  );

  return {
    name: 'slack',
    environment: {
      SLACK_CLIENT_ID: slack.credentials.clientId,
      SLACK_CLIENT_SECRET: slack.credentials.clientSecret,
      SLACK_STATE_SECRET: 'a-secret-of-the-soak-test',
      SLACK_SIGNING_SECRET: slack.credentials.signingSecret,
      SLACK_API_URL: slack.apiUrl,
    },
    async begin(url) {
      botUrl = url;
      const link = await fetch(`${url}/slack/install`, { redirect: 'manual' });
      const cookie = (link.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const back = slack.oauth.approve(link.headers.get('location') ?? '', administrator.user, true);
      const installed = await fetch(back.replace(publicUrl, url), { headers: { cookie } });
      if (!installed.ok) throw new Error(`not installed: ${installed.status}`);
    },
    async give(index, command, text) {
      const { person, channel } = seats[index % seats.length] as (typeof seats)[number];
      const line = ['ask', 'imagine', 'video', 'speak'].includes(command)
        ? `/${command} ${text}`
        : `/troupe ${command}`;
      const { ok, detail = 'no acknowledgement' } = (await person.types(line, channel)).acknowledged;
      return { missed: ok ? undefined : detail };
    },
    disturb(random) {
      const methods = ['chat.postMessage', 'chat.update', 'files.info', 'chat.postMessage'];
      const method = methods[Math.floor(random * methods.length)] ?? '*';
      slack.api.faults.plan(
        method,
        random < 0.5 ? { kind: 'cut', when: 'after' } : { kind: 'too-many', seconds: 2 },
      );
    },
    forget() {
      slack.api.calls.length = 0;
      slack.deliverer.deliveries.length = 0;
      for (const { channel } of seats) drop(channel.messages, kept);
      for (const workspace of workspaces) {
        workspace.ephemerals.length = 0;
        drop(workspace.files, kept * size.channels);
      }
    },
    close: () => slack.stop(),
  };
}

/** Leaves the latest of a map. */
function drop<Key>(map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
