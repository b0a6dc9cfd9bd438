// Preloaded into a script: says which file or folder it has flushed to the disk, by its number.

import files from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const flush = files.fsyncSync;
files.fsyncSync = (handle) => {
  flush(handle);
  process.stderr.write(`flushed ${files.fstatSync(handle).ino}\n`);
};
syncBuiltinESMExports();
