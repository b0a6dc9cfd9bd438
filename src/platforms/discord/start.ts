import type { Hono } from 'hono';
import type { Coordination } from '../../coordination/index.ts';
import type { CommandDispatcher } from '../../engine/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Meter } from '../../lib/telemetry.ts';
import { type Places, type Platform, refusalOf } from '../../port/index.ts';
import {
  type BegunBefore,
  createCapabilities,
  createFirstTime,
  type Database,
  isSilent,
  openKeyv,
} from '../../store/index.ts';
import { DiscordApi } from './api/api.ts';
import { sharedInvalidRequests, sharedRequests } from './api/rate-limits.ts';
import type { RestOptions } from './api/rest.ts';
import { Registration } from './commands/registration.ts';
import { Connections } from './connection/connections.ts';
import { requestShare, type Shards } from './connection/gateway.ts';
import { type Log, ownersOf } from './connection/own-application.ts';
import { type Download, download } from './media/attached-files.ts';
import { DiscordAdapter } from './post/adapter.ts';
import { createServices } from './post/services.ts';
import { LeftEvents, type ReceiverDependencies } from './receive/event-context.ts';
import { Interactions } from './receive/interactions.ts';
import { Messages } from './receive/messages.ts';
import { AllowedServers, Welcome } from './receive/new-servers.ts';
import { GatewayCache } from './servers/gateway-cache.ts';
import { RegisteredCommands } from './servers/registered-commands.ts';

export interface DiscordOptions {
  readonly token: string;
  /** REST root; the gateway's address is asked for there. */
  readonly apiUrl: string;
  /** Registers the commands in this server only. */
  readonly guildId?: string;
  readonly shards: Shards;
  /** The application's public key: then interactions come over HTTP, to the platform's `routes`. */
  readonly publicKey?: string;
  /** Asks for the privileged intent MESSAGE_CONTENT: then nobody has to mention the bot in its own threads. */
  readonly messageContent?: boolean;
  /** The servers where the bot works; every server if absent. */
  readonly allowedGuilds?: readonly string[];
  /** Whether a person is one of the bot's operators. */
  readonly isOperator: (person: string) => Promise<boolean>;
  readonly dispatcher: CommandDispatcher;
  /** Where the bot is, as Discord tells. */
  readonly places: Places;
  readonly database: Database;
  /** What a database that was restored may have lost of what was posted. */
  readonly begunBefore?: BegunBefore;
  /** With the other processes of the bot. */
  readonly coordination: Coordination;
  readonly meter?: Meter;
  readonly clock: Clock;
  readonly log: Log & ReceiverDependencies['log'];
  /** How much other people's words may add to a question, in estimated tokens. */
  readonly contextTokens: number;
  /** Reads files that people attached; from Discord's own hosts by default. */
  readonly download?: Download;
}

/** Discord, with what it receives over HTTP. */
export interface DiscordPlatform extends Platform {
  /** Where Discord sends interactions; undefined if they come over the gateway. */
  readonly routes: Hono | undefined;
}

