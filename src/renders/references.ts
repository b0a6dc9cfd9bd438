import { isStreamed, type StreamedText } from '../service/index.ts';
import type { ByteRange, FileStore } from '../store/index.ts';
import type { RenderRequest } from './render.ts';

/** The file in the `spool` with the images that a job's renders are made from, until all are sent. */
export function referencesOf(job: string): string {
  return `${job}.references`;
}

/** A request for the record: the images in it are in a file from now on, and a row has only their places there. */
export async function keepRequest(spool: FileStore, job: string, request: object): Promise<string> {
  const texts: StreamedText[] = [];
  let end = 0;
  const kept = JSON.stringify(request, (_, value: unknown) => {
    if (!isStreamed(value)) return value;
    texts.push(value);
    const start = end;
    end += value.bytes;
    return { start, end: end - 1 } satisfies ByteRange;
  });
  if (texts.length > 0) await spool.write(referencesOf(job), allOf(texts));
  return kept;
}

async function* allOf(texts: readonly StreamedText[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield* text.read();
}

/**
 * A request as it was recorded, to be sent; undefined if its images are gone. `isStored`: they're in the job's file; where a
 * former version recorded them they're in the request itself.
 */
export async function keptRequest(
  spool: FileStore,
  job: string,
  kind: RenderRequest['kind'],
  kept: string,
): Promise<(RenderRequest & { readonly isStored: boolean }) | undefined> {
  const file = referencesOf(job);
  let isStored = false;
  const request: unknown = JSON.parse(kept, (_, value: unknown) => {
    if (!isRange(value)) return value;
    isStored = true;
    return { bytes: value.end - value.start + 1, read: () => spool.read(file, value) } satisfies StreamedText;
  });
  if (isStored && !(await spool.has(file))) return undefined;
  return { ...({ kind, request } as RenderRequest), isStored };
}

function isRange(value: unknown): value is ByteRange {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}
