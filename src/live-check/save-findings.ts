import { everyWorkspace, type PlatformName } from '../port/index.ts';
import { createCapabilities, openDatabaseAlongside } from '../store/index.ts';
import type { CheckResult } from './run-steps.ts';

/**
 * Saves findings in the bot's database, also while the bot runs.
 * @throws {DatabaseError} if the database can't be written.
 */
export async function saveFindings(
  databaseUrl: string,
  platform: PlatformName,
  { workspace, findings }: Pick<CheckResult, 'workspace' | 'findings'>,
): Promise<void> {
  if (findings.length === 0) return;
  const database = await openDatabaseAlongside(databaseUrl);
  try {
    const capabilities = createCapabilities(database, platform, Date.now);
    for (const { feature, capability, everywhere } of findings)
      await capabilities.note(everywhere ? everyWorkspace : workspace, feature, capability);
  } finally {
    await database.destroy();
  }
}
