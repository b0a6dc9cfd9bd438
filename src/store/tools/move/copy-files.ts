import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../../lib/random-id.ts';
import { isFault } from '../../../secrets/private-files.ts';
import type { Database } from '../../database.ts';
import { chunksOf } from '../../database-files.ts';
import { databaseNow } from '../../dialects.ts';
import { type FileKind, fileKinds } from '../../files.ts';

/** What was copied. */
export interface CopiedFiles {
  readonly count: number;
  readonly bytes: number;
}

/** Copies the files of a data folder into the database, as `DatabaseFiles` keeps them; unfinished ones aren't. */
export async function copyFiles(folder: string, target: Database): Promise<CopiedFiles> {
  let [count, bytes] = [0, 0];
  for (const kind of fileKinds) {
    for (const id of await filesIn(join(folder, kind))) {
      bytes += await copyFile(join(folder, kind, id), kind, id, target);
      count += 1;
    }
  }
  return { count, bytes };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((one) => one.isFile() && !one.name.endsWith('.part')).map((one) => one.name);
  } catch (error) {
    if (isFault(error, 'ENOENT')) return [];
    throw error;
  }
}

async function copyFile(path: string, kind: FileKind, id: string, target: Database): Promise<number> {
  const key = randomId();
  let size = 0;
  for await (const { start, content } of chunksOf(createReadStream(path))) {
    await target.insertInto('file_chunks').values({ file: key, start, content }).execute();
    size += content.byteLength;
  }
  await target
    .insertInto('files')
    .values({ key, kind, id, size, written_at: databaseNow(target) })
    .execute();
  return size;
}
