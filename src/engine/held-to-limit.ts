import type { PreparedRequest } from '../port/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { GivenUpError, type Waiting } from './response-limit.ts';

type Prepares = Pick<Dispatcher, 'prepare' | 'prepareFromMessage' | 'preparePress'>;

/**
 * What the dispatcher prepares for a request, which begins nothing once the person has been told that nothing comes of it:
 * @throws {GivenUpError} then. What was recorded too late is ended.
 */
export function heldToLimit(dispatcher: Prepares, waiting: Waiting): Prepares {
  const held = async (preparing: Promise<PreparedRequest>): Promise<PreparedRequest> => {
    const prepared = await preparing;
    if (prepared.kind !== 'accepted') {
      if (waiting.isGivenUp) throw new GivenUpError();
      return prepared;
    }
    const unlessGivenUp = async () => {
      if (waiting.isGivenUp) {
        await prepared.abandon();
        throw new GivenUpError();
      }
    };
    await unlessGivenUp();
    return {
      ...prepared,
      async record() {
        const isNew = await prepared.record();
        await unlessGivenUp();
        waiting.answered();
        return isNew;
      },
      async run(reply) {
        await unlessGivenUp();
        waiting.answered();
        await prepared.run(reply);
      },
    };
  };
  return {
    prepare: (request, turn) => held(dispatcher.prepare(request, turn)),
    prepareFromMessage: (request) => held(dispatcher.prepareFromMessage(request)),
    preparePress: (request) => held(dispatcher.preparePress(request)),
  };
}
