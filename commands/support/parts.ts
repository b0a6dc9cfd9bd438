import type { Conversations } from '../../src/conversation/index.ts';
import { type Address, type Job, type Outlet, OutletError, type Outlets } from '../../src/port/index.ts';
import type { Renders } from '../../src/renders/index.ts';
import type { ServiceClient } from '../../src/service/index.ts';
import type { ChatModel } from '../../src/spec/models.ts';
import type { AnswersUnderWay } from './answers-under-way.ts';

/** What commands work with. */
export interface Parts {
  readonly service: ServiceClient;
  readonly conversations: Conversations;
  readonly renders: Renders;
  readonly outlets: Outlets;
  readonly answers: AnswersUnderWay;
  /** Puts a failure on the log where the command itself tells people. */
  readonly report: (error: unknown, job: Job) => void;
  readonly defaults: { readonly chatModel: ChatModel; readonly voice: string };
}

/** The outlet of an address's platform. */
export function outletOf(parts: Pick<Parts, 'outlets'>, address: Address): Outlet {
  const outlet = parts.outlets(address.platform);
  if (!outlet) throw new OutletError('unreachable');
  return outlet;
}
