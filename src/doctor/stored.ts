import { type StoredValue, storedValues } from '../store/index.ts';

/** What the bot keeps; nothing where the database can't be read, which is told by the check of the database. */
export async function storedInPeace(
  url: string,
  namespace: string,
  prefix: string,
): Promise<readonly StoredValue[]> {
  try {
    return await storedValues(url, namespace, prefix);
  } catch {
    return [];
  }
}
