import { type APIGuildMember, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { titleOf, withoutSpoilers } from '../../../lib/text.ts';
import {
  type Address,
  BasicAdapter,
  type MessageAddress,
  type Person,
  refusalOf,
  type ThreadsAt,
  type WorkspaceFacts,
} from '../../../port/index.ts';
import { unlessCode, writtenTypes } from '../api/api.ts';
import { areWordsRefused, errorCode } from '../api/errors.ts';
import { channelIdOf, isDirectMessage, tokenOfAddress } from '../api/messages.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import { rolesOf } from '../servers/server.ts';
import type { DiscordServices } from './services.ts';

const { MissingAccess, UnknownGuild, UnknownMember } = RESTJSONErrorCodes;
/** Of a thread (resources/channel). */
const maxNameLength = 100;

/** The adapter's part about places and threads, and who is there. */
export abstract class DiscordPlaces extends BasicAdapter {
  protected readonly services: DiscordServices;

  constructor(services: DiscordServices) {
    super();
    this.services = services;
  }

  /** In servers where it's a member it has introduced itself. */
  override meets(address: Address): 'person' | undefined {
    return isDirectMessage(address) || tokenOfAddress(address) ? 'person' : undefined;
  }

  /** A token that's over can only reach its own person, by direct message. */
  override reachesOthers(address: Address): boolean {
    const token = tokenOfAddress(address);
    return token === undefined || this.services.clock.now() < token.until;
  }

  override async hasChannel(address: Address): Promise<boolean> {
    await this.services.gateway.learn(address);
    return this.services.gateway.serverOf(channelIdOf(address)) === address.workspace;
  }

  override allowsCommand(command: string, address: Address, person: Person): Promise<boolean> {
    return this.services.registered.allow(command, address, person);
  }

  override async channelName(address: Address, reader?: string): Promise<string | undefined> {
    const { gateway } = this.services;
    await gateway.learn(address);
    const id = channelIdOf(address);
    // Somebody's own use is told in any server.
    const workspace = gateway.serverOf(id);
    if (workspace === undefined) return undefined;
    const isKnown = reader === undefined || (await this.#mayRead(reader, { ...address, workspace }));
    return isKnown ? gateway.channelName(id) : undefined;
  }

  override channelMention(address: Address): string {
    return `<#${channelIdOf(address)}>`;
  }

  override async describeWorkspace(workspace: string): Promise<WorkspaceFacts | undefined> {
    return this.services.gateway.describeServer(workspace);
  }

  /** Not in threads or direct messages, or by a token. */
  override async threadsAt(address: Address): Promise<ThreadsAt> {
    const isOutside = isWithoutThreads(address);
    if (isOutside || !this.services.gateway.takesThreads(address.channel)) return { kind: 'none' };
    const missing = this.#missingForThreads(address.channel);
    return missing.length > 0 ? { kind: 'missing', permission: missing.join(', ') } : { kind: 'possible' };
  }

  override isThreadPublic(address: Address): boolean {
    return isThreadPublic(this.services, address);
  }

  async openThread(message: MessageAddress, name: string): Promise<Address> {
    await this.services.gateway.learn(message);
    return this.#openThread(message, name);
  }

  override async openOwnThread(message: MessageAddress, name: string): Promise<Address | undefined> {
    const { thread, ...address } = await this.#openThread(message, name);
    if (thread === undefined || message.thread !== undefined) return undefined;
    await this.services.rememberedMessages.rememberOwnThread(thread);
    return { ...address, thread };
  }

  async #openThread(message: MessageAddress, name: string): Promise<Address> {
    const { api, rememberedMessages } = this.services;
    const { message: id, ...address } = message;
    if (isWithoutThreads(address) || this.#missingForThreads(address.channel).length > 0) return address;
    const title = titleOf(withoutSpoilers(name), maxNameLength);
    // Who takes its message away has to find it.
    await rememberedMessages.rememberThread(id);
    try {
      await api.openThread(address.channel, id, title || id);
      return { ...address, thread: id, threadIsPublic: true };
    } catch (error) {
      if (isNameRefused(error) && title !== plainName(id)) return this.#openThread(message, plainName(id));
      // Threads are forbidden here, or there are too many: the channel itself will do.
      if (errorCode(error) !== undefined && refusalOf(error) !== 'gone') return address;
      throw error;
    }
  }

  /** A thread in which the bot can't write is of no use. */
  #missingForThreads(channel: string): readonly string[] {
    const needed = ['Create Public Threads', 'Send Messages in Threads'] as const;
    return this.services.gateway.missingPermissions(channel, needed);
  }

  /** A thread has the id of the message it's opened from. */
  override rootOf(
    { thread, threadIsPublic: _, ...channel }: Address,
    asked: Address,
  ): MessageAddress | undefined {
    const isOwn = thread !== undefined && asked.thread === undefined;
    return isOwn ? { ...channel, message: thread } : undefined;
  }

  /** The same before it's opened. */
  override ownThreadOf({ message, ...address }: MessageAddress): Address {
    return { ...address, thread: message };
  }

  override async hasThread(message: MessageAddress): Promise<boolean> {
    const { gateway, rememberedMessages } = this.services;
    const { message: id } = message;
    // What an earlier version opened is known while it isn't archived.
    return !isWithoutThreads(message) && (gateway.isThread(id) || rememberedMessages.hasThread(id));
  }

  /**
   * Takes the words of a message that's gone out of the name of the thread that the bot opened under it, and closes it where
   * nothing is left in it: what others asked there was answered by the bot. Nobody is told where Discord refuses that: somebody
   * may have locked or deleted it.
   */
  protected async closeThreadOf(message: MessageAddress): Promise<void> {
    if (!(await this.hasThread(message))) return;
    const { api, gateway, identity } = this.services;
    const { message: id } = message;
    try {
      const { owner_id, name, thread_metadata: state } = await api.channel(id);
      // Anybody may have opened it.
      if (owner_id !== identity().id) return;
      if (name !== plainName(id)) await api.editThread(id, { name: plainName(id), archived: false });
      // Where the bot may not read messages there seem to be none.
      const isEmpty = async () =>
        gateway.missingPermissions(message.channel, ['Read Message History']).length === 0 &&
        (await api.messagesAfter(id, id, 100)).every(({ type }) => !writtenTypes.includes(type));
      if (state?.archived || (await isEmpty())) await api.editThread(id, { archived: true });
    } catch (error) {
      if (!refusalOf(error)) throw error;
    }
  }

  /** Nobody where the bot isn't a member: Discord tells it nothing about people there. */
  override async writerAt(person: Person, address: Address): Promise<Person | undefined> {
    if (isDirectMessage(address)) return person;
    const found = await this.#memberAt(person.id, address);
    if (!found?.may?.write || !(await this.#isAdmitted(found, address))) return undefined;
    return { ...person, roles: rolesOf(found.member, address.workspace) };
  }

  /** Whether a person sees an address now. */
  async #mayRead(person: string, address: Address): Promise<boolean> {
    const found = await this.#memberAt(person, address);
    return found?.may?.read === true && this.#isAdmitted(found, address);
  }

  /** Whether they see an address now and may delete messages there, or manage its server. */
  override async mayModerate(person: string, address: Address): Promise<boolean> {
    if (isDirectMessage(address)) return false;
    const found = await this.#memberAt(person, address);
    return found?.may?.moderate === true && this.#isAdmitted(found, address);
  }

  /** Of a server without the bot Discord doesn't say: they're taken to. */
  override async administers(person: string, server: string): Promise<boolean> {
    const { api, gateway } = this.services;
    await gateway.learnServer(server);
    try {
      const member = await unlessCode(api.member(server, person), UnknownMember);
      return member !== undefined && gateway.administers(server, member);
    } catch (error) {
      const code = errorCode(error);
      if (code === MissingAccess || code === UnknownGuild) return true;
      throw error;
    }
  }

  /** A private thread is for its members, and for who manages threads (topics/threads). */
  async #isAdmitted({ member, may }: MemberThere, address: Address): Promise<boolean> {
    const { thread } = address;
    if (thread === undefined || may?.manageThreads || this.isThreadPublic(address)) return true;
    const admitted = this.services.api.threadMember(thread, member.user.id);
    return (await unlessCode(admitted, UnknownMember)) !== undefined;
  }

  async #memberAt(person: string, address: Address): Promise<MemberThere | undefined> {
    const { api, gateway } = this.services;
    if (tokenOfAddress(address)) return undefined;
    await gateway.learn(address);
    const member = await unlessCode(api.member(address.workspace, person), UnknownMember);
    return member && { member, may: gateway.memberMay(address, member) };
  }
}

/** Whether everyone who can read an address's channel can read its thread; false if that isn't known. */
export function isThreadPublic(
  { gateway }: Pick<DiscordServices, 'gateway'>,
  { thread, threadIsPublic }: Address,
): boolean {
  return threadIsPublic === true || (thread !== undefined && gateway.isPublicThread(thread));
}

/** Whether no thread can be opened under a message there, whatever the channel is. */
function isWithoutThreads(address: Address): boolean {
  return tokenOfAddress(address) !== undefined || address.thread !== undefined || isDirectMessage(address);
}

/** What a community's channels may not be called is a form error, or has a code of its own. */
function isNameRefused(error: unknown): boolean {
  return areWordsRefused(error) || nameCodes.includes(errorCode(error));
}

const nameCodes: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.StageTopicServerNameServerDescriptionOrChannelNamesContainDisallowedWords,
];

/** A thread's name that says nothing of what it's about. */
function plainName(id: string): string {
  return `#${id.slice(-4)}`;
}

/** A member, and what they may do at an address. */
interface MemberThere {
  readonly member: APIGuildMember;
  readonly may: ReturnType<GatewayCache['memberMay']>;
}
