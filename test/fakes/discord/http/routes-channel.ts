import { ChannelType, GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';
import { visible } from '../gateway/visibility.ts';
import type { Channel, Message } from '../model.ts';
import { holdsMessages, permissionToSend, requireBotPermissions } from '../rules/permissions.ts';
import { messageBody } from '../serialize/serialize-message.ts';
import { channelBody } from '../serialize/serialize.ts';
import type { World } from '../world.ts';
import { isFields } from './fields.ts';
import { invalidField, refusals } from './refusal.ts';
import { type Dependencies, done, fieldsOf, ok, type Route, route } from './route.ts';

/** Channels, their messages and threads (resources/channel, resources/message). */
export const channelRoutes: readonly Route[] = [
  route('GET /channels/{channel_id}', 'other', ({ world }, { params }) => {
    const channel = world.channel(params.channel_id ?? '');
    requireBotPermissions(world, channel, 0n);
    return ok(channelBody(world, channel));
  }),
  route('PATCH /channels/{channel_id}', 'thread', ({ world, threads }, { params, json }) =>
    ok(channelBody(world, threads.edit(world.channel(params.channel_id ?? ''), fieldsOf(json)))),
  ),
  route('POST /channels/{channel_id}/typing', 'typing', ({ world }, { params }) => {
    const channel = world.channel(params.channel_id ?? '');
    requireBotPermissions(world, channel, permissionToSend(channel));
    return done;
  }),
  route('GET /channels/{channel_id}/messages', 'other', ({ world }, { params, query }) => {
    const channel = world.channel(params.channel_id ?? '');
    const granted = requireBotPermissions(world, channel, 0n);
    // Without the permission the response is empty, not a refusal (resources/message, get channel messages).
    if ((granted & PermissionFlagsBits.ReadMessageHistory) === 0n) return ok([]);
    const limit = Number(query.get('limit') ?? 50);
    if (!(limit >= 1 && limit <= 100))
      throw invalidField('limit', 'NUMBER_TYPE_RANGE', 'int value should be between 1 and 100.');
    const after = BigInt(query.get('after') ?? 0);
    const before = query.has('before') ? BigInt(query.get('before') ?? 0) : undefined;
    const found = world
      .messagesIn(channel.id)
      .filter(
        (message) => BigInt(message.id) > after && (before === undefined || BigInt(message.id) < before),
      );
    const page = query.has('after') ? found.slice(0, limit) : found.slice(-limit);
    return ok(page.toReversed().map((message) => bodyFor(world, message)));
  }),
  route('POST /channels/{channel_id}/messages', 'message-create', (parts, call) => {
    const { world, messages } = parts;
    const channel = writable(parts, call.params.channel_id, call.uploads.length > 0, voiceFlag(call.json));
    const uploadLimit = uploadLimitOf(world, channel);
    return ok(
      messageBody(
        world,
        messages.create({ channel, body: fieldsOf(call.json), uploads: call.uploads, uploadLimit }),
      ),
    );
  }),
  route('GET /channels/{channel_id}/messages/{message_id}', 'other', ({ world }, { params }) => {
    const channel = world.channel(params.channel_id ?? '');
    requireBotPermissions(world, channel, PermissionFlagsBits.ReadMessageHistory);
    return ok(bodyFor(world, publicMessage(world, channel, params.message_id)));
  }),
  route(
    'PATCH /channels/{channel_id}/messages/{message_id}',
    'message-edit',
    ({ world, messages, threads }, call) => {
      const channel = world.channel(call.params.channel_id ?? '');
      requireBotPermissions(world, channel, call.uploads.length > 0 ? PermissionFlagsBits.AttachFiles : 0n);
      threads.requireActive(channel);
      const message = publicMessage(world, channel, call.params.message_id);
      const uploadLimit = uploadLimitOf(world, channel);
      return ok(messageBody(world, messages.edit(message, fieldsOf(call.json), call.uploads, uploadLimit)));
    },
  ),
  route(
    'DELETE /channels/{channel_id}/messages/{message_id}',
    'message-delete',
    ({ world, messages, threads }, { params }) => {
      const channel = world.channel(params.channel_id ?? '');
      const message = publicMessage(world, channel, params.message_id);
      requireBotPermissions(
        world,
        channel,
        message.authorId === world.bot.id ? 0n : PermissionFlagsBits.ManageMessages,
      );
      threads.requireDeletable(channel);
      messages.delete(message);
      return done;
    },
  ),
  route(
    'POST /channels/{channel_id}/messages/{message_id}/threads',
    'thread',
    ({ world, threads }, { params, json }) => ({
      status: 201,
      body: channelBody(
        world,
        threads.open(world.channel(params.channel_id ?? ''), params.message_id ?? '', fieldsOf(json)),
      ),
    }),
  ),
];

/** A message as the bot may read it. */
function bodyFor(world: World, message: Message) {
  const hasIntent = (world.privilegedIntents & GatewayIntentBits.MessageContent) !== 0;
  const { nonce, ...body } = messageBody(world, message);
  const shown = world.readings.nonceOnRead === 'works' && nonce !== undefined ? { ...body, nonce } : body;
  return visible(world, message, shown, hasIntent);
}

function uploadLimitOf(world: World, channel: Channel): number {
  return channel.guildId === undefined ? world.defaultUploadLimit : world.guild(channel.guildId).uploadLimit;
}

function voiceFlag(json: unknown): boolean {
  return isFields(json) && typeof json.flags === 'number' && (json.flags & (1 << 13)) !== 0;
}

function publicMessage(world: World, channel: Channel, id = ''): Message {
  const message = world.message(id);
  if (message.channelId !== channel.id || message.onlyFor !== undefined) throw refusals.unknownMessage();
  return message;
}

/** A person who accepts direct messages from the bot, and shares a server with it or has installed it themselves. */
function requireReachable(world: World, userId: string): void {
  const shares = [...world.guilds.values()].some(({ hasBot, members }) => hasBot && members.has(userId));
  const installed = [...world.interactions.values()].some(
    (interaction) => interaction.userId === userId && interaction.userInstallOnly,
  );
  if (!shares && !installed) throw refusals.noMutualGuild();
  if (!world.user(userId).acceptsDirectMessages) throw refusals.directMessagesClosed();
}

/** A channel the bot may post in; unarchives a thread. */
function writable(
  { world, threads }: Dependencies,
  id: string | undefined,
  attaches: boolean,
  voice: boolean,
): Channel {
  const channel = world.channel(id ?? '');
  if (!holdsMessages(channel)) throw refusals.wrongChannelType();
  if (channel.type === ChannelType.DM) requireReachable(world, channel.recipients[0] ?? '');
  // Voice messages need Send Voice Messages instead of Attach Files (discord-api-docs#6082, Discord’s staff).
  const granted = requireBotPermissions(
    world,
    channel,
    permissionToSend(channel) | (attaches && !voice ? PermissionFlagsBits.AttachFiles : 0n),
  );
  const mayBeVoice = (granted & PermissionFlagsBits.SendVoiceMessages) !== 0n;
  if (voice && !(mayBeVoice && world.readings.voiceMessage === 'works')) throw refusals.voiceNotAllowedHere();
  threads.wake(channel);
  return channel;
}
