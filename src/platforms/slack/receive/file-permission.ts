import type { CommandDispatcher } from '../../../engine/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { type OutgoingFile, type PostingLimits, parseActionId } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import type { FileKinds } from '../media/file-kinds.ts';

/** How long a command waits for it, in milliseconds. */
const patience = 1_000;

/** Errors where the bot may upload no file in the whole workspace, and what is missing then. */
const missingBy: Readonly<Record<string, string>> = {
  missing_scope: 'files:write',
  file_uploads_disabled: 'File uploads',
};

/** Whether a workspace allows files of the kind that would be posted: checked before anything is spent. */
export class FilePermission {
  readonly #kinds: FileKinds;
  readonly #clock: Clock;

  constructor(kinds: FileKinds, clock: Clock) {
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** What is missing for files of a kind; nothing where Slack doesn’t say so, or not in time. */
  async missingIn(workspace: string, kind: OutgoingFile['kind']): Promise<PostingLimits> {
    return inTime(this.#clock, patience, this.#missing(workspace, kind), {});
  }

  async #missing(workspace: string, kind: OutgoingFile['kind']): Promise<PostingLimits> {
    try {
      const ending = await this.#kinds.endingFor(workspace, kind);
      return ending === undefined ? { fileKinds: this.#kinds.endings(kind).join(', ') } : {};
    } catch (error) {
      const files = missingBy[slackCode(error) ?? ''];
      return files === undefined ? {} : { files };
    }
  }
}

/** Wraps the dispatcher: adds what a workspace doesn’t allow, where files would be posted. */
export function withFilePermission(
  dispatcher: CommandDispatcher,
  permission: FilePermission,
): CommandDispatcher {
  const find = (name: string | undefined) => dispatcher.commands.find((command) => command.name === name);
  const allowed = async <R extends { readonly address: { readonly workspace: string } }>(
    request: R,
    postsFiles: OutgoingFile['kind'] | undefined,
  ): Promise<R> => {
    const postingLimits = postsFiles ? await permission.missingIn(request.address.workspace, postsFiles) : {};
    return { ...request, postingLimits };
  };
  return {
    commands: dispatcher.commands,
    takeTurn: (...caller) => dispatcher.takeTurn(...caller),
    leaveToOther: (...left) => dispatcher.leaveToOther(...left),
    prepare: async (request, turn) =>
      dispatcher.prepare(await allowed(request, find(request.command)?.postsFiles), turn),
    prepareFromMessage: async (request) =>
      dispatcher.prepareFromMessage(await allowed(request, find(request.command)?.postsFiles)),
    preparePress: async (request) => {
      const id = parseActionId(request.actionId);
      const command = find(id?.command);
      const action = command?.actions?.[id?.action ?? ''];
      return dispatcher.preparePress(await allowed(request, command?.postsFiles ?? action?.postsFiles));
    },
    deleted: (deleted) => dispatcher.deleted(deleted),
    isQuestion: (platform, message) => dispatcher.isQuestion(platform, message),
    isRecorded: (eventId) => dispatcher.isRecorded(eventId),
    askedAt: (actionId) => dispatcher.askedAt(actionId),
    suggest: (...query) => dispatcher.suggest(...query),
  };
}
