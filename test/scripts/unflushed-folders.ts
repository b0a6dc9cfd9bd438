// Preloaded into a script: a system that brings no folder to the disk when it's told to, and no file that's open to be read.

import files from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const flush = files.fsyncSync;
const open = files.openSync;
const readOnly = new Set<number>();
files.openSync = (path, flags, mode) => {
  const handle = open(path, flags, mode);
  if (flags === 'r') readOnly.add(handle);
  else readOnly.delete(handle);
  return handle;
};
files.fsyncSync = (handle) => {
  if (files.fstatSync(handle).isDirectory() || readOnly.has(handle))
    throw Object.assign(new Error('EPERM: operation not permitted, fsync'), {
      code: 'EPERM',
      syscall: 'fsync',
    });
  flush(handle);
};
syncBuiltinESMExports();
