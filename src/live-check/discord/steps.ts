import { DiscordAPIError, RateLimitError } from '@discordjs/rest';
import {
  type APIAutoModerationRule,
  type APIGatewayBotInfo,
  AutoModerationRuleTriggerType,
  MessageFlags,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import { discordFeatures, platformErrorOf } from '../../platforms/discord/api/errors.ts';
import { galleryBody, messageBody } from '../../platforms/discord/api/messages.ts';
import {
  isTimedOut,
  isVoiceType,
  missingPermissions,
  type PermissionName,
  permissionsInChannel,
  readServer,
  type Server,
} from '../../platforms/discord/servers/server.ts';
import { PlatformError, refusalOf } from '../../port/index.ts';
import { needs, refused, type Seen, skipped, type Step, unclear, works } from '../run-steps.ts';
import { onePixelPng, silentVoiceMessage } from '../sample-files.ts';
import { type DiscordChannel, label, post, say } from './channel.ts';

/** A step on Discord. */
export interface DiscordStep extends Step<DiscordChannel> {
  /** What it needs; Send Messages by default. A missing one is no refusal. */
  readonly permission?: PermissionName;
  /** Discord's codes for refusing what is tried; no other refusal counts, nor is remembered. */
  readonly refusedBy?: readonly number[];
}

/** Discord's codes for missing permissions. */
export const permissionCodes: readonly number[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
];

/** A file is too large. A proxy in front of Discord says so without a code of Discord's: its status is taken for one. */
const tooLarge: readonly number[] = [
  RESTJSONErrorCodes.RequestEntityTooLarge,
  RESTJSONErrorCodes.FileUploadedExceedsMaximumSize,
  413,
];

/** What an error says about a step. Temporary errors say nothing about what Discord allows. */
export async function explain(
  thrown: unknown,
  { permission = 'Send Messages', refusedBy = [] }: Pick<DiscordStep, 'permission' | 'refusedBy'> = {},
  channel?: DiscordChannel,
): Promise<Seen> {
  const error = thrown instanceof PlatformError ? thrown.cause : thrown;
  if (error instanceof RateLimitError) return unclear('Discord’s rate limit is reached (429)');
  if (!(error instanceof DiscordAPIError)) return unclear('no response from Discord');
  const { status, message } = error;
  if (status === 401 && error.code === 0)
    return needs('Discord refused DISCORD_TOKEN: set it to the bot’s token');
  const isOfProxy = !Number.isInteger(Number(error.code));
  const code = isOfProxy ? status : Number(error.code);
  const text = isOfProxy || code === 0 ? `${status}` : `${code} ${message}`;
  if (permissionCodes.includes(code)) {
    if (!channel) return needs(`The bot lacks a permission in this channel (${text})`);
    const missing = await missingPermission(channel, permission).catch(() => undefined);
    if (missing !== undefined) return needs(`${missing} (${code})`);
  }
  if (refusedBy.includes(code)) return refused(`refused: ${text}`);
  if (refusalOf(platformErrorOf(error)) === 'moderated')
    return needs(`AutoMod blocks the check’s messages (${code}): exempt the bot’s role from its rules`);
  return unclear(`${isOfProxy ? 'a proxy in front of Discord' : 'Discord'} answered ${text}`);
}

/** A sentence about what the bot needs in the channel to use a permission; undefined if nothing is missing. */
async function missingPermission(channel: DiscordChannel, name: PermissionName): Promise<string | undefined> {
  const server = await serverOf(channel);
  if (isTimedOut(server, Date.now())) return 'The bot is timed out in this server: remove the timeout first';
  const here = server.channels.get(channel.id);
  const granted = (here && server.me && permissionsInChannel(here, server.me)) ?? 0n;
  const missing = missingPermissions(granted, [...new Set<PermissionName>([...alwaysNeeded, name])]);
  if (missing.length === 0) return undefined;
  const permissions = missing.length === 1 ? 'permission' : 'permissions';
  return `Give the bot’s role the ${permissions} ${missing.join(', ')} in this channel`;
}

/** Dependencies of every step that posts. */
const alwaysNeeded: readonly PermissionName[] = ['View Channels', 'Send Messages'];

/** The server as it is now: permissions may change at any time. */
export async function serverOf({ api, workspace, me }: DiscordChannel): Promise<Server> {
  return readServer(await api.server(workspace, me), me);
}

const mebibyte = 1024 * 1024;

/** Discord's codes for refusing a voice message although nothing is missing. */
const voiceRefusals = [
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.VoiceMessagesDoNotSupportAdditionalContent,
  RESTJSONErrorCodes.VoiceMessagesMustHaveASingleAudioAttachment,
  RESTJSONErrorCodes.VoiceMessagesMustHaveSupportingMetadata,
];

/** What the check finds out by itself. */
export const unaidedSteps: readonly DiscordStep[] = [
  {
    name: 'log-in',
    expected: '1,000 log-ins a day, max_concurrency 1 or more',
    async run({ rest }) {
      const { shards, session_start_limit: starts } = (await rest.get(
        Routes.gatewayBot(),
      )) as APIGatewayBotInfo;
      const { remaining, total, max_concurrency: atOnce } = starts;
      if (remaining <= 0) return needs('No log-ins are left today: find out what restarts the bot');
      return works(
        `${remaining} of ${total} left, ${atOnce} at a time, ${shards} ${shards === 1 ? 'shard' : 'shards'}`,
      );
    },
  },
  {
    name: 'AutoMod on the bot’s messages',
    expected: 'not documented; 200000 if it applies',
    refusedBy: [RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration],
    async run(channel) {
      const word = await blockedWord(channel);
      if (word === undefined)
        return skipped(
          'the bot can’t read blocked words here: that takes Manage Server, which troupe doesn’t ask for',
        );
      await say(channel, word);
      return works('a blocked word was posted: AutoMod doesn’t apply to bots');
    },
  },
  {
    name: 'voice message',
    expected:
      'works with Send Voice Messages, without Attach Files too; 50173 if the server refuses voice messages',
    feature: discordFeatures.voiceMessage,
    otherwise: 'posts clips as MP3 files',
    permission: 'Send Voice Messages',
    refusedBy: voiceRefusals,
    async run(channel) {
      await postVoiceMessage(channel);
    },
  },
  {
    name: 'voice message as a reply',
    expected: 'not documented; a reply needs Read Message History',
    permission: 'Send Voice Messages',
    refusedBy: voiceRefusals,
    async run(channel) {
      const { id } = await say(channel, 'a message that a voice message replies to');
      await postVoiceMessage(channel, { message_reference: { message_id: id } });
    },
  },
  {
    name: 'gallery in an edit',
    expected: 'documented to work; reported to fail, the files aren’t found (50035)',
    feature: discordFeatures.galleryByEdit,
    otherwise: 'shows several images in a grid',
    permission: 'Attach Files',
    refusedBy: [RESTJSONErrorCodes.InvalidFormBodyOrContentType],
    async run(channel) {
      const name = 'troupe-live-check.png';
      const { id } = await say(channel, 'a message that becomes a gallery');
      await channel.rest.patch(Routes.channelMessage(channel.id, id), {
        body: galleryBody(messageBody(`${label}: a gallery`), [{ id: '0', filename: name }]),
        files: [{ name, data: onePixelPng, contentType: 'image/png' }],
      });
    },
  },
  {
    name: 'file of just under 20 MiB',
    expected: 'documented to work; reported to fail (40005)',
    feature: discordFeatures.uploadOver10MiB,
    otherwise: 'posts files of up to 10 MiB there',
    permission: 'Attach Files',
    refusedBy: tooLarge,
    async run(channel) {
      // Less than that by what the request has around the file.
      const data = Buffer.alloc(20 * mebibyte - 1024);
      const file = { name: 'troupe-live-check.bin', data, contentType: 'application/octet-stream' };
      await post(channel, { content: `${label}: a large file` }, [file]);
    },
  },
  {
    name: 'chat of a voice channel without Connect',
    expected: 'not documented',
    refusedBy: permissionCodes,
    async run(channel) {
      const { channels, me } = await serverOf(channel);
      const voiceChannel = [...channels.values()].find((one) => {
        const granted = me && isVoiceType(one.type) ? permissionsInChannel(one, me) : undefined;
        if (granted === undefined || (granted & PermissionFlagsBits.Connect) !== 0n) return false;
        return missingPermissions(granted, ['View Channels', 'Send Messages']).length === 0;
      });
      if (!voiceChannel)
        return skipped(
          'there is no voice channel in which the bot can write but not connect; remove Connect in one to try this',
        );
      await say(channel, 'a message', {}, voiceChannel.id);
      return works();
    },
  },
];

/** A word that this server's AutoMod blocks, if the bot may read its rules. */
async function blockedWord({ rest, workspace, id }: DiscordChannel): Promise<string | undefined> {
  const rules = (await rest
    .get(Routes.guildAutoModerationRules(workspace))
    .catch(() => [])) as APIAutoModerationRule[];
  return rules
    .filter(({ enabled, trigger_type }) => enabled && trigger_type === AutoModerationRuleTriggerType.Keyword)
    .filter(({ exempt_channels }) => !exempt_channels.includes(id))
    .flatMap(({ trigger_metadata }) => trigger_metadata.keyword_filter ?? [])
    .find((word) => !word.includes('*'));
}

async function postVoiceMessage(channel: DiscordChannel, more: object = {}): Promise<void> {
  const name = 'voice-message-live-check.ogg';
  const { bytes, seconds, waveform } = silentVoiceMessage;
  const attachments = [{ id: '0', filename: name, duration_secs: seconds, waveform }];
  const file = { name, data: bytes, contentType: 'audio/ogg' };
  await post(channel, { ...more, flags: MessageFlags.IsVoiceMessage, attachments }, [file]);
}
