import type { CommandDispatcher, Prepares } from '../../../engine/index.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import {
  type Address,
  type Locale,
  type OutgoingFile,
  paidCommandNames,
  parseActionId,
  type Person,
  type PostingLimits,
} from '../../../port/index.ts';
import { platformError } from '../api/errors.ts';
import type { FileKinds } from '../media/files.ts';
import { isDirect } from '../post/address.ts';
import type { Channels } from '../post/channels/channels.ts';
import { slackWords } from '../words.ts';

/** How long a command waits to learn which files a workspace allows, in milliseconds. */
const patience = 1_000;

/** Errors where the bot may upload no file in the whole workspace, and what is missing then, where they don't name a scope. */
const missingBy: Readonly<Record<string, string>> = {
  missing_scope: 'files:write',
  file_uploads_disabled: 'File uploads',
};

/** Somebody in direct messages of several people, which nobody moderates. */
export function unmoderated(person: Person): Person {
  return { ...person, unmoderated: true };
}

interface PlaceKnowledge {
  readonly kinds: FileKinds;
  readonly channels: Pick<Channels, 'isGroup'>;
  readonly clock: Clock;
}

/**
 * What the dispatcher prepares for a request, with what the request's place makes of it. In direct messages nobody is an
 * administrator, not even workspace administrators; in the Home tab they are. Where files would be posted, what the workspace
 * doesn't allow is known before anything is spent.
 */
export function withPlaceRules(
  dispatcher: CommandDispatcher,
  { kinds, channels, clock }: PlaceKnowledge,
): Prepares {
  const find = (name: string | undefined) => dispatcher.commands.find((command) => command.name === name);
  const placed = async <R extends { readonly address: Address; readonly requester: Person }>(
    request: R,
    command: string | undefined,
    postsFiles = find(command)?.postsFiles,
  ): Promise<R> => {
    const { workspace } = request.address;
    const { locale } = request.requester;
    const [postingLimits, isGroup] = await Promise.all([
      postsFiles ? inTime(clock, patience, missingFor(kinds, workspace, postsFiles, locale), {}) : {},
      // What costs nothing goes without.
      isPaid(command) && channels.isGroup(request.address),
    ]);
    const requester = requesterOf(request);
    return { ...request, requester: isGroup ? unmoderated(requester) : requester, postingLimits };
  };
  return {
    prepare: async (request, turn) => dispatcher.prepare(await placed(request, request.command), turn),
    prepareFromMessage: async (request) =>
      dispatcher.prepareFromMessage(await placed(request, request.command)),
    preparePress: async (request) => {
      const id = parseActionId(request.actionId);
      const command = find(id?.command);
      const action = command?.actions?.[id?.action ?? ''];
      const postsFiles = command?.postsFiles ?? action?.postsFiles;
      return dispatcher.preparePress(await placed(request, id?.command, postsFiles));
    },
  };
}

function isPaid(command: string | undefined): boolean {
  return paidCommandNames.some((name) => name === command);
}

function requesterOf({
  address,
  requester,
}: {
  readonly address: Address;
  readonly requester: Person;
}): Person {
  if (!isDirect(address.channel) || address.isHome) return requester;
  return { ...requester, administrator: false, moderator: false, direct: true };
}

/** The limits for files of a kind; none where Slack doesn’t say so. */
async function missingFor(
  kinds: FileKinds,
  workspace: string,
  kind: OutgoingFile['kind'],
  locale: Locale,
): Promise<PostingLimits> {
  try {
    const ending = await kinds.endingFor(workspace, kind);
    return ending === undefined ? { fileKinds: kinds.endings(kind).join(', ') } : {};
  } catch (error) {
    const { detail = '' } = platformError(error);
    if (detail === 'storage_limit_reached') return { shut: slackWords(locale).storageFull };
    const files = detail.startsWith('files:') ? detail : missingBy[detail];
    return files === undefined ? {} : { files };
  }
}
