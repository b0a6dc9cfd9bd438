import { ConfigError } from '../config/config.ts';
import { isSandboxInstalled } from '../config/sandbox-installed.ts';
import { settings } from '../config/settings.ts';
import type { ListeningSandbox } from '../sandbox/index.ts';

/**
 * Starts the stand-in for the service inside this process; its tasks and their results are kept in the folder.
 * @throws {ConfigError} where it is not installed.
 */
export async function startEmbeddedSandbox(folder: string): Promise<ListeningSandbox> {
  if (!isSandboxInstalled()) {
    const { allowed } = settings.SERVICE_BASE_URL;
    throw new ConfigError([
      `SERVICE_BASE_URL: missing; it is required where the sandbox is not installed; allowed: ${allowed}`,
    ]);
  }
  const { createSandbox } = await import('../sandbox/index.ts');
  return createSandbox({ folder }).listen();
}
