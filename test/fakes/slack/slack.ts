import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { passWhile } from '../calm.ts';
import type { FakeClock } from '../clock.ts';
import { type Acknowledged, Deliverer, type Delivery } from './events/delivery.ts';
import {
  authorization,
  eventCallback,
  messageEvents,
  organizationInstall,
  useEventScope,
} from './events/events.ts';
import { SocketMode } from './events/socket-mode.ts';
import { Api } from './http/api.ts';
import { downloadAnswer, type Elsewhere, startElsewhere } from './http/downloads.ts';
import { HttpMode, type Send } from './http/http-mode.ts';
import { eventScopes, readManifest } from './http/manifest.ts';
import { methodsOf } from './http/methods.ts';
import { type Credentials, Oauth } from './http/oauth.ts';
import { ResponseUrls } from './http/response-urls.ts';
import { type ShareFault, Uploads } from './messages/files.ts';
import { FakePerson } from './person.ts';
import type { Readings } from './readings.ts';
import type { Channel, Group, Installation, Json, Message, User, Workspace } from './records.ts';
import { Views } from './views/views.ts';
import { World } from './world.ts';

export interface FakeSlackOptions {
  /** The app's manifest: what is not in it, the app does not get. */
  readonly manifest: Json;
  readonly clock?: Clock;
  /** A test's time, which jumps from timer to timer while people wait for the app's acknowledgement; else a test moves it. */
  readonly jumping?: FakeClock | undefined;
  /** How requests reach the app in HTTP mode. */
  readonly send?: Send;
  /** How long Slack waits for an acknowledgement, in milliseconds of `clock`; three seconds by default. */
  readonly waitsFor?: number;
  /** What is uncertain, read otherwise than usual. */
  readonly readings?: Partial<Readings>;
}

/**
 * Slack as an app sees it, on this machine: Web API, Socket Mode, HTTP mode, response addresses, uploads
 * and downloads, OAuth; and the people in it, for tests. `rules.md` lists what it refuses.
 */
export class FakeSlack {
  readonly world: World;
  readonly credentials: Credentials;
  readonly views: Views;
  readonly responseUrls: ResponseUrls;
  readonly oauth: Oauth;
  readonly api: Api;
  readonly sockets: SocketMode;
  readonly http: HttpMode;
  readonly deliverer: Deliverer;
  readonly elsewhere: Elsewhere;
  /** Counts everything that comes and goes. */
  activity = 0;
  /** Requests being answered now. */
  inFlight = 0;
  /** Sends downloads on to the other host, as a content network would. */
  redirectsDownloads = false;
  readonly #uploads: Uploads;
  readonly #server: Server;
  readonly #jumping: FakeClock | undefined;
  #origin = '';