/** Starts Discord. It connects in the background, so that an outage of Discord doesn't stop the rest of the bot. */
export function startDiscord(options: DiscordOptions): DiscordPlatform {
  const { token, apiUrl, guildId, shards, dispatcher, database, clock, log, coordination } = options;
  const records = openKeyv(database, 'discord', () => clock.now());
  const measured = options.meter && { meter: options.meter };
  const { untilAlive } = coordination;
  const limits = requestLimits(coordination, shards);
  const api = new DiscordApi({ token, apiUrl, ...limits, ...measured, untilAlive, clock });
  const logFailure = (error: unknown) =>
    refusalOf(error) === 'expired'
      ? log.warn({ error }, 'an interaction reached the bot too late, or took too long to acknowledge')
      : log.error({ error }, 'an event from Discord failed');
  const isCommandsServer = (id: string) => guildId === undefined || guildId === id;
  const connections = new Connections({
    ...{ token, api, shards, coordination, records, clock, log },
    places: options.places,
    ...(options.publicKey !== undefined && { publicKey: options.publicKey }),
    ...(options.messageContent && { messageContent: true }),
    onReady: (applicationId) => void registration.begin(applicationId),
    onServer: (server) => {
      if (allowedServers?.allows(server.id) === false) void allowedServers.leaveIfNotAllowed(server);
      else if (isCommandsServer(server.id)) void welcome.greetIfNew(server);
    },
    // With the bot, the commands of a single server were removed.
    onInvited: (id) => id === guildId && void registration.begin(identity().applicationId),
    settings: options.allowedGuilds ?? [],
    onInteraction: (interaction, isLeft) => {
      const { promise: recorded, resolve: onRecorded } = Promise.withResolvers<void>();
      const handled = interactions.handle(interaction, onRecorded, isLeft);
      const ended = handled.catch(logFailure).finally(() => connections.end(interaction.id));
      return Promise.race([recorded, ended]);
    },
    onMessage: (message, isLeft) => {
      const { promise: recorded, resolve: onRecorded } = Promise.withResolvers<void>();
      return Promise.race([recorded, messages.handle(message, onRecorded, isLeft).catch(logFailure)]);
    },
    onDeleted: (deleted) => dispatcher.deleted(deleted).catch(logFailure),
    onCommandPermissions: (serverId) => registered.forgetPermissions(serverId),
  });
  const { servers } = connections;
  const identity = () => connections.identity;
  const registered = new RegisteredCommands({ api, guildId, servers, identity, clock, log });
  const registration = new Registration({
    ...{ api, guildId, records, clock, log },
    commands: dispatcher.commands,
    onRegistered: (all) => registered.learn(all),
  });
  const services = createServices({
    ...options,
    ...{ api, identity, servers, registered, records },
    capabilities: createCapabilities(database, 'discord', () => clock.now()),
    expectLiving: coordination.expectLiving,
    gateway: new GatewayCache(servers, clock),
    download: options.download ?? download,
  });
  const firstTime = createFirstTime(records);
  const { allowedGuilds: guilds, isOperator, contextTokens } = options;
  const allowedServers = guilds && new AllowedServers({ ...services, guilds, isOperator, firstTime, log });
  const receiving: ReceiverDependencies = {
    ...services,
    ...measured,
    ...{ dispatcher, contextTokens, records, firstTime, log },
    isSilent: () => isSilent(database),
    ...(allowedServers && { allowedServers }),
    leftEvents: new LeftEvents(services),
    readsAll: () => connections.readsAll,
    isLeaving: () => connections.isLeaving,
    acknowledge: (...response) => connections.acknowledge(...response),
    rolesAmong: (server, ids) => connections.rolesAmong(server, ids),
  };
  const interactions = new Interactions(receiving);
  const messages = new Messages(receiving);
  const welcome = new Welcome({ ...services, records, clock, log });
  connections.open();
  return {
    adapter: new DiscordAdapter(services),
    routes: connections.routes,
    operators: async () => ownersOf(await api.application()),
    notReady: () => connections.notReady() ?? registration.notReady(),
    caughtUp: () => connections.caughtUp(),
    hears: (address) => connections.hears(address),
    isIn: (server) => api.isIn(server),
    forgetPerson: (person) => services.knownLocales.forget(person),
    connections: () => connections.shards,
    leaveToOthers: () => connections.leaveToOthers(),
    stopReceiving: () => connections.close(),
    close: async () => {
      registration.close();
      api.close();
    },
  };
}

/** All processes on one database keep Discord's limits together; those without that, by their shards. */
function requestLimits(
  { slots, tally }: Coordination,
  shards: Shards,
): Pick<RestOptions, 'requests' | 'invalidRequests' | 'share'> {
  if (!slots) return { share: requestShare(shards) };
  const { name, count, milliseconds } = sharedRequests;
  const invalid = sharedInvalidRequests;
  return {
    requests: slots(name, count, milliseconds),
    invalidRequests: tally?.(invalid.name, invalid.milliseconds),
  };
}
