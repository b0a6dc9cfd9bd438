import { type APIGuildMember, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { titleOf, withoutSpoilers } from '../../../lib/text.ts';
import {
  type Address,
  type MessageAddress,
  type Person,
  refusalOf,
  type ThreadsAt,
} from '../../../port/index.ts';
import { writtenTypes } from '../api/api.ts';
import { areWordsRefused, errorCode } from '../api/errors.ts';
import { isDirectMessage, tokenOfAddress } from '../api/messages.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import { rolesOf } from '../servers/server.ts';
import type { DiscordServices } from './services.ts';

type ThreadServices = Pick<DiscordServices, 'api' | 'identity' | 'gateway' | 'rememberedMessages'>;

/** Of a thread (resources/channel). */
const maxNameLength = 100;

/** Whether threads can be opened under messages somewhere: not in threads or direct messages, or by a token. */
export function threadsAt({ gateway }: Pick<DiscordServices, 'gateway'>, address: Address): ThreadsAt {
  const isOutside = tokenOfAddress(address) || address.thread !== undefined || isDirectMessage(address);
  if (isOutside || !gateway.takesThreads(address.channel)) return { kind: 'none' };
  const missing = missingForThreads(gateway, address.channel);
  return missing.length > 0 ? { kind: 'missing', permission: missing.join(', ') } : { kind: 'possible' };
}

/** Whether everyone who can read an address's channel can read its thread; false if that isn't known. */
export function isThreadPublic(
  { gateway }: Pick<DiscordServices, 'gateway'>,
  { thread, threadIsPublic }: Address,
): boolean {
  return threadIsPublic === true || (thread !== undefined && gateway.isPublicThread(thread));
}

/** A thread in which the bot can't write is of no use. */
function missingForThreads(gateway: DiscordServices['gateway'], channel: string): readonly string[] {
  return gateway.missingPermissions(channel, ['Create Public Threads', 'Send Messages in Threads']);
}

/** Opens a thread under a message; returns the message's own address where threads aren't possible. */
export async function openThread(
  services: Pick<DiscordServices, 'api' | 'gateway' | 'rememberedMessages'>,
  message: MessageAddress,
  name: string,
): Promise<Address> {
  const { api, gateway, rememberedMessages } = services;
  const { message: id, ...address } = message;
  if (tokenOfAddress(address) || address.thread !== undefined || isDirectMessage(address)) return address;
  if (missingForThreads(gateway, address.channel).length > 0) return address;
  const title = titleOf(withoutSpoilers(name), maxNameLength);
  // Who takes its message away has to find it.
  await rememberedMessages.rememberThread(id);
  try {
    await api.openThread(address.channel, id, title || id);
    return { ...address, thread: id, threadIsPublic: true };
  } catch (error) {
    if (isNameRefused(error) && title !== plainName(id)) return openThread(services, message, plainName(id));
    // Threads are forbidden here, or there are too many: the channel itself will do.
    if (errorCode(error) !== undefined && refusalOf(error) !== 'gone') return address;
    throw error;
  }
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

/** Whether the bot opened a thread under a message, as far as that's known. */
export async function hasThread(
  { gateway, rememberedMessages }: Pick<DiscordServices, 'gateway' | 'rememberedMessages'>,
  message: MessageAddress,
): Promise<boolean> {
  const { message: id } = message;
  if (tokenOfAddress(message) || message.thread !== undefined || isDirectMessage(message)) return false;
  // What an earlier version opened is known while it isn't archived.
  return gateway.isThread(id) || rememberedMessages.hasThread(id);
}

/**
 * Takes the words of a message that's gone out of the name of the thread that the bot opened under it, and closes it where
 * nothing is left in it: what others asked there was answered by the bot. Nobody is told where Discord refuses that: somebody
 * may have locked or deleted it.
 */
export async function closeThreadOf(services: ThreadServices, message: MessageAddress): Promise<void> {
  if (!(await hasThread(services, message))) return;
  const { api, identity } = services;
  const { message: id } = message;
  try {
    const { owner_id, name, thread_metadata: state } = await api.channel(id);
    // Anybody may have opened it.
    if (owner_id !== identity().id) return;
    if (name !== plainName(id)) await api.editThread(id, { name: plainName(id), archived: false });
    const isEmpty = async () =>
      (await api.messagesAfter(id, id, 100)).every(({ type }) => !writtenTypes.includes(type));
    if (state?.archived || (await isEmpty())) await api.editThread(id, { archived: true });
  } catch (error) {
    if (!refusalOf(error)) throw error;
  }
}

/**
 * A person as they are at an address now; undefined if they can't read and write there, and where the bot isn't a member: Discord
 * tells it nothing about people there.
 */
export async function writerAt(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  person: Person,
  address: Address,
): Promise<Person | undefined> {
  if (isDirectMessage(address)) return person;
  const found = await memberAt(services, person.id, address);
  if (!found?.may?.write || !(await isAdmitted(services, found, address))) return undefined;
  return { ...person, roles: rolesOf(found.member, address.workspace) };
}

/** Whether a person sees an address now. */
export async function mayRead(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  person: string,
  address: Address,
): Promise<boolean> {
  const found = await memberAt(services, person, address);
  return found?.may?.read === true && isAdmitted(services, found, address);
}

/** Whether a person sees an address now and may delete messages there, or manage its server. */
export async function mayModerate(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  person: string,
  address: Address,
): Promise<boolean> {
  if (isDirectMessage(address)) return false;
  const found = await memberAt(services, person, address);
  return found?.may?.moderate === true && isAdmitted(services, found, address);
}

/** A private thread is for its members, and for who manages threads (topics/threads). */
async function isAdmitted(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  { member, may }: MemberThere,
  address: Address,
): Promise<boolean> {
  const { thread } = address;
  if (thread === undefined || may?.manageThreads || isThreadPublic(services, address)) return true;
  return (await unlessUnknown(services.api.threadMember(thread, member.user.id))) !== undefined;
}

/** Whether a person who could manage a server may do so now. Of a server without the bot Discord doesn't say: they're taken to. */
export async function administers(
  { api, gateway }: Pick<DiscordServices, 'api' | 'gateway'>,
  person: string,
  server: string,
): Promise<boolean> {
  await gateway.learnServer(server);
  try {
    const member = await unlessUnknown(api.member(server, person));
    return member !== undefined && gateway.administers(server, member);
  } catch (error) {
    const code = errorCode(error);
    if (code === RESTJSONErrorCodes.MissingAccess || code === RESTJSONErrorCodes.UnknownGuild) return true;
    throw error;
  }
}

/** A member, and what they may do at an address. */
interface MemberThere {
  readonly member: APIGuildMember;
  readonly may: ReturnType<GatewayCache['memberMay']>;
}

async function memberAt(
  { api, gateway }: Pick<DiscordServices, 'api' | 'gateway'>,
  person: string,
  address: Address,
): Promise<MemberThere | undefined> {
  if (tokenOfAddress(address)) return undefined;
  await gateway.learn(address);
  const member = await unlessUnknown(api.member(address.workspace, person));
  return member && { member, may: gateway.memberMay(address, member) };
}

/** What Discord says of a member; undefined if they aren't one. */
async function unlessUnknown<T>(member: Promise<T>): Promise<T | undefined> {
  try {
    return await member;
  } catch (error) {
    if (errorCode(error) === RESTJSONErrorCodes.UnknownMember) return undefined;
    throw error;
  }
}
