import type Keyv from 'keyv';
import type { Locks } from '../../coordination/index.ts';
import type { PressedButton } from '../../engine/index.ts';
import { imageSize, marked } from '../../media/index.ts';
import type { Log } from '../../ops/index.ts';
import {
  fileOf,
  type IncomingFile,
  type Job,
  type Jobs,
  type MessageAddress,
  type OutgoingFile,
  type PlatformAdapters,
  refusalOf,
} from '../../port/index.ts';
import { isMade, type Render, type Renders } from '../../renders/index.ts';
import type { FileStore } from '../../store/index.ts';
import { rootOf } from '../job-context.ts';

/** For how long a press waits for an image that people see already to be on record, in milliseconds; it has three seconds. */
const patience = 1_000;
/** How long the versions of an image are kept, in milliseconds: 30 days. */
const versionsLife = 30 * 86_400_000;
/** Bytes of a version that is kept. */
const maxBytes = 64 * 1024 ** 2;
/** Versions of one image. */
const maxVersions = 20;

/** The jobs that drew the versions of an image, the first one's first; and which is shown since which was the newest. */
interface Versions {
  readonly jobs: readonly string[];
  readonly paged?: { readonly to: string; readonly newest: string };
}

export interface ImageVersionsDependencies {
  readonly keyv: Keyv;
  /** Where the files of versions are that their message doesn't show. */
  readonly files: FileStore;
  readonly renders: Pick<Renders, 'ofJob' | 'over'>;
  readonly jobs: Pick<Jobs, 'find' | 'runWith'>;
  readonly adapters: PlatformAdapters;
  readonly locks: Locks;
  readonly log: Log;
}

/**
 * Versions of an image in one message. The message shows one of them; the files of the others are kept,
 * because a platform deletes a file that its message no longer has.
 */
export class ImageVersions {
  readonly #dependencies: ImageVersionsDependencies;

