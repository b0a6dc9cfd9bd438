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

/** The application, the gateway, and what a server's own rules do to the bot. */
export const applicationSteps: readonly Step<DiscordContext>[] = [
  {
    name: 'log-ins and shards',
    expects: '1,000 log-ins a day, max_concurrency 1 or more',
    does: 'logs in once per shard, in this rhythm',
    async run({ rest }) {
      const { shards, session_start_limit: starts } = (await rest.get(
        Routes.gatewayBot(),
      )) as APIGatewayBotInfo;
      const { remaining, total, max_concurrency: atOnce } = starts;
      const found = `${remaining} of ${total} left, ${atOnce} at once, ${shards} ${shards === 1 ? 'shard' : 'shards'}`;
      return remaining > 0 ? works(found) : needs('No log-ins are left today: stop what restarts the bot');
    },
  },
  {
    name: 'where the application can be installed',
    expects: 'servers, and people if that is switched on',
    does: 'offers its commands for what is switched on',
    async run({ rest }) {
      const { integration_types_config: installs = {} } = (await rest.get(
        Routes.currentApplication(),
      )) as APIApplication;
      const inServers = '0' in installs;
      const forPeople = '1' in installs;
      if (!inServers && !forPeople) return unclear('not told');
      if (inServers && forPeople) return works('servers and people');
      return refused(inServers ? 'servers only' : 'people only');
    },
  },
  {
    name: 'AutoMod on the bot’s messages',
    expects: 'not documented; 200000 if it applies',
    does: 'leaves the prompt out where a message is refused with 200000; an answer that is refused goes out as a direct message',
    async run(context) {
      const word = await blockedWord(context);
      if (word === undefined)
        return skipped('no blocked word can be read here; it takes Manage Server, which troupe does without');
      try {
        await post(context, { content: `${label}: ${word}` });
        return works('a blocked word was posted: AutoMod does not apply');
      } catch (error) {
        if (errorCode(error) !== RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration) throw error;
        return refused('refused: 200000');
      }
    },
  },
];

/** A word that this server's AutoMod blocks, where the bot may look. */
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
