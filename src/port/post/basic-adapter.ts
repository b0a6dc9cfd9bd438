import { type Address, conversationKey, type MessageAddress } from '../address.ts';
import type { Message } from '../commands/message.ts';
import type { MessageLimits, PlatformAdapter, PostedAnswer, ThreadsAt } from './platform-adapter.ts';
import { PlatformError } from './platform-error.ts';

type Posted = ReturnType<PlatformAdapter['post']>;
type Defaults = Omit<
  PlatformAdapter,
  | 'platform'
  | 'doors'
  | 'edit'
  | 'complete'
  | 'remove'
  | 'directMessages'
  | 'openThread'
  | 'maxFileBytes'
  | 'attachments'
  | 'readFile'
>;

/** What a platform's adapter does where the platform has nothing of its own for it. */
export abstract class BasicAdapter implements Defaults {
  readonly completesAnew: boolean = false;
  readonly provesPresses: boolean = false;
  readonly hasPublicFiles: boolean = false;

  abstract post(...content: Parameters<PlatformAdapter['post']>): Posted;

  async messageLimits(_: MessageAddress): Promise<MessageLimits> {
    return { maxLength: Number.POSITIVE_INFINITY };
  }
  postThere(...content: Parameters<PlatformAdapter['post']>): Posted {
    return this.post(...content);
  }
  postAside(address: Address, _person: string, message: Message, key: string): Posted {
    return this.post(address, message, key);
  }
  postsOnce(_: Address): boolean {
    return true;
  }
  async notify(..._: Parameters<PlatformAdapter['notify']>): Promise<MessageAddress | undefined> {
    return undefined;
  }
  async relabelButton(..._: Parameters<PlatformAdapter['relabelButton']>): Promise<void> {
    throw new PlatformError('refused');
  }
  closesAt(_: MessageAddress): number | undefined {
    return undefined;
  }
  async linkTo(_: MessageAddress): Promise<string | undefined> {
    return undefined;
  }

  async findAnswer(..._: Parameters<PlatformAdapter['findAnswer']>): Promise<PostedAnswer | undefined> {
    return undefined;
  }
  async findContinuation(
    ..._: Parameters<PlatformAdapter['findContinuation']>
  ): Promise<PostedAnswer | undefined> {
    return undefined;
  }
  async hasFilesOf(..._: Parameters<PlatformAdapter['hasFilesOf']>): Promise<boolean> {
    return false;
  }
  async answerInterrupted(
    ..._: Parameters<PlatformAdapter['answerInterrupted']>
  ): ReturnType<PlatformAdapter['answerInterrupted']> {
    throw new PlatformError('refused');
  }
  acknowledged(..._: Parameters<PlatformAdapter['acknowledged']>): MessageAddress | undefined {
    return undefined;
  }
  rewritesAnswers(_: MessageAddress): boolean {
    return false;
  }
  isReachedByPress(_: MessageAddress): boolean {
    return false;
  }

  channelIds(channel: string): readonly string[] {
    return [channel];
  }
  async channelName(_: Address): Promise<string | undefined> {
    return undefined;
  }
  placesOf(address: Address): readonly string[] {
    return [conversationKey(address)];
  }
  reachesOthers(_: Address): boolean {
    return true;
  }
  async mayWrite(_person: string, _: Address): Promise<boolean> {
    return true;
  }

  async threadsAt(_: Address): Promise<ThreadsAt> {
    return { kind: 'none' };
  }
  async openOwnThread(_: MessageAddress, _name: string): Promise<Address | undefined> {
    return undefined;
  }
  ownThreadOf(_: MessageAddress): Address | undefined {
    return undefined;
  }
  rootOf(_thread: Address, _asked: Address): MessageAddress | undefined {
    return undefined;
  }
  async hasThread(_: MessageAddress): Promise<boolean> {
    return false;
  }
  isThreadPublic(_: Address): boolean {
    return true;
  }

  replacesFiles(_: MessageAddress): boolean {
    return false;
  }
}
