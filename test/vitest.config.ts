import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patience } from './patience.ts';
import { WaitingFirst } from './waiting-first.ts';

// Node keeps what it has compiled, for the processes of the tests and those that they start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'troupe-compiled');

// A database of a test waits for the disk when it's opened and at each write; where memory has room, it's there.
const inMemory = '/dev/shm';
if (hasRoom(inMemory)) process.env.TMPDIR = inMemory;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, process.availableMemory()) > 4 * 1024 ** 3;
}

// Replace a module for all that import it, look at what the whole process has (the library's own undici among others),
// or measure processor time.
const alone = [
  'test/media/run-in-worker.test.ts',
  'test/platforms/discord/media/media-processor.test.ts',
  'test/platforms/slack/commands/parsed-once.test.ts',
  'test/regexes.test.ts',
  'test/secrets/vault.test.ts',
  'test/service/operations/result-address.test.ts',
];

// Start many processes, or compute for long: `npm run test:long`. Others of their kind are in `npm test`: `test/crash`,
// `test/e2e/processes`.
const long = [
  'test/crash/crash.test.ts',
  'test/crash/stop-signals.test.ts',
  'test/e2e/processes/http-restart.test.ts',
  'test/e2e/processes/metrics.test.ts',
  'test/e2e/processes/move-to-postgres.test.ts',
  'test/e2e/processes/outage.test.ts',
  'test/e2e/processes/shared.test.ts',
  'test/e2e/processes/slices.test.ts',
  'test/e2e/processes/stand-still.test.ts',
  'test/e2e/processes/stopped-in-outage.test.ts',
  'test/e2e/processes/taker-killed.test.ts',
  'test/e2e/processes/two-versions.test.ts',
  'test/sandbox/media/longest-speech.test.ts',
  'test/soak/soak.test.ts',
];

// Try more of the same in `npm run test:long` than in `npm test`.
const longer = [
  'test/commands/agreement.test.ts',
  'test/credits/clip-length/clip-seconds.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/media/sound/sound-converter.test.ts',
  'test/pictures/scenes.test.ts',
  'test/recovery/recovery.test.ts',
  'test/regexes.test.ts',
  'test/renders/renders.test.ts',
  'test/reply/split-properties.test.ts',
  'test/sandbox/media/video.test.ts',
  'test/service/properties.test.ts',
  'test/service/rate-gate/fair-share.test.ts',
];

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Needs others' programs, which `npm run test:peers` installs.
    exclude: ['**/node_modules/**', 'test/peers/**'],
    // Files share a few processes: loading the bot for each costs more than most files take to run.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...long],
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: { name: 'long', isolate: false, include: [...long, ...longer], env: { LONG_FORM: 'on' } },
      },
    ],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/fakes/postgres/run-wide.ts', 'test/e2e/support/samples-folder.ts'],
    // Most tests wait for sockets and processes, so there's one more of them than the machine has cores.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: WaitingFirst },
    // V8 sometimes ends a process while it frees the code of a codec in WebAssembly (`Check failed: end > addr`).
    execArgv: ['--no-wasm-code-gc'],
    // Node itself loads the modules, as it does for the bot: nothing is rewritten, no import goes through a proxy.
    experimental: { viteModuleRunner: false },
    expect: { poll: patience },
    // Longer than what a test waits for, which says what it was.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