  constructor(dependencies: ImageVersionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether a new version can take the place of what a message shows: it's the message of the image, and nothing is under way there. */
  async canReplace(job: Job, message: MessageAddress): Promise<boolean> {
    const { renders, adapters } = this.#dependencies;
    const root = rootOf(job);
    if (!adapters(message.platform)?.replacesFiles(message)) return false;
    if (await this.#isBusy(root)) return false;
    const [first, ...more] = await renders.ofJob(root);
    if (!first || !isMade(first) || more.length > 0) return false;
    if (first.delivered?.message !== message.message) return false;
    return (await this.#made(root)).jobs.length < maxVersions;
  }

  async #isBusy(root: string): Promise<boolean> {
    const { renders } = this.#dependencies;
    const { jobs } = await this.#read(root);
    const job = jobs.at(-1) ?? root;
    const isUnderWay = (render: Render | undefined) => render !== undefined && render.delivered === undefined;
    const [newest] = await renders.ofJob(job);
    if (!newest || !isUnderWay(newest) || !isMade(newest)) return isUnderWay(newest);
    // People may see an image, and press, a moment before its delivery is on record.
    await renders.over(job, patience);
    return isUnderWay((await renders.ofJob(job))[0]);
  }

  /**
   * Keeps what the message shows and notes a job that draws the next version, with its number, which `start` then begins.
   * Where the platform doesn't give the shown one back, it's drawn all the same, and only the old one is lost. False if
   * another version is under way.
   */
  async begin(
    root: string,
    { id, options }: Job,
    start: (message: MessageAddress) => Promise<void>,
  ): Promise<boolean> {
    return this.#dependencies.locks.run(`image versions ${root}`, async () => {
      const message = (await this.#dependencies.renders.ofJob(root))[0]?.delivered;
      if (!message || (await this.#isBusy(root))) return false;
      const versions = await this.#made(root);
      await this.#keepShown(versions, message).catch((error: unknown) =>
        this.#dependencies.log.warn(
          { error, job: root },
          'the version that a new one replaces could not be kept',
        ),
      );
      const jobs = [...versions.jobs, id];
      await this.#dependencies.jobs.runWith(id, { ...options, version: jobs.length });
      await this.#save(root, { ...versions, jobs });
      await start(message);
      return true;
    });
  }

  /**
   * Shows another version, `by` so many after the one that is shown, around the end. `show` does it, and is not called if
   * there is none or its file is no longer there (`gone`), nor while a new version is under way. `files`: the message's,
   * as its press told them.
   */
  async page(
    root: string,
    by: number,
    { message, files }: Pick<PressedButton, 'message' | 'files'>,
    show: (version: { job: Job; number: number; count: number; file: OutgoingFile }) => Promise<void>,
  ): Promise<'shown' | 'gone' | 'under-way'> {
    return this.#dependencies.locks.run(`image versions ${root}`, async () => {
      if (await this.#isBusy(root)) return 'under-way';
      const versions = await this.#made(root);
      const { jobs } = versions;
      const count = jobs.length;
      const index = (jobs.indexOf(shownOf(versions)) + by + count) % count;
      const [to, newest] = [jobs[index], jobs.at(-1)];
      if (to === undefined || newest === undefined || count === 1) return 'gone';
      await this.#keepShown(versions, message, files);
      const [job, file] = [await this.#dependencies.jobs.find(to), await this.#kept(to, index + 1)];
      if (!job || !file) return 'gone';
      await show({ job, number: index + 1, count, file });
      await this.#save(root, { jobs, paged: { to, newest } });
      return 'shown';
    });
  }

  /** A new version doesn't come into the message of the others. */
  async withdraw(job: Pick<Job, 'id' | 'options'>): Promise<void> {
    const root = rootOf(job);
    if (root === job.id) return;
    await this.#dependencies.locks.run(`image versions ${root}`, async () => {
      const versions = await this.#read(root);
      if (versions.jobs.includes(job.id))
        await this.#save(root, { ...versions, jobs: versions.jobs.filter((id) => id !== job.id) });
    });
  }

  /** Forgets the versions of an image, with their files. */
  async forget(root: string): Promise<void> {
    const { keyv, files, locks } = this.#dependencies;
    await locks.run(`image versions ${root}`, async () => {
      for (const job of (await this.#read(root)).jobs) await files.remove(job);
      await keyv.delete(root);
    });
  }

  /** Deletes files of versions that are no longer kept. */
  async sweep(): Promise<void> {
    await this.#dependencies.files.sweep(new Set(), versionsLife);
  }

  async #read(root: string): Promise<Versions> {
    const { keyv } = this.#dependencies;
    return (await keyv.get<Versions>(root)) ?? { jobs: [root] };
  }

  /** Those that stand in the message: none that failed or went elsewhere. */
  async #made(root: string): Promise<Versions> {
    const { renders } = this.#dependencies;
    const versions = await this.#read(root);
    const at = (await renders.ofJob(root))[0]?.delivered?.message;
    const made: string[] = [];
    for (const job of versions.jobs)
      if ((await renders.ofJob(job)).some((one) => isMade(one) && one.delivered?.message === at))
        made.push(job);
    return { ...versions, jobs: made };
  }

  async #save(root: string, versions: Versions): Promise<void> {
    await this.#dependencies.keyv.set(root, versions, versionsLife);
  }

  /** Keeps the message's one image; of one whose versions aren't known any more, the first's file may still be there. */
  async #keepShown(
    versions: Versions,
    message: MessageAddress,
    known?: readonly IncomingFile[],
  ): Promise<void> {
    const { files, adapters } = this.#dependencies;
    const job = shownOf(versions);
    if (versions.jobs.length > 1 && (await files.has(job))) return;
    const adapter = adapters(message.platform);
    const read = await adapter?.attachments(message).catch((error: unknown) => {
      if (known === undefined || refusalOf(error) !== 'no-permission') throw error;
      return known;
    });
    const [shown] = read ?? [];
    if (!adapter || !shown) return;
    const bytes = await adapter.readFile(shown, maxBytes);
    const content = (async function* () {
      yield bytes;
    })();
    await files.write(job, marked(content));
  }

  async #kept(job: string, number: number): Promise<OutgoingFile | undefined> {
    const { files } = this.#dependencies;
    if (!(await files.has(job))) return undefined;
    const bytes = Buffer.concat(await Array.fromAsync(files.read(job)));
    const contentType = imageSize(bytes)?.type ?? 'image/png';
    const name = `${versionName(number)}.${extensionOf(contentType)}`;
    return fileOf(bytes, { name, contentType, kind: 'image', description: '' });
  }
}

/** The file name of a version without its ending. */
export function versionName(number: number): string {
  return number === 1 ? 'image' : `image-v${number}`;
}

/** The ending of an image's file name. */
export function extensionOf(contentType = 'image/png'): string {
  const type = contentType.slice('image/'.length).replace(/\W[\s\S]*$/, '');
  return type === 'jpeg' ? 'jpg' : type;
}

/** Which version a file is by its name: the first one if that doesn't say. */
export function versionIn({ name }: IncomingFile): number {
  return Number(/^(?:SPOILER_)?image-v(\d+)\.\w+$/.exec(name)?.[1] ?? 1);
}

function shownOf({ jobs, paged }: Versions): string {
  const newest = jobs.at(-1) ?? '';
  return paged && paged.newest === newest && jobs.includes(paged.to) ? paged.to : newest;
}
