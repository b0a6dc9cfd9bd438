// Preloaded into `npm run backup`: the disk turns read-only, as one that fails does, once the copy is whole but for its name.

import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const refused = (call: string, path: unknown) =>
  Object.assign(new Error(`EROFS: read-only file system, ${call} '${String(path)}'`), {
    ...{ code: 'EROFS', syscall: call, path },
  });
files.rename = async (from) => {
  files.rm = async (path) => {
    throw refused('unlink', path);
  };
  syncBuiltinESMExports();
  throw refused('rename', from);
};
syncBuiltinESMExports();
