import {
  type APIApplication,
  type APIAutoModerationRule,
  type APIGatewayBotInfo,
  AutoModerationRuleTriggerType,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { needs, refused, type Step, skipped, unclear, works } from '../../step.ts';
import { type DiscordContext, label, post } from '../context.ts';

/** The application, the gateway, and AutoMod. */
export const applicationSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'log-ins and shards',
    expects: '1,000 log-ins a day, max_concurrency 1 or more',
    does: 'logs in once per shard, within these limits',
    async run({ rest }) {
      const { shards, session_start_limit: starts } = (await rest.get(
        Routes.gatewayBot(),
      )) as APIGatewayBotInfo;
      const { remaining, total, max_concurrency: atOnce } = starts;
      const text = `${remaining} of ${total} left, ${atOnce} at a time, ${shards} ${shards === 1 ? 'shard' : 'shards'}`;
      return remaining > 0 ? works(text) : needs('No log-ins are left today: find out what restarts the bot');
    },
  },
  {
    name: 'where the application can be installed',
    expects: 'servers, and people’s accounts if that’s enabled',
    does: 'registers its commands for what is enabled',
    async run({ rest }) {
      const { integration_types_config: installs = {} } = (await rest.get(
        Routes.currentApplication(),
      )) as APIApplication;
      const inServers = '0' in installs;
      const forPeople = '1' in installs;
      if (!inServers && !forPeople) return unclear('not stated');
      if (inServers && forPeople) return works('servers and people’s accounts');
      return refused(inServers ? 'servers only' : 'people’s accounts only');
    },
  },
  {
    name: 'where interactions are sent',
    expects: 'to the gateway, or to the Interactions Endpoint URL',
    does: 'takes them from the gateway, or over HTTP with DISCORD_PUBLIC_KEY',
    async run({ rest }) {
      const { interactions_endpoint_url: url } = (await rest.get(
        Routes.currentApplication(),
      )) as APIApplication;
      return works(url ? `to ${url}` : 'to the gateway');
    },
  },
  {
    name: 'AutoMod on the bot’s messages',
    expects: 'not documented; 200000 if it applies',
    does: 'repeats a message that is refused with 200000 without the prompt; an answer that is refused goes to the person as a direct message',
    async run(context) {
      const word = await blockedWord(context);
      if (word === undefined)
        return skipped(
          'the bot can’t read blocked words here: that takes Manage Server, which troupe doesn’t ask for',
        );
      try {
        await post(context, { content: `${label}: ${word}` });
        return works('a blocked word was posted: AutoMod doesn’t apply to bots');
      } catch (error) {
        if (errorCode(error) !== RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration) throw error;
        return refused('refused: 200000');
      }
    },
  },
];

/** A word that this server's AutoMod blocks, if the bot may read its rules. */
async function blockedWord({ rest, guildId, channelId }: DiscordContext): Promise<string | undefined> {
  const rules = (await rest
    .get(Routes.guildAutoModerationRules(guildId))
    .catch(() => [])) as APIAutoModerationRule[];
  const applies = rules.filter(
    ({ enabled, trigger_type, exempt_channels }) =>
      enabled &&
      trigger_type === AutoModerationRuleTriggerType.Keyword &&
      !exempt_channels.includes(channelId),
  );
  return applies
    .flatMap(({ trigger_metadata }) => trigger_metadata.keyword_filter ?? [])
    .find((word) => !word.includes('*'));
}
