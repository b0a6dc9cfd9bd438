import type { Door, Job, PlatformAdapter } from '../../src/port/index.ts';

type Posting = Pick<PlatformAdapter, 'post' | 'maxFileBytes' | 'directMessages' | 'answerInterrupted'>;

/** The ways to a job's people by an adapter that a test has made up: where it was given, by its acknowledgement, directly. */
export function doorsBy(adapter: Posting, job: Job): readonly Door[] {
  const { address, requester, acknowledgement, options } = job;
  const direct = () => adapter.directMessages(address.workspace, requester.id, address);
  const settle: Door['put'] = async (message) => {
    if (!acknowledgement) throw new Error('nothing was acknowledged');
    await adapter.answerInterrupted(acknowledgement, message);
    return { ...address, message: '' };
  };
  const maxFileBytes: Door['maxFileBytes'] = (kind) => adapter.maxFileBytes(address, kind);
  const here: Door = {
    name: 'here',
    seenBy: 'place',
    put: (message, key) => adapter.post(address, message, key),
    maxFileBytes,
  };
  const directly: Door = {
    name: 'direct',
    seenBy: 'requester',
    put: async (message, key) => adapter.post(await direct(), message, key),
    maxFileBytes: async (kind) => adapter.maxFileBytes(await direct(), kind),
  };
  const left: Door[] = acknowledgement
    ? [
        { name: 'token', seenBy: 'place', put: settle, maxFileBytes },
        { name: 'aside', seenBy: 'requester', put: settle, maxFileBytes },
      ]
    : [];
  return options.private === true ? [...left, directly] : [here, ...left, directly];
}
