import { type StoredValue, storedValues } from '../store/index.ts';

/** What the bot keeps; nothing where the database can't be read, which is told by the check of the database. */
export function storedInPeace(url: string, namespace: string, prefix: string): readonly StoredValue[] {
  try {
    return storedValues(url, namespace, prefix);
  } catch {
    return [];
  }
}
