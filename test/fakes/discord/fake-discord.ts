import { ApplicationCommandType } from 'discord-api-types/v10';
import type { Clock } from '../../../src/lib/clock.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { patience } from '../../patience.ts';
import { passUntil } from '../calm.ts';
import type { FakeClock } from '../clock.ts';
import type { Faults } from './faults.ts';
import { Events } from './gateway/events.ts';
import { Gateway } from './gateway/gateway.ts';
import { Http } from './http/http.ts';
import { OpenApi } from './http/open-api.ts';
import { type BucketName, type BucketRule, RateLimits } from './http/rate-limits.ts';
import { type CommandPermission, Commands } from './interactions/commands.ts';
import { Endpoint } from './interactions/endpoint.ts';
import { Interactions } from './interactions/interactions.ts';
import type { Journal } from './journal.ts';
import { Messages } from './messages/messages.ts';
import { Threads } from './messages/threads.ts';
import type { Channel, Guild, Interaction, Message, User } from './model.ts';
import { Person } from './person.ts';
import type { Readings } from './readings.ts';
import { World } from './world.ts';

export interface FakeDiscordOptions {
  /** Time of ids, interaction tokens, nonces and message ages. */
  readonly clock?: Clock;
  /** Time of rate limit windows and gateway sends; the library waits in real time, so the machine's by default. */
  readonly rateClock?: Clock;
  readonly buckets?: Partial<Record<BucketName, BucketRule>>;
  /** How long it waits for the first response to an interaction, in milliseconds of `clock`; three seconds by default. */
  readonly waitsFor?: number;
  /** A test's time, which jumps from timer to timer while `until` waits; otherwise it waits in real time. */
  readonly jumping?: FakeClock;
  /** Uncertain rules that are read differently than by default. */
  readonly readings?: Partial<Readings>;
}

let openApi: OpenApi | undefined | null = null;

/** A strict test server with Discord's REST API and gateway, as far as a bot needs them, on a random port. */
export class FakeDiscord {
  readonly token = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs';
  readonly world: World;
  readonly gateway: Gateway;
  readonly messages: Messages;
  readonly commands: Commands;
  readonly threads: Threads;
  readonly rateLimits: RateLimits;
  readonly http: Http;
  readonly events: Events;
  /** Where interactions are sent if the owner set a URL for them. */
  readonly endpoint: Endpoint;
  /** The REST root, as `DISCORD_API_URL` wants it. */
  apiUrl = '';

  readonly #jumping: FakeClock | undefined;

  private constructor(options: FakeDiscordOptions) {
    this.#jumping = options.jumping;
    const clock = options.clock ?? options.jumping ?? systemClock;
    const rateClock = options.rateClock ?? options.jumping ?? systemClock;
    this.world = new World(clock, options.readings);
    this.events = new Events(this.world, (name, data, guildId) => this.gateway.dispatch(name, data, guildId));
    this.messages = new Messages(this.world, this.events);
    this.threads = new Threads(this.world, this.events);
    this.commands = new Commands(this.world);
    this.rateLimits = new RateLimits(rateClock, options.buckets);
    if (openApi === null) openApi = OpenApi.load();
    const interactions = new Interactions(this.world, this.messages, this.threads, options.waitsFor);
    this.endpoint = new Endpoint(this.world, interactions, () => this.journal, openApi);
    const parts = {
      world: this.world,
      messages: this.messages,
      interactions,
      threads: this.threads,
      commands: this.commands,
      gatewayInfo: () => this.gateway.info(),
    };
    this.http = new Http(parts, this.rateLimits, openApi, this.token);
    this.gateway = new Gateway(this.http.server, this.world, this.token, rateClock, () => this.journal);
  }

  static async start(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
    const discord = new FakeDiscord(options);
    const port = await discord.http.listen();
    discord.gateway.listen(port);
    discord.apiUrl = `http://127.0.0.1:${port}/api`;
    return discord;
  }

  async close(): Promise<void> {
    this.gateway.close();
    await this.http.close();
  }

  get faults(): Faults {
    return this.http.faults;
  }

  get journal(): Journal {
    return this.http.journal;
  }

  /** A person who types, presses and writes. */
  person(user: User): Person {
    return new Person(this, user);
  }

  /** Somebody new, in a server. */
  addPerson(guild: Guild, ...user: Parameters<World['addUser']>): Person {
    const added = this.world.addUser(...user);
    this.world.addMember(guild, added);
    return this.person(added);
  }

  /** An administrator says in Server Settings → Integrations who may use a command, or the whole app, and where. */
  permit(guild: Guild, command: string | undefined, permissions: readonly CommandPermission[]): void {
    const { applicationId } = this.world;
    const { ChatInput } = ApplicationCommandType;
    const id =
      command === undefined ? applicationId : String(this.commands.find(command, ChatInput, guild.id).id);
    this.commands.permit(guild.id, id, permissions);
    const body = {
      id,
      application_id: applicationId,
      guild_id: guild.id,
      permissions: permissions.map((one) => ({ ...one })),
    };
    this.events.commandPermissionsUpdated(guild, body);
  }

  /** The messages of a channel or thread, oldest first; ephemeral ones on request. */
  messagesIn(channel: Pick<Channel, 'id'>, options: { ephemeral?: boolean } = {}): readonly Message[] {
    return this.world.messagesIn(channel.id, options);
  }

  /** What an interaction opened, once that's a form, to be sent. */
  async opened(interaction: Interaction): Promise<Interaction> {
    await this.until('the form', () => interaction.modal);
    return interaction;
  }

  /** The first message with these words in a place, one that only one person sees included, once it's there. */
  told(place: Pick<Channel, 'id'>, words: string): Promise<Message> {
    return this.until(words, () =>
      this.messagesIn(place, { ephemeral: true }).find(({ content }) => content.includes(words)),
    );
  }

  /** What one person alone sees in a place. */
  aside(place: Pick<Channel, 'id'>, { user }: Person): readonly Message[] {
    return this.messagesIn(place, { ephemeral: true }).filter(({ onlyFor }) => onlyFor === user.id);
  }

  /** Waits until `look` returns something other than undefined, null or false. */
  async until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
    if (this.#jumping) {
      let found: T | undefined | null | false;
      const isFound = () => {
        found = look();
        return found !== undefined && found !== null && found !== false;
      };
      if (!(await passUntil(this.#jumping, isFound))) throw this.#inVain(what);
      return found as T;
    }
    return await new Promise<T>((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined || found === null || found === false) return;
        stop();
        resolve(found);
      };
      const timer = setTimeout(() => {
        stop();
        reject(this.#inVain(what));
      }, patience.timeout);
      // What the bot does without a request causes no change event here.
      const looking = setInterval(check, 10);
      const stop = () => {
        clearTimeout(timer);
        clearInterval(looking);
        this.world.off('change', check);
      };
      this.world.on('change', check);
      setImmediate(check);
    });
  }

  #inVain(what: string): Error {
    const last = this.journal.requests.slice(-5).map((request) => `${request.status} ${request.route}`);
    const said = [...this.world.messages.values()].slice(-5).map((message) => message.content.slice(0, 200));
    return new Error(
      `Waited in vain for ${what}; last requests: ${last.join(', ')}; last messages: ${said.join(' | ')}`,
    );
  }

  /** The bytes of a file by its URL, whatever the signature. */
  fileBytes(url: string): Uint8Array | undefined {
    return this.world.files.get(url.split('?')[0] ?? '');
  }
}
