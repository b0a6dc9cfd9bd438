import type { Outlet } from './outlet.ts';

/** A running platform, as main sees it. */
export interface Platform {
  readonly outlet: Outlet;
  /** Why it is not ready, in words; undefined when it is. */
  notReady(): string | undefined;
  /** Stops receiving; what is under way can still post. */
  stopReceiving(): Promise<void>;
  /** Closes everything. */
  close(): Promise<void>;
}
