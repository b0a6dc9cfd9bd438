import { type APIMessage, MessageFlags, RESTJSONErrorCodes, Routes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { refused, type Step, skipped, works } from '../../step.ts';
import { type DiscordContext, editMessage, label, post, postText } from '../context.ts';
import { expectRefusal, withPermission } from '../refusals.ts';

const hour = 3_600_000;
type DiscordStep = Step<DiscordContext>;

/** Messages: posting, editing, replies, buttons, threads. */
export const messageSteps: readonly DiscordStep[] = [
  {
    name: 'post, edit, delete',
    expects: 'all three, with Send Messages',
    does: 'streams answers by editing its messages',
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
    expects: 'returns the first message',
    does: 'repeats a message whose response was lost, with the same nonce',
    async run(context) {
      const once = { nonce: `live-check-${Date.now()}`, enforce_nonce: true };
      const first = await postText(context, 'a message with a nonce', once);
      const second = await postText(context, 'a message with a nonce', once);
      return first.id === second.id
        ? works('returned the first message')
        : refused('posted a second message');
    },
  },
  {
    name: 'edit a message older than an hour',
    expects: 'works a limited number of times, which isn’t published (30046)',
    does: 'posts a new message if the old one can’t be edited',
    run: (context) =>
      withPermission(context, 'Read Message History', async () => {
        const old = await findOld(context);
        if (!old) return skipped('none of the last 100 messages here is the bot’s and older than an hour');
        // Sets only what is set already, so that nobody sees a difference.
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
    expects: 'works with Read Message History, otherwise 160002',
    does: 'answers mentions with a reply; without the permission with a plain message',
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
    does: 'adds buttons to its answers',
    async run(context) {
      await postText(context, 'a message with a button', { components: [buttonRow('live-check:none')] });
      return works();
    },
  },
  {
    name: 'thread under a message',
    expects: 'works with Create Public Threads',
    does: 'posts videos in a thread; without the permission in the channel',
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
    expects: 'refused (160004)',
    does: 'uses the thread that is there',
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
    expects: 'in every response; the numbers aren’t published',
    does: 'adapts its pace to them',
    async run(context) {
      await post(context, { content: `${label}: how often` });
      const seen = context.limits.get('post');
      if (!seen) return refused('none; troupe uses its own estimate');
      return works(`${seen.limit} messages in ${seen.resetAfter} s`);
    },
  },
];

/** A row with one button of the check's own, which the bot ignores. */
export function buttonRow(id: string, label = 'Nothing happens') {
  return { type: 1, components: [{ type: 2, style: 2, custom_id: id, label }] };
}

/** Opens a thread under a message, to be deleted at the end; its id is the message's, so a lost response doesn't matter. */
export async function openThread(
  { rest, channelId, cleanUp }: DiscordContext,
  message: string,
): Promise<void> {
  cleanUp.add(`the closed thread “${label}” (${message}): deleting it needs Manage Threads`, async () => {
    try {
      await rest.delete(Routes.channel(message));
    } catch (error) {
      // It was not opened.
      if (errorCode(error) === RESTJSONErrorCodes.UnknownChannel) return;
      // Deleting needs a permission that troupe doesn't ask for: the thread is closed, and reported as left over.
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
