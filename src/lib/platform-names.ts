/** The names of the platforms, as addresses and settings have them. */
export const platformNames = ['console', 'discord', 'slack'] as const;
export type PlatformName = (typeof platformNames)[number];
