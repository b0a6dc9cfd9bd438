import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { once } from '../../../lib/clock.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};

/** One file of the page, plain and compressed. */
interface PageFile {
  readonly contentType: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** All files of the page in one version. */
export interface PageState {
  /** Hash of all files. */
  readonly version: string;
  /** The files as they are written, by path. */
  readonly sources: ReadonlyMap<string, string>;
  /** The files as a browser gets them, prepared when the first of them is asked for. */
  readonly files: () => Promise<ReadonlyMap<string, PageFile>>;
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

  /** The current files; read again only if one has changed. */
  async current(): Promise<PageState> {
    const paths = await this.#paths();
    const newest = await this.#newestOf(paths);
    if (this.#state === undefined || newest !== this.#newest) {
      this.#newest = newest;
      this.#state = read(this.#root, paths).then(({ version, sources }) => {
        // After a failure the next request tries again.
        const files = once(() => prepare(sources).catch(this.#forget));
        return { version, sources, files };
      }, this.#forget);
    }
    return this.#state;
  }

  /** The files read last. */
  served(): Promise<PageState> {
    return this.#state ?? this.current();
  }

  #forget = (error: unknown): never => {
    this.#state = undefined;
    throw error;
  };

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

async function read(root: string, paths: readonly string[]): Promise<Omit<PageState, 'files'>> {
  const sources = new Map<string, string>();
  const hash = createHash('sha256');
  for (const path of paths) {
    const source = await readFile(join(root, path), 'utf8');
    sources.set(path, source);
    hash.update(path).update('\0').update(source).update('\0');
  }
  return { version: hash.digest('base64url').slice(0, 12), sources };
}

async function prepare(sources: PageState['sources']): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const [path, ready] of await prepareInWorker(sources)) {
    files.set(path, { contentType: contentTypes[extname(path)] ?? '', ...ready });
  }
  return files;
}

/** Strips types and compresses in a worker, which silences Node's warning that type stripping is experimental. */
function prepareInWorker(sources: PageState['sources']): Promise<Map<string, Omit<PageFile, 'contentType'>>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./strip-types-worker.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
