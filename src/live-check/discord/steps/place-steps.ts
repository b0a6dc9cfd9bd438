import {
  type APIApplication,
  type APIMessage,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type Interaction,
  InteractionContextType,
  InteractionResponseType,
  MessageFlags,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  type RESTPostAPIApplicationCommandsResult,
  Routes,
} from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { missingPermissions } from '../../../platforms/discord/api/permissions.ts';
import {
  liveCheckCommand,
  liveCheckThreadCommand,
} from '../../../platforms/discord/commands/live-check-command.ts';
import {
  noHelper,
  notDoneInTime,
  refused,
  type Step,
  type StepResult,
  skipped,
  unclear,
  works,
} from '../../step.ts';
import { type DiscordContext, ignoreGone, label, postText } from '../context.ts';
import { acknowledge, waitForInteraction, waitForInteractionAnywhere } from '../helper-connection.ts';
import { register } from './command-steps.ts';
import { buttonRow, openThread } from './message-steps.ts';

const threadPressId = 'live-check:thread';
const followUpsAllowed = 5;

/** Voice channels, locked threads, and servers without the bot. */
export const placeSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'chat of a voice channel without Connect',
    expects: 'not documented',
    does: 'tries the typing indicator before anything is paid for',
    async run(context) {
      const { session, rest, guildId } = context;
      if (!session) return noHelper;
      const { client } = session;
      const channels = client.guilds.cache.get(guildId)?.channels.cache;
      const voiceChannel = channels?.find((channel) => {
        const granted = channel.isVoiceBased() && channel.permissionsFor(client.user);
        if (!granted || granted.has(PermissionFlagsBits.Connect)) return false;
        return missingPermissions(granted.bitfield, ['View Channels', 'Send Messages']).length === 0;
      });
      if (!voiceChannel)
        return skipped(
          'there is no voice channel in which the bot can write but not connect; remove Connect in one to try this',
        );
      return worksUnlessRefused(permissionCodes, async () => {
        const body = { content: `${label}: a message`, allowed_mentions: { parse: [] } };
        const { id } = (await rest.post(Routes.channelMessages(voiceChannel.id), { body })) as APIMessage;
        const message = Routes.channelMessage(voiceChannel.id, id);
        context.cleanUp.add(`a message in the voice channel (${id})`, () => rest.delete(message));
      });
    },
  },
  {
    name: 'answer to a button press in a locked thread',
    expects: 'not documented',
    does: 'answers commands by their token; answers mentions with a direct message before anything is paid for',
    async run(context) {
      const { session, rest } = context;
      if (!session) return noHelper;
      const { id } = await postText(context, 'a message with a thread to lock');
      await openThread(context, id);
      const components = [buttonRow(threadPressId, 'Press me in here')];
      const withButton = (await rest.post(Routes.channelMessages(id), {
        body: { content: label, components },
      })) as APIMessage;
      context.cleanUp.add('a message in the thread', () =>
        rest.delete(Routes.channelMessage(id, withButton.id)).catch(ignoreGone),
      );
      const request = `Lock the newest thread “${label}” (in its menu), then press “Press me in here” in it.`;
      const press = await waitForInteraction({ channelId: id }, session, request, isThreadPress);
      if (!press) return notDoneInTime;
      if (press.appPermissions.has(PermissionFlagsBits.ManageThreads))
        return skipped('the bot has Manage Threads; remove it to try this');
      if (!press.channel?.isThread() || press.channel.locked !== true)
        return unclear('the thread was not locked');
      return worksUnlessRefused([RESTJSONErrorCodes.ThreadLocked, ...permissionCodes], async () => {
        const body = {
          type: InteractionResponseType.ChannelMessageWithSource,
          data: { content: 'Thank you.' },
        };
        await rest.post(Routes.interactionCallback(press.id, press.token), { body, auth: false });
        const answer = Routes.webhookMessage(press.applicationId, press.token, '@original');
        context.cleanUp.add('the answer in the thread', () =>
          rest.delete(answer, { auth: false }).catch(ignoreGone),
        );
      });
    },
  },
  {
    name: 'command in a private thread without the bot',
    expects: 'is received; the bot’s own messages are refused (50001), although nothing says so beforehand',
    does: 'answers by the command’s token in private threads it isn’t known to be in',
    async run(context) {
      const { session, rest } = context;
      if (!session) return noHelper;
      await register(context, {
        type: ApplicationCommandType.ChatInput,
        name: liveCheckThreadCommand,
        description: 'A step of the live check',
      });
      const request = `Create a private thread without the bot, then type /${liveCheckThreadCommand} in it.`;
      const command = await waitForInteractionAnywhere(session, request, isThreadCommand);
      if (!command) return notDoneInTime;
      await acknowledge(context, command);
      if (command.channel?.type !== ChannelType.PrivateThread)
        return unclear('the command was not in a private thread');
      if (command.appPermissions.has(PermissionFlagsBits.ManageThreads))
        return skipped('the bot has Manage Threads; remove it to try this');
      return worksUnlessRefused(permissionCodes, async () => {
        const body = { content: `${label}: a message`, allowed_mentions: { parse: [] } };
        const { id } = (await rest.post(Routes.channelMessages(command.channelId), { body })) as APIMessage;
        const message = Routes.channelMessage(command.channelId, id);
        context.cleanUp.add(`a message in the private thread (${id})`, () => rest.delete(message));
      });
    },
  },
  {
    name: 'sixth follow-up where the bot isn’t a member',
    expects: 'documented to be refused (40094)',
    does: 'sends at most five follow-ups there',
    async run(context) {
      const { session, rest, applicationId, cleanUp } = context;
      if (!session) return noHelper;
      const application = (await rest.get(Routes.currentApplication())) as APIApplication;
      if (!application.integration_types_config?.[ApplicationIntegrationType.UserInstall])
        return skipped('installation in people’s accounts is disabled');
      const body = {
        type: ApplicationCommandType.ChatInput,
        name: liveCheckCommand,
        description: 'A step of the live check',
        integration_types: [ApplicationIntegrationType.UserInstall],
        contexts: [InteractionContextType.Guild],
      };
      const commands = Routes.applicationCommands(applicationId);
      const { id } = (await rest.post(commands, { body })) as RESTPostAPIApplicationCommandsResult;
      cleanUp.add(`the command “${liveCheckCommand}” everywhere`, () =>
        rest.delete(Routes.applicationCommand(applicationId, id)),
      );
      const isElsewhere = (one: Interaction): one is ChatInputCommandInteraction =>
        one.isChatInputCommand() &&
        one.commandName === liveCheckCommand &&
        one.guildId !== null &&
        !one.client.guilds.cache.has(one.guildId);
      const request = `Add the app to your account, then type /${liveCheckCommand} in a server without the bot.`;
      const interaction = await waitForInteractionAnywhere(session, request, isElsewhere);
      if (!interaction) return notDoneInTime;
      await acknowledge(context, interaction);
      return followUps(context, interaction);
    },
  },
];

