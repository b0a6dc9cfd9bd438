import {
  commandFor,
  type CommandRequest,
  type IncomingFile,
  paidCommandNames,
  takenFiles,
} from '../../../port/index.ts';
import {
  filesIn,
  isSharedMessage,
  sharedSources,
  shownAttachments,
  type SlackMessage,
} from '../incoming/slack-message.ts';
import { fileIn, type MessageFile } from '../media/uploads.ts';
import { commandNamed, type HandlerContext } from './handler-context.ts';

/** Files for a command, and what it’s forgotten with where they’re another message’s. */
type References = Required<Pick<CommandRequest, 'files'>> & Pick<CommandRequest, 'added'>;

/** What a message asks for, and how it was typed; undefined for plain words. */
interface Asking {
  readonly asked: { readonly command: string; readonly typed?: string };
  readonly workspace: string;
}

/** The files of a message for its command: its own, else those of messages that it shares. A question’s are read as text. */
export async function referencesOf(
  context: HandlerContext,
  message: SlackMessage,
  { asked: { command, typed }, workspace }: Asking,
): Promise<References> {
  const definition = commandNamed(context, command);
  const takesFiles = command !== commandFor.chat && paidCommandNames.some((paid) => paid === command);
  if (typed === undefined || !takesFiles || !definition) return { files: [] };
  const described = (files: readonly MessageFile[]) =>
    Promise.all(files.map((file) => fileOf(context, file, workspace)));
  const own = filesIn(message);
  if (own.length > 0) return { files: await described(own) };
  const shared = shownAttachments(message.attachments).filter(isSharedMessage);
  const files = takenFiles(definition.options, await described(shared.flatMap(filesIn)));
  if (files.length === 0) return { files };
  const made_of = shared.flatMap((one) => sharedSources(one, (id) => context.channelIds.first(id)));
  return { files, added: { made_of } };
}

/** A file of a message. In Slack Connect the event has only its id. */
async function fileOf(
  { uploads }: HandlerContext,
  file: MessageFile,
  workspace: string,
): Promise<IncomingFile> {
  return file.mimetype === undefined ? uploads.describe(workspace, file.id ?? '') : fileIn(file, workspace);
}
