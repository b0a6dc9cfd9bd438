import { type APIMessage, type Message, MessageReferenceType, Routes } from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { noHelper, notDoneInTime } from '../../nobody.ts';
import { refused, type Step, works } from '../../step.ts';
import { type DiscordContext, postText } from '../context.ts';
import { waitForGatewayMessage, waitForMessage } from '../helper-connection.ts';

/**
 * Messages to the bot, as people write them by mistake. A bot that runs meanwhile answers these as ever; they say
 * nothing that it would pay for.
 */
export const mentionSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'mention of the bot’s role',
    expects: 'without its text (reports)',
    does: 'answers it where its text comes along; else asks to be mentioned itself',
    async run(context) {
      const { helping: company } = context;
      if (!company) return noHelper;
      const request =
        'Mention the bot’s role (it has the bot’s name, with “role” beside it) and write no more.';
      const message = await waitForMessage(context, company, request, (one) =>
        namesOwnRole(one, context.applicationId),
      );
      if (!message) return notDoneInTime;
      return message.content !== '' ? works('with its text') : refused('its text is withheld');
    },
  },
  {
    name: 'reply with the ping off',
    expects: 'no mention, and no text',
    does: 'says once what a reply has to be like',
    async run(context) {
      const { helping: company } = context;
      if (!company) return noHelper;
      const { id } = await postText(context, 'please reply to this with the ping off');
      const request = 'Reply to the newest message with “@ ON” switched off, writing: help';
      const message = await waitForMessage(
        context,
        company,
        request,
        ({ reference }) => reference?.messageId === id,
      );
      if (!message) return notDoneInTime;
      const mentions = message.mentions.users.has(context.applicationId) ? 'mentions the bot' : 'no mention';
      return works(`${mentions}; ${message.content !== '' ? 'with its text' : 'its text is withheld'}`);
    },
  },
  {
    name: 'message that a mention replies to',
    expects: 'not documented without Message Content',
    does: 'goes by what it remembers itself; never reads the message replied to',
    async run(context) {
      const { helping: company, rest, channelId } = context;
      if (!company) return noHelper;
      const request = `Reply to a message of your own that doesn’t mention the bot, writing: @${company.client.user.username} help`;
      const message = await waitForGatewayMessage(
        context,
        company,
        request,
        (one) =>
          one.message_reference?.message_id !== undefined &&
          one.mentions.some(({ id }) => id === context.applicationId),
      );
      if (!message) return notDoneInTime;
      const byGet = await rest.get(Routes.channelMessage(channelId, message.id)).then(
        (found) => carried((found as APIMessage).referenced_message),
        (error: unknown) => {
          const code = errorCode(error);
          if (code === undefined) throw error;
          return `refused (${code})`;
        },
      );
      const byEvent = carried(message.referenced_message);
      const text = `by event: ${byEvent}; by GET: ${byGet}`;
      return [byEvent, byGet].includes(withText) ? works(text) : refused(text);
    },
  },
  {
    name: 'text of a forward',
    expects: 'not documented without Message Content',
    does: 'reads the forward where its text comes along; else asks for a copy of it',
    async run(context) {
      const { helping: company } = context;
      if (!company) return noHelper;
      const message = await waitForGatewayMessage(
        context,
        company,
        'Forward a text message of your own to this channel.',
        (one) => one.message_reference?.type === MessageReferenceType.Forward,
      );
      if (!message) return notDoneInTime;
      const [snapshot] = message.message_snapshots ?? [];
      if (!snapshot) return refused('no snapshot comes along');
      return snapshot.message.content ? works(withText) : refused('its text is withheld');
    },
  },
];

const withText = 'with its text';

/** What of the message replied to comes along. */
function carried(message: APIMessage | null | undefined): string {
  if (!message) return 'left out';
  return message.content !== '' ? withText : 'without its text';
}

function namesOwnRole({ mentions }: Message, botId: string): boolean {
  return mentions.roles.some(({ tags }) => tags?.botId === botId);
}
