import { ConfigError } from './config/config.ts';
import { settings } from './config/settings.ts';
import type { ListeningSandbox } from './sandbox/index.ts';

/** Whether the sandbox can make its media here: they are development dependencies, absent in the container. */
export function sandboxIsInstalled(): boolean {
  try {
    import.meta.resolve('@echogarden/espeak-ng-emscripten');
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the stand-in for the service inside this process; its tasks and their results last in the folder.
 * @throws {ConfigError} where it is not installed.
 */
export async function startEmbeddedSandbox(folder: string): Promise<ListeningSandbox> {
  if (!sandboxIsInstalled()) {
    const { allowed } = settings.SERVICE_BASE_URL;
    throw new ConfigError([
      `SERVICE_BASE_URL: missing; it is required where the sandbox is not installed; allowed: ${allowed}`,
    ]);
  }
  const { createSandbox } = await import('./sandbox/index.ts');
  return createSandbox({ folder }).listen();
}
