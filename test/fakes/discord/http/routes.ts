import type { Route } from './route.ts';
import { applicationRoutes } from './routes-application.ts';
import { channelRoutes } from './routes-channel.ts';
import { guildRoutes } from './routes-guild.ts';
import { interactionRoutes } from './routes-interaction.ts';

/** Every operation the server knows; anything else is answered 404 and noted. */
export const routes: readonly Route[] = [
  ...applicationRoutes,
  ...guildRoutes,
  ...channelRoutes,
  ...interactionRoutes,
];
