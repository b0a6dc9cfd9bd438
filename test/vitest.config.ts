import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Node keeps what it has compiled, for the processes of the tests and those that they start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'troupe-compiled');

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // Needs the openai client, which `npm run test:openai` installs.
    exclude: ['**/node_modules/**', 'test/openai/**'],
    setupFiles: ['test/setup.ts'],
    // Most tests wait for sockets and processes, so there may be more of them than a small machine has cores.
    maxWorkers: 4,
    // V8 sometimes ends a process while it frees the code of a codec in WebAssembly (`Check failed: end > addr`).
    execArgv: ['--no-wasm-code-gc'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
