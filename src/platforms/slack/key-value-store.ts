/** What the platform keeps beyond a restart; Keyv fits. */
export interface KeyValueStore {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown, lifetime?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}
