import {
  type APIInteraction,
  type APIMessage,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  GatewayDispatchEvents,
  type GatewayMessageCreateDispatchData,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  MessageReferenceType,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  type RESTPostAPIApplicationGuildCommandsResult,
  Routes,
  TextInputStyle,
} from 'discord-api-types/v10';
import { discordFeatures, errorCode } from '../../platforms/discord/api/errors.ts';
import { liveCheckCommand } from '../../platforms/discord/commands/registration.ts';
import { ask, helpFrom, refused, skipped, unclear, works } from '../run-steps.ts';
import { onePixelPng } from '../sample-files.ts';
import {
  answer,
  askForInteraction,
  askForPress,
  type DiscordChannel,
  ignoreGone,
  label,
  requireInteractions,
  respond,
  say,
  tokenRoute,
} from './channel.ts';
import { type DiscordStep, permissionCodes, serverOf } from './steps.ts';

const notDocumented = 'not documented without Message Content';
const withText = 'with its text';
const withoutText = 'without its text';

/**
 * What begins with something that only a person can do. A running bot answers messages that are for it as usual, which
 * costs nothing.
 */
export const personSteps: readonly DiscordStep[] = [
  {
    name: 'file in the answer to a button press, without Attach Files',
    expected: 'not documented',
    refusedBy: [RESTJSONErrorCodes.MissingPermissions],
    async run(channel) {
      const press = await channel.firstPress();
      if (has(press.app_permissions, PermissionFlagsBits.AttachFiles))
        return skipped('the bot has Attach Files here; remove it to try this');
      const files = [{ name: 'troupe-live-check.png', data: onePixelPng, contentType: 'image/png' }];
      await channel.rest.patch(tokenRoute(press), { body: { content: label }, files, auth: false });
      return works();
    },
  },
  {
    name: 'message of the button, by the press’s token',
    expected: 'not documented',
    refusedBy: [RESTJSONErrorCodes.UnknownMessage],
    async run(channel) {
      const press = await channel.firstPress();
      const route = tokenRoute(press, press.message.id);
      await channel.rest.get(route, { auth: false });
      const body = { content: `${label}: thank you`, components: [], allowed_mentions: { parse: [] } };
      await channel.rest.patch(route, { body, auth: false });
      return works('it can be read and edited');
    },
  },
  {
    name: 'follow-up with the same nonce twice',
    expected: 'not documented',
    feature: discordFeatures.followUpNonce,
    everywhere: true,
    otherwise: 'sends a follow-up only once',
    async run(channel) {
      const press = await channel.firstPress();
      // The first follow-up after a deferral would replace the loading message.
      await channel.rest.patch(tokenRoute(press), { body: { content: label }, auth: false });
      const once = { nonce: `live-check-${press.id.slice(-10)}`, enforce_nonce: true };
      const [first, second] = [await followUp(channel, press, once), await followUp(channel, press, once)];
      return first.id === second.id
        ? works('returned the first follow-up')
        : refused('posted a second follow-up');
    },
  },
  {
    name: 'follow-up after the loading message was deleted',
    expected: 'works; reported to fail until 2021 (10008)',
    refusedBy: [RESTJSONErrorCodes.UnknownMessage],
    async run(channel) {
      const press = await askForPress(channel, 'Press me too');
      await respond(channel, press, { type: InteractionResponseType.DeferredChannelMessageWithSource });
      await channel.rest.delete(tokenRoute(press), { auth: false });
      const { flags = 0 } = await followUp(channel, press);
      return (flags & MessageFlags.Ephemeral) !== 0 ? works() : unclear('everyone sees it');
    },
  },
  {
    name: 'form with selects and a file',
    expected: 'opens, with component types 3, 4, 7, 19 and 21 in labels',
    refusedBy: [RESTJSONErrorCodes.InvalidFormBodyOrContentType],
    async run(channel) {
      const press = await askForPress(channel, 'Open the form', 'Press “Open the form”.');
      try {
        await respond(channel, press, { type: InteractionResponseType.Modal, data: form });
      } catch (error) {
        // Otherwise Discord tells the person that the press failed.
        await respond(channel, press, { type: InteractionResponseType.DeferredMessageUpdate });
        throw error;
      }
      return works('opened; you can close it');
    },
  },
  {
    name: 'mention in an option',
    expected: 'the id; whether the name is included is not documented',
    async run(channel) {
      const request = `Type /${liveCheckCommand} and mention yourself in its text (@ and your name).`;
      const command = await askForCommand(channel, request);
      const [option] = command.data.options ?? [];
      const text = option && 'value' in option ? String(option.value) : '';
      if (!/<@!?\d+>/.test(text)) return unclear('the text contained no mention');
      const named = Object.keys(command.data.resolved?.users ?? {}).length;
      return works(`<@id>, ${named > 0 ? 'with the name' : 'without the name'}`);
    },
  },
  {
    name: 'mention of the bot’s role',
    expected: 'without its text (reports)',
    async run(channel) {
      helpFrom(channel.help);
      const { roles } = await serverOf(channel);
      const request =
        'Mention the bot’s role (it has the bot’s name and is marked as a role) without any other text.';
      const { content } = await askForMessage(channel, request, ({ mention_roles }) =>
        mention_roles.some((id) => roles.get(id)?.botId === channel.me),
      );
      return content !== '' ? works(withText) : refused(withoutText);
    },
  },
  {
    name: 'message that a mention replies to',
    expected: notDocumented,
    async run(channel) {
      const request =
        'Reply to a message of your own that doesn’t mention the bot: mention the bot and write help.';
      const message = await askForMessage(
        channel,
        request,
        ({ message_reference, mentions }) =>
          message_reference?.message_id !== undefined && mentions.some(({ id }) => id === channel.me),
      );
      const read = channel.rest.get(Routes.channelMessage(channel.id, message.id));
      const byGet = await read.then(
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
    expected: notDocumented,
    async run(channel) {
      const { message_snapshots: [snapshot] = [] } = await askForMessage(
        channel,
        'Forward a text message of your own to this channel.',
        ({ message_reference }) => message_reference?.type === MessageReferenceType.Forward,
      );
      if (!snapshot) return refused('no snapshot is included');
      return snapshot.message.content ? works(withText) : refused(withoutText);
    },
  },
  {
    name: 'answer to a button press in a locked thread',
    expected: 'not documented',
    refusedBy: [
      RESTJSONErrorCodes.ThreadLocked,
      RESTJSONErrorCodes.InvalidActionOnArchivedThread,
      ...permissionCodes,
    ],
    async run(channel) {
      requireInteractions(channel);
      const thread = await openThread(channel);
      const name = 'Press me in here';
      const request = `Lock the newest thread “${label}” (in its menu), then press “${name}” in it.`;
      const press = await askForPress(channel, name, request, thread);
      if (has(press.app_permissions, PermissionFlagsBits.ManageThreads))
        return skipped('the bot has Manage Threads; remove it to try this');
      const { channel: at } = press;
      if (!('thread_metadata' in at) || at.thread_metadata?.locked !== true)
        return unclear('the thread was not locked');
      await answer(channel, press, { content: 'Thank you.' });
      return works();
    },
  },
  {
    name: 'command in a private thread without the bot',
    expected: 'is received; the bot’s own messages are refused (50001), although nothing says so beforehand',
    refusedBy: permissionCodes,
    async run(channel) {
      const request = `Create a private thread without the bot, then type /${liveCheckCommand} in it.`;
      const command = await askForCommand(channel, request);
      if (command.channel.type !== ChannelType.PrivateThread)
        return unclear('the command was not in a private thread');
      if (has(command.app_permissions, PermissionFlagsBits.ManageThreads))
        return skipped('the bot has Manage Threads; remove it to try this');
      await say(channel, 'a message', {}, command.channel.id);
      return works();
    },
  },
];

/** Sends a follow-up that only the person sees. */
async function followUp(
  { rest, cleanUp }: DiscordChannel,
  press: APIInteraction,
  more: object = {},
): Promise<APIMessage> {
  const body = { content: `${label}: a follow-up`, flags: MessageFlags.Ephemeral, ...more };
  const route = Routes.webhook(press.application_id, press.token);
  const sent = (await rest.post(route, { body, auth: false })) as APIMessage;
  cleanUp.add('a follow-up that only you see', () =>
    rest.delete(tokenRoute(press, sent.id), { auth: false }).catch(ignoreGone),
  );
  return sent;
}

function has(permissions: string, bit: bigint): boolean {
  return (BigInt(permissions) & bit) !== 0n;
}

/** How much of the message replied to is included. */
function included(message: APIMessage | null | undefined): string {
  if (!message) return 'not included';
  return message.content !== '' ? withText : withoutText;
}

/** Registers the check's command in this server while it runs, and asks a person to type it. */
async function askForCommand(channel: DiscordChannel, request: string) {
  requireInteractions(channel);
  const route = Routes.applicationGuildCommands(channel.me, channel.workspace);
  const { id } = (await channel.rest.post(route, {
    body: command,
  })) as RESTPostAPIApplicationGuildCommandsResult;
  channel.cleanUp.add(`the command “${liveCheckCommand}” in this server`, () =>
    channel.rest.delete(Routes.applicationGuildCommand(channel.me, channel.workspace, id)),
  );
  const typed = await askForInteraction(channel, request, (one) =>
    one.type === InteractionType.ApplicationCommand &&
    one.data.type === ApplicationCommandType.ChatInput &&
    one.data.name === liveCheckCommand
      ? { ...one, data: one.data }
      : undefined,
  );
  await answer(channel, typed);
  return typed;
}

const command = {
  type: ApplicationCommandType.ChatInput,
  name: liveCheckCommand,
  description: 'A step of the live check',
  options: [
    { type: ApplicationCommandOptionType.String, name: 'text', description: 'A text with a mention' },
  ],
};

function askForMessage(
  channel: DiscordChannel,
  request: string,
  matches: (message: GatewayMessageCreateDispatchData) => boolean,
): Promise<GatewayMessageCreateDispatchData> {
  return ask(channel.help, request, ({ t, d }) => {
    if (t !== GatewayDispatchEvents.MessageCreate) return undefined;
    return d.channel_id === channel.id && d.author.bot !== true && matches(d) ? d : undefined;
  });
}

/** Opens a thread, to be deleted at the end; its id is that of its message, so a lost response doesn't matter. */
async function openThread(channel: DiscordChannel): Promise<string> {
  const { rest, cleanUp } = channel;
  const { id } = await say(channel, 'a message with a thread to lock');
  cleanUp.add(`the closed thread “${label}” (${id}): deleting it needs Manage Threads`, async () => {
    try {
      await rest.delete(Routes.channel(id));
    } catch (error) {
      // It was not opened.
      if (errorCode(error) === RESTJSONErrorCodes.UnknownChannel) return;
      // Deleting needs a permission that troupe doesn't ask for: the thread is closed, and reported as left over.
      await rest.patch(Routes.channel(id), { body: { archived: true } });
      throw error;
    }
  });
  await rest.post(Routes.threads(channel.id, id), { body: { name: label, auto_archive_duration: 60 } });
  return id;
}

const choices = ['one', 'two'].map((value) => ({ label: value, value }));

/** A form with the kinds of input that troupe's forms have. */
const form = {
  custom_id: 'live-check:form',
  title: label,
  components: [
    labelled('Anything', { type: ComponentType.TextInput, style: TextInputStyle.Short, custom_id: 'text' }),
    labelled('People and roles', { type: ComponentType.MentionableSelect, custom_id: 'who', min_values: 0 }),
    labelled('A button', { type: ComponentType.RadioGroup, custom_id: 'radio', options: choices }),
    labelled('A menu', {
      type: ComponentType.StringSelect,
      custom_id: 'menu',
      min_values: 0,
      options: choices,
    }),
    labelled('A file', { type: ComponentType.FileUpload, custom_id: 'file', min_values: 0 }),
  ],
};

function labelled(label: string, component: object) {
  return { type: ComponentType.Label, label, component: { required: false, ...component } };
}
