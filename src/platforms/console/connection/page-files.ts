import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};

/** One file of the page, plain and compressed. */
export interface PageFile {
  readonly contentType: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** All files of the page in one version. */
export interface PageState {
  /** Hash of all files. */
  readonly version: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

/** The page's folder, relative to `src`. */
export const pageFolder = 'platforms/console/page';
/** Folders served to the browser: the page, and code shared with the other platforms. */
const folders = [pageFolder, 'port/command-line'] as const;

/**
 * The page's files, with types stripped, compressed and cached by version. They are served under their paths in
 * `src`, so imports work in the browser too. A change shows on the next reload.
 */
export class PageFiles {
  readonly #root: string;
  #newest = 0;
  #state: Promise<PageState> | undefined;

  /** `root`: the path of `src`. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The current files; prepared again only if one has changed. */
  async current(): Promise<PageState> {
    const paths = await this.#paths();
    const newest = await this.#newestOf(paths);
    if (this.#state === undefined || newest !== this.#newest) {
      this.#newest = newest;
      this.#state = prepare(this.#root, paths);
      // After a failure the next request tries again.
      this.#state.catch(() => {
        this.#state = undefined;
      });
    }
    return this.#state;
  }

  /** The files prepared last. */
  served(): Promise<PageState> {
    return this.#state ?? this.current();
  }

  async #paths(): Promise<string[]> {
    const entries = folders.map(async (folder) => {
      const names = await readdir(join(this.#root, folder), { recursive: true });
      return names.map((name) => `${folder}/${name}`);
    });
    return (await Promise.all(entries))
      .flat()
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => extname(path) in contentTypes)
      .sort();
  }

  async #newestOf(paths: readonly string[]): Promise<number> {
    const stats = await Promise.all(paths.map((path) => stat(join(this.#root, path))));
    return Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
  }
}

async function prepare(root: string, paths: readonly string[]): Promise<PageState> {
  const sources: Record<string, string> = {};
  const hash = createHash('sha256');
  for (const path of paths) {
    const source = await readFile(join(root, path), 'utf8');
    sources[path] = source;
    hash.update(path).update('\0').update(source).update('\0');
  }
  const files = new Map<string, PageFile>();
  for (const [path, ready] of Object.entries(await prepareInWorker(sources))) {
    files.set(path, { contentType: contentTypes[extname(path)] ?? '', ...ready });
  }
  return { version: hash.digest('base64url').slice(0, 12), files };
}

/** Strips types and compresses in a worker, which silences Node's warning that type stripping is experimental. */
function prepareInWorker(
  sources: Record<string, string>,
): Promise<Record<string, Omit<PageFile, 'contentType'>>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./strip-types-worker.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
