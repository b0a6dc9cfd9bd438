import { type Address, type PlatformAdapter, type PlatformAdapters, PlatformError } from '../port/index.ts';

/**
 * The adapter of an address's platform.
 * @throws {PlatformError} `unreachable` if that platform isn't running.
 */
export function adapterOf(
  { adapters }: { readonly adapters: PlatformAdapters },
  { platform }: Address,
): PlatformAdapter {
  const adapter = adapters(platform);
  if (!adapter) throw new PlatformError('unreachable');
  return adapter;
}
