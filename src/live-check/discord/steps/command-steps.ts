import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  type RESTPostAPIApplicationCommandsJSONBody,
  type RESTPostAPIApplicationGuildCommandsResult,
  Routes,
} from 'discord.js';
import { liveCheckCommand } from '../../../platforms/discord/commands/live-check-command.ts';
import { noHelper, notDoneInTime } from '../../nobody.ts';
import { type Step, unclear, works } from '../../step.ts';
import { type DiscordContext, label } from '../context.ts';
import { acknowledge, waitForInteraction } from '../helper-connection.ts';

/** Commands of the check's own, in this server alone, for as long as the check takes. */
export const commandSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'message command',
    expects: 'brings the message with its text',
    does: 'has no message commands; nothing rests on it',
    async run(context) {
      const { helping: company } = context;
      if (!company) return noHelper;
      await register(context, { type: ApplicationCommandType.Message, name: label });
      const request = `Open the menu of a message you wrote yourself (right-click, or hold it), then Apps, “${label}”.`;
      const given = await waitForInteraction(context, company, request, isMessageCommand);
      if (!given) return notDoneInTime;
      await acknowledge(context, given);
      return given.targetMessage.content !== '' ? works('with its text') : unclear('came without a text');
    },
  },
  {
    name: 'mention in an option',
    expects: 'raw text; whether the name comes along is not documented',
    does: 'puts names in the place of ids, from what comes along, else from what it knows',
    async run(context) {
      const { helping: company } = context;
      if (!company) return noHelper;
      const option = { name: 'text', description: 'A text with a mention', required: true };
      await register(context, {
        type: ApplicationCommandType.ChatInput,
        name: liveCheckCommand,
        description: 'A step of the live check',
        options: [{ ...option, type: ApplicationCommandOptionType.String }],
      });
      const request = `Type /${liveCheckCommand} with your own mention as its text (@ and your name).`;
      const given = await waitForInteraction(context, company, request, isSlashCommand);
      if (!given) return notDoneInTime;
      await acknowledge(context, given);
      const text = given.options.getString('text', true);
      const named = given.options.resolved?.users?.size ?? 0;
      if (!/<@!?\d+>/.test(text)) return unclear('the text had no mention in it');
      return works(`<@id>, ${named > 0 ? 'with its name' : 'without its name'}`);
    },
  },
];

async function register(
  { rest, applicationId, guildId, cleanUp }: DiscordContext,
  body: RESTPostAPIApplicationCommandsJSONBody,
): Promise<void> {
  const route = Routes.applicationGuildCommands(applicationId, guildId);
  const { id } = (await rest.post(route, { body })) as RESTPostAPIApplicationGuildCommandsResult;
  cleanUp.later(`the command “${body.name}” in this server`, () =>
    rest.delete(Routes.applicationGuildCommand(applicationId, guildId, id)),
  );
}

function isMessageCommand(given: Interaction): given is MessageContextMenuCommandInteraction {
  return given.isMessageContextMenuCommand() && given.commandName === label;
}

function isSlashCommand(given: Interaction): given is ChatInputCommandInteraction {
  return given.isChatInputCommand() && given.commandName === liveCheckCommand;
}
