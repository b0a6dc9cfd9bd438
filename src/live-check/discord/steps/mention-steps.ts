import { type APIMessage, type Message, MessageReferenceType, Routes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { noHelper, notDoneInTime, refused, type Step, works } from '../../step.ts';
import { type DiscordContext, postText } from '../context.ts';
import { waitForGatewayMessage, waitForMessage } from '../helper-connection.ts';

/**
 * Messages for the bot in forms that it may not be able to read. A running bot answers them as usual; none of them costs
 * anything.
 */
export const mentionSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'mention of the bot’s role',
    expects: 'without its text (reports)',
    does: 'answers if the text is included; otherwise asks to be mentioned itself',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      const request =
        'Mention the bot’s role (it has the bot’s name and is marked as a role) without any other text.';
      const message = await waitForMessage(context, session, request, (one) =>
        namesOwnRole(one, context.applicationId),
      );
      if (!message) return notDoneInTime;
      return message.content !== '' ? works('with its text') : refused('without its text');
    },
  },
  {
    name: 'reply with the ping off',
    expects: 'no mention, and no text',
    does: 'says once how to write a reply that it can read',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      const { id } = await postText(context, 'please reply to this with the ping off');
      const request = 'Reply to the newest message with “@ ON” turned off. Write: help';
      const message = await waitForMessage(
        context,
        session,
        request,
        ({ reference }) => reference?.messageId === id,
      );
      if (!message) return notDoneInTime;
      const mentions = message.mentions.users.has(context.applicationId) ? 'mentions the bot' : 'no mention';
      return works(`${mentions}; ${message.content !== '' ? 'with its text' : 'without its text'}`);
    },
  },
  {
    name: 'message that a mention replies to',
    expects: 'not documented without Message Content',
    does: 'uses only what it remembers itself, never the message replied to',
    async run(context) {
      const { session, rest, channelId } = context;
      if (!session) return noHelper;
      const request = `Reply to a message of your own that doesn’t mention the bot. Write: @${session.client.user.username} help`;
      const message = await waitForGatewayMessage(
        context,
        session,
        request,
        (one) =>
          one.message_reference?.message_id !== undefined &&
          one.mentions.some(({ id }) => id === context.applicationId),
      );
      if (!message) return notDoneInTime;
      const byGet = await rest.get(Routes.channelMessage(channelId, message.id)).then(
        (found) => included((found as APIMessage).referenced_message),
        (error: unknown) => {
          const code = errorCode(error);
          if (code === undefined) throw error;
          return `refused (${code})`;
        },
      );
      const byEvent = included(message.referenced_message);
      const text = `by event: ${byEvent}; by GET: ${byGet}`;
      return [byEvent, byGet].includes(withText) ? works(text) : refused(text);
    },
  },
  {
    name: 'text of a forward',
    expects: 'not documented without Message Content',
    does: 'reads it if the text is included; otherwise asks the person to copy it',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      const message = await waitForGatewayMessage(
        context,
        session,
        'Forward a text message of your own to this channel.',
        (one) => one.message_reference?.type === MessageReferenceType.Forward,
      );
      if (!message) return notDoneInTime;
      const [snapshot] = message.message_snapshots ?? [];
      if (!snapshot) return refused('no snapshot is included');
      return snapshot.message.content ? works(withText) : refused('without its text');
    },
  },
];

const withText = 'with its text';

/** How much of the message replied to is included. */
function included(message: APIMessage | null | undefined): string {
  if (!message) return 'not included';
  return message.content !== '' ? withText : 'without its text';
}

function namesOwnRole({ mentions }: Message, botId: string): boolean {
  return mentions.roles.some(({ tags }) => tags?.botId === botId);
}