const permissionCodes = [RESTJSONErrorCodes.MissingAccess, RESTJSONErrorCodes.MissingPermissions];

/** Tries something that Discord may refuse with one of these codes. */
async function worksUnlessRefused(
  codes: readonly number[],
  work: () => Promise<unknown>,
): Promise<StepResult> {
  try {
    await work();
    return works();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !codes.includes(code)) throw error;
    return refused(`refused: ${code}`);
  }
}

/** Posts one follow-up more than is allowed. */
async function followUps(
  { rest, cleanUp }: DiscordContext,
  { applicationId, token }: Interaction,
): Promise<StepResult> {
  const body = { content: `${label}: a follow-up`, flags: MessageFlags.Ephemeral };
  for (let count = 0; count <= followUpsAllowed; count++) {
    try {
      const sent = (await rest.post(Routes.webhook(applicationId, token), {
        body,
        auth: false,
      })) as APIMessage;
      const message = Routes.webhookMessage(applicationId, token, sent.id);
      cleanUp.add('a follow-up that only you see', () => rest.delete(message, { auth: false }));
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages)
        throw error;
      return refused(`refused: 40094 after ${count}`);
    }
  }
  return works('a sixth was accepted');
}

function isThreadCommand(one: Interaction): one is ChatInputCommandInteraction {
  return one.isChatInputCommand() && one.commandName === liveCheckThreadCommand;
}

function isThreadPress(one: Interaction): one is ButtonInteraction {
  return one.isButton() && one.customId === threadPressId;
}
