import { BasicAdapter, type PlatformAdapter } from '../../src/port/index.ts';

/** An adapter that a test has made up, which does nothing but that. Its members are its own, so it can be spread. */
export function adapterWith(own: object): PlatformAdapter {
  const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(BasicAdapter.prototype);
  const basics = Object.entries(members).map(([name, { value }]) => [name, value]);
  const none = { completesAnew: false, provesPresses: false, hasPublicFiles: false, hasOnePerson: false };
  return { ...none, ...Object.fromEntries(basics), ...own } as PlatformAdapter;
}
