// Preloaded into `npm run backup`: another one for the same name begins as this one is in the middle of its copy.

import files from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const open = files.openSync;
files.openSync = (path, flags, mode) => {
  const handle = open(path, flags, mode);
  if (flags === 'wx') replaceOnceBegun(String(path));
  return handle;
};
syncBuiltinESMExports();

function replaceOnceBegun(part: string): void {
  if (files.statSync(part).size === 0) return void setImmediate(replaceOnceBegun, part);
  files.rmSync(part);
  files.writeFileSync(part, 'the first half');
}
