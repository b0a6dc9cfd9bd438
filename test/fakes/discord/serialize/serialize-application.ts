import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import type { Fields } from '../http/fields.ts';
import { supportedInstalls } from '../readings.ts';
import type { World } from '../world.ts';
import { userBody } from './serialize.ts';

/** The bot's application as its owner sees it. */
export function applicationBody(world: World): Fields {
  return {
    id: world.applicationId,
    name: world.bot.name,
    icon: null,
    description: world.portal.description ?? '',
    ...(world.portal.privacy !== undefined && { privacy_policy_url: world.portal.privacy }),
    ...(world.portal.terms !== undefined && { terms_of_service_url: world.portal.terms }),
    type: null,
    bot: userBody(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: world.verifyKey,
    flags: privilegedFlags(world),
    flags_new: '0',
    redirect_uris: [],
    interactions_endpoint_url: world.interactionsEndpoint,
    role_connections_verification_url: null,
    owner: userBody(world.applicationOwner ?? world.bot),
    approximate_guild_count: [...world.guilds.values()].filter(({ hasBot }) => hasBot).length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
    integration_types_config: Object.fromEntries(
      supportedInstalls(world.readings).map((install) => [install, {}]),
    ),
  };
}

/** Which privileged intents are switched on in the portal (resources/application, flags). */
function privilegedFlags({ privilegedIntents }: World): number {
  const reads = (privilegedIntents & GatewayIntentBits.MessageContent) !== 0;
  return reads ? ApplicationFlags.GatewayMessageContentLimited : 0;
}
