import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { type OutgoingFile, type PostingLimits, parseActionId } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import type { Commands } from '../receive/handler-context.ts';
import type { FileKinds } from './file-kinds.ts';

/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

/** What Slack says where no file of the bot's is taken in the whole workspace, and what is missing then. */
const missingBy: Readonly<Record<string, string>> = {
  missing_scope: 'files:write',
  file_uploads_disabled: 'File uploads',
};

/** Whether a workspace takes files, and of the kind that is to be posted: asked before anything is paid for. */
export class FilePermission {
  readonly #kinds: FileKinds;
  readonly #clock: Clock;

  constructor(kinds: FileKinds, clock: Clock) {
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** What is missing for files of a kind; nothing where Slack does not say so, or not in time. */
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

/** The dispatcher as it is asked from Slack: with what a workspace does not allow, where files are to be posted. */
export function withFilePermission(dispatcher: Commands, permission: FilePermission): Commands {
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
    takeTurn: (...who) => dispatcher.takeTurn(...who),
    prepare: async (request, arrival) =>
      dispatcher.prepare(await allowed(request, find(request.command)?.postsFiles), arrival),
    preparePress: async (request) => {
      const id = parseActionId(request.actionId);
      const command = find(id?.command);
      const action = command?.actions?.[id?.action ?? ''];
      return dispatcher.preparePress(await allowed(request, command?.postsFiles ?? action?.postsFiles));
    },
    suggest: (...asked) => dispatcher.suggest(...asked),
  };
}
