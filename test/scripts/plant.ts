// Preloaded into a script: somebody else on the machine, who makes a file of theirs as soon as its name is free.

import { chmodSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const remove = files.rm;
files.rm = async (path, options) => {
  await remove(path, options);
  if (!String(path).endsWith('.part')) return;
  writeFileSync(path, '');
  chmodSync(String(path), 0o666);
};
syncBuiltinESMExports();
