import type { FileKind } from '../files.ts';

/** Files that are kept in the database, where several processes share one. */
export interface FilesTable {
  /** Random: each time a file is written it gets another. */
  key: string;
  kind: FileKind;
  /** Its name for those who use it: a render's or a job's id, for example. */
  id: string;
  /** In bytes; null until it's complete. */
  size: number | null;
  /** When its latest chunk was written, by the database's clock. */
  written_at: number;
}

/** Their content. */
export interface FileChunksTable {
  /** The file's key. */
  file: string;
  /** Where in the file it begins, in bytes. */
  start: number;
  content: Uint8Array;
}

export interface FileTables {
  files: FilesTable;
  file_chunks: FileChunksTable;
}
