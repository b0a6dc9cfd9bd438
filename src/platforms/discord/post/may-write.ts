import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { Address } from '../../../port/index.ts';
import { isDirectMessage, tokenOfAddress } from '../api/address.ts';
import { errorCode } from '../api/errors.ts';
import { isThreadPublic } from './open-thread.ts';
import type { DiscordServices } from './services.ts';

/**
 * Whether a person can read and write at an address now. False where the bot isn't a member: Discord tells it nothing
 * about people there.
 */
export async function mayWrite(
  services: Pick<DiscordServices, 'api' | 'gateway'>,
  person: string,
  address: Address,
): Promise<boolean> {
  if (isDirectMessage(address)) return true;
  if (tokenOfAddress(address)) return false;
  const { api, gateway } = services;
  await gateway.learn(address);
  const member = await unlessUnknown(api.member(address.workspace, person));
  const may = member && gateway.memberMay(address, member);
  if (!may?.write) return false;
  if (address.thread === undefined || may.manageThreads || isThreadPublic(services, address)) return true;
  return (await unlessUnknown(api.threadMember(address.thread, person))) !== undefined;
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
