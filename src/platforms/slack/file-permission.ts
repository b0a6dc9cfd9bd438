import type { Clock } from '../../clock.ts';
import { type MissingHere, parseActionId } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { slackCode } from './errors.ts';
import type { Commands } from './listening.ts';
import { Recent } from './recent.ts';

/** A workspace that takes files is asked again after so long, in milliseconds; so many are remembered. */
const believedFor = 10 * 60_000;
const remembered = 5_000;
/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

/** What Slack says where no file of the bot's is taken in the whole workspace, and what is missing then. */
const missingBy: Readonly<Record<string, string>> = {
  missing_scope: 'files:write',
  file_uploads_disabled: 'File uploads',
};

/**
 * Whether a workspace takes files, asked before anything is paid for: an address for an upload costs nothing, and one
 * that is never used is forgotten (files.getUploadURLExternal).
 */
export class FilePermission {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #taking: Recent;

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    this.#taking = new Recent(clock, believedFor, remembered);
  }

  /** What is missing for files; nothing where Slack does not say so, or not in time. */
  async missingIn(workspace: string): Promise<MissingHere> {
    let cancel = () => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(patience, () => resolve(undefined));
    });
    // Where it is refused that is not remembered: an administrator may have changed it since.
    const asked = this.#taking
      .once(workspace, () => this.#ask(workspace))
      .then(
        () => undefined,
        (error: unknown) => missingBy[slackCode(error) ?? ''],
      );
    const files = await Promise.race([asked, late]).finally(cancel);
    return files === undefined ? {} : { files };
  }

  async #ask(workspace: string): Promise<void> {
    await this.#api.call(workspace, 'files.getUploadURLExternal', { filename: 'file.txt', length: 1 });
  }
}

/** The dispatcher as it is asked from Slack: with what a workspace does not allow, where files are to be posted. */
export function withFilePermission(dispatcher: Commands, permission: FilePermission): Commands {
  const find = (name: string | undefined) => dispatcher.commands.find((command) => command.name === name);
  const allowed = async <R extends { readonly address: { readonly workspace: string } }>(
    request: R,
    postsFiles: boolean | undefined,
  ): Promise<R> => {
    const missing = postsFiles ? await permission.missingIn(request.address.workspace) : {};
    return { ...request, missing };
  };
  return {
    commands: dispatcher.commands,
    arrive: (...who) => dispatcher.arrive(...who),
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
