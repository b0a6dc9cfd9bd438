import { type APIMessage, MessageFlags, RESTJSONErrorCodes, Routes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { refused, type Step, skipped, works } from '../../step.ts';
import { type DiscordContext, editMessage, label, post, postText } from '../context.ts';
import { expectRefusal, withPermission } from '../refusals.ts';

const hour = 3_600_000;
type DiscordStep = Step<DiscordContext>;

/** Texts: posted, edited, answered, in threads. */
export const messageSteps: readonly DiscordStep[] = [
  {
    name: 'post, edit, delete',
    expects: 'all three, with Send Messages',
    does: 'answers in messages that grow by edits',
    run: (context) =>
      withPermission(context, 'Send Messages', async () => {
        const { rest, channelId } = context;
        const { id } = await postText(context, 'a message');
        await editMessage(context, id, { content: `${label}: a message, edited` });
        await rest.delete(Routes.channelMessage(channelId, id));
        return works();
      }),
  },
  {
    name: 'the same nonce twice (enforce_nonce)',
    expects: 'the first message again',
    does: 'sends what may have been lost again, with the same nonce',
    async run(context) {
      const once = { nonce: `live-check-${Date.now()}`, enforce_nonce: true };
      const first = await postText(context, 'a message with a nonce', once);
      const second = await postText(context, 'a message with a nonce', once);
      return first.id === second.id ? works('the first message') : refused('a second message');
    },
  },
  {
    name: 'edit a message older than an hour',
    expects: 'works; how often is not published (30046)',
    does: 'posts anew what an old message does not take',
    run: (context) =>
      withPermission(context, 'Read Message History', async () => {
        const old = await findOld(context);
        if (!old) return skipped('the bot has no message older than an hour among the last 100 here');
        // Sets nothing that is not set already, so that nobody sees a difference.
        try {
          await editMessage(context, old.id, { flags: (old.flags ?? 0) & MessageFlags.SuppressEmbeds });
          return works();
        } catch (error) {
          if (errorCode(error) !== RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached)
            throw error;
          return refused('refused: 30046 no more edits of old messages');
        }
      }),
  },
  {
    name: 'reply with a reference',
    expects: 'works with Read Message History, else 160002',
    does: 'answers a mention as a reply to it; without the permission as a message',
    run: (context) =>
      withPermission(context, 'Read Message History', async () => {
        const { id } = await postText(context, 'a message to reply to');
        await postText(context, 'a reply', {
          message_reference: { message_id: id, fail_if_not_exists: false },
        });
        return works();
      }),
  },
  {
    name: 'buttons under a message',
    expects: 'works',
    does: 'puts buttons under its answers',
    async run(context) {
      await postText(context, 'a message with a button', { components: [buttonRow('live-check:none')] });
      return works();
    },
  },
  {
    name: 'thread under a message',
    expects: 'works with Create Public Threads',
    does: 'posts a video in a thread under its message; without the permission in the channel',
    run: (context) =>
      withPermission(context, 'Create Public Threads', async () => {
        const { id } = await postText(context, 'a message with a thread');
        await openThread(context, id);
        await context.rest.post(Routes.channelMessages(id), {
          body: { content: `${label}: in the thread`, allowed_mentions: { parse: [] } },
        });
        return works();
      }),
  },
  {
    name: 'second thread under a message',
    expects: '160004',
    does: 'goes on in the thread that is there',
    run: (context) =>
      withPermission(context, 'Create Public Threads', async () => {
        const { id } = await postText(context, 'a message with one thread');
        await openThread(context, id);
        return expectRefusal(RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage, () =>
          context.rest.post(Routes.threads(context.channelId, id), { body: { name: label } }),
        );
      }),
  },
  {
    name: 'rate-limit headers',
    expects: 'limit and time on every answer; figures not published',
    does: 'learns its pace from them',
    async run(context) {
      await post(context, { content: `${label}: how often` });
      const seen = context.limits.get('post');
      if (!seen) return refused('none; troupe keeps to its own guess');
      return works(`${seen.limit} messages in ${seen.resetAfter} s`);
    },
  },
];

/** A row with one button of the check's own; the bot leaves such buttons alone. */
export function buttonRow(id: string, label = 'Nothing happens') {
  return { type: 1, components: [{ type: 2, style: 2, custom_id: id, label }] };
}

/** Opens a thread under a message, deleted in the end: it has the message's id, so that a lost answer leaves none. */
export async function openThread(
  { rest, channelId, cleanUp }: DiscordContext,
  message: string,
): Promise<void> {
  cleanUp.later(`the closed thread “${label}” (${message}): deleting it takes Manage Threads`, async () => {
    try {
      await rest.delete(Routes.channel(message));
    } catch (error) {
      // It was never opened.
      if (errorCode(error) === RESTJSONErrorCodes.UnknownChannel) return;
      // Deleting takes a permission that troupe does without; closed, the thread is out of the way, and named as left.
      await rest.patch(Routes.channel(message), { body: { archived: true } });
      throw error;
    }
  });
  await rest.post(Routes.threads(channelId, message), { body: { name: label, auto_archive_duration: 60 } });
}

async function findOld({ rest, channelId, applicationId }: DiscordContext): Promise<APIMessage | undefined> {
  const query = new URLSearchParams({ limit: '100' });
  const messages = (await rest.get(Routes.channelMessages(channelId), { query })) as APIMessage[];
  const isVoice = ({ flags }: APIMessage) => ((flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
  return messages.find(
    (message) =>
      message.author.id === applicationId &&
      !isVoice(message) &&
      Date.parse(message.timestamp) < Date.now() - hour,
  );
}
