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
import {
  liveCheckCommand,
  liveCheckMessageCommand,
} from '../../../platforms/discord/commands/live-check-command.ts';
import { noHelper, notDoneInTime, type Step, unclear, works } from '../../step.ts';
import type { DiscordContext } from '../context.ts';
import { acknowledge, waitForInteraction } from '../helper-connection.ts';

/** Commands that the check registers in this server while it runs. */
export const commandSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'message command',
    expects: 'receives the message with its text',
    does: 'opens a form for the message',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      await register(context, { type: ApplicationCommandType.Message, name: liveCheckMessageCommand });
      const request = `Open the menu of a message of your own (right-click it, or press and hold), then choose Apps, “${liveCheckMessageCommand}”.`;
      const interaction = await waitForInteraction(context, session, request, isMessageCommand);
      if (!interaction) return notDoneInTime;
      await acknowledge(context, interaction);
      return interaction.targetMessage.content !== ''
        ? works('with its text')
        : unclear('received without a text');
    },
  },
  {
    name: 'mention in an option',
    expects: 'the id; whether the name is included is not documented',
    does: 'replaces ids by names: those that are included, or those it knows',
    async run(context) {
      const { session } = context;
      if (!session) return noHelper;
      const option = { name: 'text', description: 'A text with a mention', required: true };
      await register(context, {
        type: ApplicationCommandType.ChatInput,
        name: liveCheckCommand,
        description: 'A step of the live check',
        options: [{ ...option, type: ApplicationCommandOptionType.String }],
      });
      const request = `Type /${liveCheckCommand} and mention yourself in its text (@ and your name).`;
      const interaction = await waitForInteraction(context, session, request, isSlashCommand);
      if (!interaction) return notDoneInTime;
      await acknowledge(context, interaction);
      const text = interaction.options.getString('text', true);
      const named = interaction.options.resolved?.users?.size ?? 0;
      if (!/<@!?\d+>/.test(text)) return unclear('the text contained no mention');
      return works(`<@id>, ${named > 0 ? 'with the name' : 'without the name'}`);
    },
  },
];

/** Registers a command in this server while the check runs. */
export async function register(
  { rest, applicationId, guildId, cleanUp }: DiscordContext,
  body: RESTPostAPIApplicationCommandsJSONBody,
): Promise<void> {
  const route = Routes.applicationGuildCommands(applicationId, guildId);
  const { id } = (await rest.post(route, { body })) as RESTPostAPIApplicationGuildCommandsResult;
  cleanUp.add(`the command “${body.name}” in this server`, () =>
    rest.delete(Routes.applicationGuildCommand(applicationId, guildId, id)),
  );
}

function isMessageCommand(interaction: Interaction): interaction is MessageContextMenuCommandInteraction {
  return interaction.isMessageContextMenuCommand() && interaction.commandName === liveCheckMessageCommand;
}

function isSlashCommand(interaction: Interaction): interaction is ChatInputCommandInteraction {
  return interaction.isChatInputCommand() && interaction.commandName === liveCheckCommand;
}
