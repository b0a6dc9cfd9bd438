// Preloaded into `npm run restore`: keeps the database's log from being merged, and kills the script before the copy has its name.

import files from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

const file = process.env.DATABASE_URL?.slice('sqlite:'.length) ?? '';
const reader = new DatabaseSync(file);
reader.exec('begin; select * from keyv');
const last = new DatabaseSync(file);
last.exec(`insert into keyv (key, value) values ('row 40', '1')`);
last.close();

const rename = files.renameSync;
files.renameSync = (from, to) => {
  if (to === file && reader.isOpen) process.kill(process.pid, 'SIGKILL');
  rename(from, to);
};
syncBuiltinESMExports();
