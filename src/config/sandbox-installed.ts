/**
 * Whether the embedded sandbox, which stands in for the service where `SERVICE_BASE_URL` isn't set, can make its media
 * here: the packages for that are development dependencies, absent in the container.
 */
export function isSandboxInstalled(): boolean {
  try {
    import.meta.resolve('@echogarden/espeak-ng-emscripten');
    return true;
  } catch {
    return false;
  }
}
