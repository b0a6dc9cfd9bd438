import { execFileSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { narrow, privateFileMode } from '../../src/secrets/private-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

// Root's database at /dev/null took that from everybody on the machine.
it('what is neither a file nor a folder stays open to others', async () => {
  const pipe = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  chmodSync(pipe, 0o666);
  narrow(pipe, privateFileMode);
  expect(statSync(pipe).mode & 0o777).toBe(0o666);
});
