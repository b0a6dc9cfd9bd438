/** What the platform stores beyond a restart; Keyv fits. Lifetimes in milliseconds. */
export interface KeyValueStore {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown, lifetime?: number): Promise<unknown>;
  /** Whether there was anything. */
  delete(key: string): Promise<boolean>;
}
