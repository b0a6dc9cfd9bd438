import type { Places } from '../../src/port/index.ts';

/** For platforms in tests where nothing comes of it where the bot is. */
export const noPlaces: Places = {
  joined: async () => {},
  left: async () => {},
  isMissing: async () => {},
  leftUnderWay: async () => [],
  are: async () => {},
};
