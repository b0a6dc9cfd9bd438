import type { Route } from './route.ts';
import { applicationRoutes } from './routes-application.ts';
import { channelRoutes } from './routes-channel.ts';
import { guildRoutes } from './routes-guild.ts';
import { interactionRoutes } from './routes-interaction.ts';

/** Every operation the server knows; any other gets a 404 and is recorded as a violation. */
export const routes: readonly Route[] = [
  ...applicationRoutes,
  ...guildRoutes,
  ...channelRoutes,
  ...interactionRoutes,
];
