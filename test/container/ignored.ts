import { matchesGlob } from 'node:path';

/**
 * What a `.dockerignore` leaves out: of the patterns that match a path or a folder above it, the last decides, and `!`
 * takes it in again.
 */
export function ignoring(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    const parts = path.split('/');
    const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return patterns.reduce((ignored, pattern) => {
      const plain = pattern.replace(/^!/, '').replace(/\/$/, '');
      return above.some((one) => matches(one, plain)) ? !pattern.startsWith('!') : ignored;
    }, false);
  };
}

/** To Docker, `*` matches names that begin with a dot, too. */
function matches(path: string, pattern: string): boolean {
  return matchesGlob(path.replace(/(^|\/)\./g, '$1_dot_'), pattern.replace(/(^|\/)\./g, '$1_dot_'));
}