  private constructor(options: FakeSlackOptions, elsewhere: Elsewhere) {
    this.#jumping = options.jumping;
    const clock = options.clock ?? options.jumping ?? systemClock;
    this.world = new World(clock, readManifest(options.manifest), options.readings);
    const { world } = this;
    this.elsewhere = elsewhere;
    this.credentials = {
      clientId: `${Date.UTC(2026, 0, 1)}.42`,
      clientSecret: world.secret('client-secret-'),
      signingSecret: world.secret('signing-secret-'),
      appToken: world.secret(`xapp-1-${world.appId}-`),
    };
    this.views = new Views(world);
    this.responseUrls = new ResponseUrls(world);
    this.oauth = new Oauth(world, this.credentials);
    this.#uploads = new Uploads(world);
    this.sockets = new SocketMode(clock, this.credentials.appToken, world.appId, () => world.id('E'));
    const send = options.send ?? ((request) => fetch(request));
    this.http = new HttpMode(clock, this.credentials.signingSecret, world.settings, send);
    const transport = world.settings.socketMode ? this.sockets : this.http;
    this.deliverer = new Deliverer(clock, () => transport, options.waitsFor);
    world.tell = (workspace, event) => void this.sendEvent(workspace, event);
    const methods = methodsOf(world, this.views, this.#uploads, () => this.#origin);
    this.api = new Api(world, methods, this.oauth, (token) => this.sockets.open(token));
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('upgrade', (request, socket, head) => this.sockets.upgrade(request, socket, head));
  }

  static async start(options: FakeSlackOptions): Promise<FakeSlack> {
    const slack = new FakeSlack(options, await startElsewhere());
    await new Promise<void>((resolve) => slack.#server.listen(0, '127.0.0.1', resolve));
    const { port } = slack.#server.address() as AddressInfo;
    slack.#origin = `http://127.0.0.1:${port}`;
    slack.#uploads.origin = slack.#origin;
    slack.world.origin = slack.#origin;
    slack.responseUrls.origin = slack.#origin;
    slack.sockets.address = `ws://127.0.0.1:${port}`;
    return slack;
  }

  /** What `SLACK_API_URL` has to be. */
  get apiUrl(): string {
    return `${this.#origin}/api/`;
  }

  get origin(): string {
    return this.#origin;
  }

  /** What came back for a payload, once it has: the first attempt that was acknowledged, or the last one. */
  acknowledged({ done }: Delivery): Promise<Acknowledged> {
    return this.#jumping ? passWhile(this.#jumping, done) : done;
  }

  /** What every upload of bytes is answered with instead of being taken. */
  uploadStatus: number | undefined;

  /** What goes wrong with the next files that are shared. */
  get shareFaults(): ShareFault[] {
    return this.#uploads.shareFaults;
  }

  addWorkspace(name = 'acme', enterpriseId?: string): Workspace {
    return this.world.addWorkspace(name, enterpriseId);
  }

  /** Installs the app without the detour of OAuth. */
  install(workspace: Workspace, scopes?: readonly string[]): Installation {
    return this.world.install({ teamId: workspace.id }, scopes);
  }

  person(workspace: Workspace, user: Partial<User> & { name: string }): FakePerson {
    return new FakePerson(this, workspace, this.world.addUser(workspace, user));
  }

  /** Somebody of another workspace, as a workspace that shares a channel with theirs sees them (Slack Connect). */
  visitor(workspace: Workspace, { user }: FakePerson): FakePerson {
    workspace.users.set(user.id, user);
    return new FakePerson(this, workspace, user);
  }

  /**
   * A channel with these people, and the bot unless it is left out; made by `owner` where it is shared. `sharedWith`: other
   * workspaces of the organization that have it, by the same id.
   */
  channel(
    workspace: Workspace,
    name: string,
    people: readonly FakePerson[],
    options: {
      readonly kind?: 'channel' | 'group' | 'mpim';
      readonly withoutBot?: boolean;
      readonly owner?: Workspace;
      readonly sharedWith?: readonly Workspace[];
    } = {},
  ): Channel {
    const { sharedWith = [] } = options;
    const members = people.map(({ user }) => user.id);
    if (!options.withoutBot) members.push(...[workspace, ...sharedWith].map(({ botUser }) => botUser));
    const channel = this.world.addChannel(workspace, options.kind ?? 'channel', name, members, options.owner);
    for (const { channels } of sharedWith) channels.set(channel.id, channel);
    return channel;
  }

  /** A user group, written `@handle`. */
  group(workspace: Workspace, handle: string, people: readonly FakePerson[]): Group {
    const group = { id: this.world.id('S'), handle, users: new Set(people.map(({ user }) => user.id)) };
    workspace.groups.set(group.id, group);
    return group;
  }

  /** Direct messages among people: two, or a group. No app can be in those of two. */
  between(workspace: Workspace, people: readonly FakePerson[]): Channel {
    const members = people.map(({ user }) => user.id);
    const [kind, name] =
      people.length > 2 ? (['mpim', 'mpdm-some--people-1'] as const) : (['im', 'directmessage'] as const);
    return this.world.addChannel(workspace, kind, name, members);
  }

  /** Sends an event to the app, where it is subscribed to it and still installed. */
  sendEvent(workspace: Workspace, event: Json) {
    useEventScope(this.world, event, eventScopes);
    return this.deliverer.deliver('events_api', eventCallback(this.world, workspace, event));
  }

  /**
   * Sends the app the events of its own message, as Slack does in channels whose events it gets: posted, and edited.
   */
  echoes(workspace: Workspace, channel: Channel, message: Message) {
    const created = messageEvents(this.world, workspace, channel, message);
    const changed = created
      .filter(({ type }) => type === 'message')
      .map(({ channel: id, channel_type, ...own }) => ({
        type: 'message',
        subtype: 'message_changed',
        channel: id,
        channel_type,
        event_ts: message.ts,
        message: own,
        previous_message: own,
      }));
    return [...created, ...changed].map((event) => this.sendEvent(workspace, event));
  }

  /**
   * An administrator takes the app out of a workspace, or out of its organization where it is there by that. Both
   * events come, in any order; whether they say by `authorizations` what they are about is not documented.
   */
  uninstall(
    workspace: Workspace,
    options: {
      readonly backwards?: boolean;
      readonly unnamed?: boolean;
      readonly organization?: boolean;
    } = {},
  ) {
    const organization = options.organization ?? organizationInstall(this.world, workspace);
    for (const installation of this.world.installations.values()) {
      const here = organization
        ? installation.enterpriseId === workspace.enterpriseId
        : installation.teamId === workspace.id;
      if (here) installation.state = 'account_inactive';
    }
    const events = uninstalled(workspace);
    if (options.backwards) events.reverse();
    const about = options.unnamed ? undefined : [authorization(workspace, organization)];
    return this.#sendOfInstallation(workspace, events, about);
  }

  /**
   * An organization takes a workspace out of its installation. What else comes is not documented: `also` sends
   * the events of an uninstallation besides, though the organization's token lives on.
   */
  leaveOrganization(workspace: Workspace, { also = false } = {}) {
    workspace.isLeftOut = true;
    const left = { type: 'team_access_revoked', team_ids: [workspace.id] };
    const events = [left, ...(also ? uninstalled(workspace) : [])];
    return this.#sendOfInstallation(workspace, events, [authorization(workspace, true)]);
  }

  /** Those of the events that the app gets; `authorizations` say what they are about. */
  #sendOfInstallation(
    workspace: Workspace,
    events: readonly Json[],
    authorizations: readonly Json[] | undefined,
  ) {
    return events
      .filter((event) => this.world.settings.events.has(String(event.type)))
      .map((event) =>
        this.deliverer.deliver('events_api', {
          ...eventCallback(this.world, workspace, event),
          enterprise_id: workspace.enterpriseId,
          authorizations,
        }),
      );
  }

  /** Scopes granted that nothing has needed so far, and those needed. */
  get scopes(): { readonly unused: string[]; readonly used: string[] } {
    const used = [...this.world.usedScopes.keys()];
    return { used, unused: this.world.settings.scopes.filter((scope) => !used.includes(scope)) };
  }

  /** A file's bytes as they lie in Slack. */
  bytesOf(workspace: Workspace, id: string): Uint8Array {
    const bytes = workspace.files.get(id)?.bytes;
    if (!bytes) throw new Error(`no bytes of ${id}`);
    return bytes;
  }

  async stop(): Promise<void> {
    this.sockets.close();
    this.#server.closeAllConnections();
    await Promise.all([
      new Promise<void>((resolve) => this.#server.close(() => resolve())),
      this.elsewhere.stop(),
    ]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.activity += 1;
    this.inFlight += 1;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await this.#route(request, Buffer.concat(chunks), response);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    } finally {
      this.inFlight -= 1;
      this.activity += 1;
    }
  }

  async #route(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.#origin);
    const [, first = '', second = '', third = ''] = pathname.split('/');
    if (first === 'api') {
      const contentType = request.headers['content-type'] ?? '';
      return request.method === 'GET'
        ? this.#callApi(second, request, { text: search.slice(1), contentType: formType }, response)
        : this.#callApi(second, request, { text: body.toString(), contentType }, response);
    }
    if (first === 'upload' && request.method === 'POST') {
      const status = this.uploadStatus ?? this.#uploads.receive(third, body);
      response.writeHead(status).end(status === 200 ? `OK - ${body.length}` : 'refused');
      return;
    }
    if (first === 'commands' && request.method === 'POST') {
      const { status, answer } = this.responseUrls.receive(third, body.toString());
      response.writeHead(status).end(answer);
      return;
    }
    if (first === 'files-pri') {
      downloadAnswer(this, second, request.headers.authorization, response);
      return;
    }
    response.writeHead(404).end();
  }

  async #callApi(
    method: string,
    request: IncomingMessage,
    { text, contentType }: { readonly text: string; readonly contentType: string },
    response: ServerResponse,
  ): Promise<void> {
    const answer = await this.api.handle({
      ...{ method, body: text, contentType },
      authorization: request.headers.authorization,
    });
    if (answer === 'cut') request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

/** How arguments are written in an address. */
const formType = 'application/x-www-form-urlencoded';

/** What Slack says of an app that was taken out. */
const uninstalled = (workspace: Workspace): Json[] => [
  { type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUser] } },
  { type: 'app_uninstalled' },
];
