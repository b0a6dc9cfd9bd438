import { isOfOtherKind, type ServiceClient, type TaskStatus, TooLargeError } from '../../service/index.ts';
import type { FileStore } from '../../store/index.ts';
import { isShut } from '../refusals.ts';
import type { Render, RenderFault, RenderKind, RenderResult } from '../render.ts';

/** Largest result that is fetched, in bytes. */
const largestResult = 512 * 1024 ** 2;
const usualContentTypes: Record<RenderKind, string> = { image: 'image/png', video: 'video/mp4' };

export interface FetchDependencies {
  readonly service: Pick<ServiceClient, 'download'>;
  readonly spool: FileStore;
  readonly signal: AbortSignal;
}

/** What became of fetching: the result, why there will be none, or what it looks like that it isn't there. */
export type Fetched =
  | { readonly result: RenderResult }
  | { readonly fault: RenderFault }
  | { readonly missing: 'result-gone' | 'wrong-kind' };

/**
 * Downloads the result to where it can't be lost, this machine's disk or the database. If its address fails for good,
 * or returns a cover image instead of a video, the other addresses of the same response are tried in turn.
 * @throws the first address's error if all fail.
 */
export async function fetchResult(
  { id, kind }: Pick<Render, 'id' | 'kind'>,
  { results, others = results }: TaskStatus,
  { service, spool, signal }: FetchDependencies,
): Promise<Fetched> {
  const sources = results.length > 0 ? results : others;
  let refusal: unknown;
  for (const source of sources) {
    const link = source.kind === 'url' && source.url.startsWith('https:') ? { link: source.url } : {};
    try {
      const download = await service.download(source, { signal, maxBytes: largestResult });
      if (isOfOtherKind(download.contentType, kind)) {
        download.cancel();
        continue;
      }
      const bytes = await spool.write(id, download.stream);
      return { result: { contentType: download.contentType ?? usualContentTypes[kind], bytes, ...link } };
    } catch (error) {
      if (error instanceof TooLargeError) {
        const { limitBytes: limit, lengthBytes: bytes } = error;
        const size = bytes === undefined ? {} : { bytes };
        return { fault: { code: 'result-too-large', limit, ...size, ...link } };
      }
      if (!isShut(error)) throw error;
      // What is said of it in the end is what became of the first.
      refusal ??= error;
    }
  }
  if (refusal) throw refusal;
  const isOther = sources.length > 0 || others !== results;
  return { missing: isOther ? 'wrong-kind' : 'result-gone' };
}
