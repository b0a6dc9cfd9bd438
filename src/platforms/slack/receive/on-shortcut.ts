import type { MessageShortcut } from '@slack/bolt';
import type { ChosenMessage } from '../../../port/index.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { shortcutCommand } from '../commands/slash-commands.ts';
import { interactionId } from '../incoming/arrivals.ts';
import {
  attachmentSays,
  filesIn,
  fileSources,
  saidIn,
  shownAttachments,
  type SlackMessage,
} from '../incoming/slack-message.ts';
import { markdownIn } from '../markup/blocks.ts';
import { withEmoji, writtenText } from '../markup/incoming-text.ts';
import { fileIn } from '../media/uploads.ts';
import { namesIn } from '../people/people.ts';
import { slackWords } from '../words.ts';
import { isClosed } from './channel-membership.ts';
import { type HandlerContext, openForm, orExplain, whisperTo } from './handler-context.ts';
import { sourcesOf } from './question-context.ts';

/**
 * Handles a shortcut in the menu of a message: opens the command's form, within three seconds. A submitted form has no
 * `response_url` of its own, so the form carries the shortcut's: with it, it works where the bot isn't a member, too.
 */
export async function onShortcut(
  context: HandlerContext,
  body: MessageShortcut,
  named: string,
): Promise<void> {
  await context.acknowledge();
  const { trigger_id: trigger, response_url: via, channel, user } = body;
  const eventId = interactionId('shortcut', body);
  const command = shortcutCommand(body.callback_id);
  if (command === undefined || !(await context.arrivals.isFirst(eventId))) return;
  const found = await workspaceOf(context, body, named).catch((error: Error) => error);
  const workspace = typeof found === 'string' ? found : named;
  const thread = threadIn(body.message);
  const address = await context.threads.addressOf(workspace, channel.id, thread);
  const [requester, message] = await Promise.all([
    context.people.findAt(address, workspace, user.id, user.name),
    chosenMessage(context, body, workspace),
  ]);
  const caller = { address, requester, eventId, responseUrl: via };
  await orExplain(context, caller, async () => {
    if (found instanceof Error) throw found;
    if (found === undefined)
      return whisperTo(context, caller, slackWords(requester.locale).inviteMe(await context.botName(named)));
    const asked = { command, message, address, requester, maxInput: formLimits.input };
    const prepared = await context.requests.prepareFromMessage(asked);
    if (prepared.kind === 'refused') return whisperTo(context, caller, prepared.text);
    if (prepared.kind !== 'form' || prepared.draft === undefined) return;
    const origin = {
      kind: 'command',
      command,
      workspace,
      channel: channel.id,
      closed: isClosed(channel.id, channel.name),
      via,
      draft: prepared.draft,
      ...(thread !== undefined && { thread }),
    } as const;
    await openForm(context, prepared.form, origin, trigger, caller);
  });
}

/**
 * The workspace of a shortcut. In an organization Slack names only the person’s first: there it’s the channel’s, and undefined
 * where the bot can’t know that. A conversation that no app can be in is no workspace’s but the person’s.
 */
async function workspaceOf(
  { channels, access }: HandlerContext,
  { channel, enterprise, is_enterprise_install: isOrganization }: MessageShortcut,
  named: string,
): Promise<string | undefined> {
  if (!isOrganization || isClosed(channel.id, channel.name)) return named;
  const workspace = await channels.workspaceOf(named, channel.id);
  if (workspace === undefined) return undefined;
  return (await access.find({ team: workspace, enterprise: enterprise?.id }))?.workspace;
}

/** The thread that a message is a reply in. */
function threadIn({ ts, thread_ts: thread }: MessageShortcut['message']): string | undefined {
  return thread === ts ? undefined : thread;
}

/** The message of a shortcut, with names instead of ids. It comes whole, wherever the bot is a member or not. */
export async function chosenMessage(
  context: HandlerContext,
  { message, channel, team }: Pick<MessageShortcut, 'message' | 'channel' | 'team'>,
  workspace: string,
): Promise<ChosenMessage> {
  const sent = withEmoji<SlackMessage>(message);
  const cards = shownAttachments(sent.attachments).filter(
    ({ is_share, is_msg_unfurl, from_url }) => is_share || is_msg_unfurl || from_url === undefined,
  );
  const isOwn = context.access.placeOfBot(sent.user ?? '') !== undefined;
  const said = isOwn ? (markdownIn(sent.blocks) ?? sent.text) : saidIn(sent);
  const texts = [said, ...cards.map(attachmentSays)].filter(Boolean);
  const written = texts.join('\n\n');
  const writer = sent.user === undefined ? [] : [sent.user];
  const at = { workspace, channel: channel.id };
  const { nameOf } = await namesIn(context, at, written, { ids: writer });
  const files = [sent, ...cards].flatMap(filesIn);
  const link = linkTo(sent, context.channelIds.now(channel.id), team?.domain);
  const place = { channel: channel.id, firstId: (id: string) => context.channelIds.first(id) };
  return {
    author: sent.username ?? sent.bot_profile?.name ?? nameOf(sent.user ?? '') ?? sent.user ?? '…',
    ...(sent.user !== undefined && sent.bot_id === undefined && { isPersons: true }),
    text: writtenText(written, nameOf).trim(),
    files: files.map((file) => fileIn(file, workspace)),
    fileSources: files.flatMap(fileSources),
    sources: sourcesOf(sent, place),
    ...(link !== undefined && { link }),
  };
}

/** The address under which Slack's clients open a message; `chat.getPermalink` answers only members. */
function linkTo({ ts, thread_ts: thread }: SlackMessage, channel: string, domain: string | undefined) {
  if (domain === undefined || !/^[\w-]+$/.test(domain)) return undefined;
  const address = `https://${domain}.slack.com/archives/${channel}/p${ts.replace('.', '')}`;
  return thread === undefined || thread === ts ? address : `${address}?thread_ts=${thread}&cid=${channel}`;
}
