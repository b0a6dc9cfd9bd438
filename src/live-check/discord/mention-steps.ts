import type { Message } from 'discord.js';
import { nobodyCame, nobodyHelps } from '../nobody.ts';
import { refused, type Step, works } from '../step.ts';
import { waitForMessage } from './company.ts';
import { type DiscordContext, postText } from './context.ts';

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
      const { company } = context;
      if (!company) return nobodyHelps;
      const request =
        'Mention the bot’s role (it has the bot’s name, with “role” beside it) and write no more.';
      const message = await waitForMessage(context, company, request, (one) =>
        namesOwnRole(one, context.applicationId),
      );
      if (!message) return nobodyCame;
      return message.content !== '' ? works('with its text') : refused('its text is withheld');
    },
  },
  {
    name: 'reply with the ping off',
    expects: 'no mention, and no text',
    does: 'says once what a reply has to be like',
    async run(context) {
      const { company } = context;
      if (!company) return nobodyHelps;
      const { id } = await postText(context, 'please reply to this with the ping off');
      const request = 'Reply to the newest message with “@ ON” switched off, writing: help';
      const message = await waitForMessage(
        context,
        company,
        request,
        ({ reference }) => reference?.messageId === id,
      );
      if (!message) return nobodyCame;
      const mentions = message.mentions.users.has(context.applicationId) ? 'mentions the bot' : 'no mention';
      return works(`${mentions}; ${message.content !== '' ? 'with its text' : 'its text is withheld'}`);
    },
  },
];

function namesOwnRole({ mentions }: Message, botId: string): boolean {
  return mentions.roles.some(({ tags }) => tags?.botId === botId);
}
