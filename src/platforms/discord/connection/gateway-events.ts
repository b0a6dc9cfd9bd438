import type { GatewayDispatchPayload } from 'discord.js';

type Name = GatewayDispatchPayload['t'];
type DataOf<N extends Name> = Extract<GatewayDispatchPayload, { readonly t: N }>['d'];

/** What happens on Discord, by the names of the gateway's events and as it sends them, for parts that want to hear of it. */
export class GatewayEvents {
  readonly #listeners = new Map<Name, Set<(data: never) => void>>();

  /** Calls back for each event of a name; returns what ends that. */
  on<N extends Name>(name: N, listener: (data: DataOf<N>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Tells those who listen. */
  tell({ t, d }: GatewayDispatchPayload): void {
    for (const listener of this.#listeners.get(t) ?? []) listener(d as never);
  }
}
