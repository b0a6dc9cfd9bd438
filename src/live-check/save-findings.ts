import { everyWorkspace, type PlatformName } from '../port/index.ts';
import { createCapabilities, openDatabaseBeside } from '../store/index.ts';
import type { Result } from './run-steps.ts';

/**
 * Writes what was learnt where the bot looks, also while it runs.
 * @throws {DatabaseError} where the database cannot be written.
 */
export async function saveFindings(
  databaseUrl: string,
  platform: PlatformName,
  { workspace, findings }: Pick<Result, 'workspace' | 'findings'>,
): Promise<void> {
  if (findings.length === 0) return;
  const database = await openDatabaseBeside(databaseUrl);
  try {
    const capabilities = createCapabilities(database, platform, Date.now);
    for (const { feature, seen, everywhere } of findings)
      await capabilities.note(everywhere ? everyWorkspace : workspace, feature, seen);
  } finally {
    await database.destroy();
  }
}
