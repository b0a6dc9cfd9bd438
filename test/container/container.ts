import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Image } from './image.ts';

/** How long a start or a stop may take on a busy machine, in milliseconds. */
const patience = 60_000;

/** Whether this user may make a root and a list of processes of its own for a process, as an engine does. */
export const canIsolate =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;

/**
 * The image running, as nearly as that goes without an engine: a root of its own that is read-only but for the
 * volume, the image's user, no capabilities, the first process of its own list. What the base image would have, the
 * system's libraries and fonts, is this machine's. Where the tests' user may not do that, it's a plain process.
 */
export class Container {
  readonly #image: Image;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #environment: Record<string, string>;

  constructor(image: Image, environment: Readonly<Record<string, string>>) {
    this.#image = image;
    this.#environment = { ...image.environment, ...environment, PATH: '/node:/usr/sbin:/usr/bin:/sbin:/bin' };
    addNode(image);
    this.#child = this.#spawn(image.command);
    this.#child.stderr?.on('data', (data) => this.#lines.push(String(data)));
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.#lines.push(line),
    );
  }

  get log(): string {
    return this.#lines.join('\n');
  }

  /** Resolves with the fields of a line that the bot logs. */
  async logged(message: string): Promise<Readonly<Record<string, unknown>>> {
    for (const end = Date.now() + patience; Date.now() < end; await setTimeout(10)) {
      const line = this.#lines.find((one) => one.includes(`"msg":"${message}"`));
      if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
      if (this.#child.exitCode !== null) break;
    }
    throw new Error(`it never logged “${message}”:\n${this.log}`);
  }

  /** The exit status of the health check. */
  async health(environment: Readonly<Record<string, string>> = {}): Promise<number | null> {
    const child = this.#spawn(this.#image.healthCheck, environment);
    const [status] = await once(child, 'exit');
    return status;
  }

  /** As `docker stop`: tells the container's first process to end. Resolves with the exit status. */
  async stop(): Promise<number | null> {
    process.kill(this.#firstProcess(), 'SIGTERM');
    return this.end();
  }

  /** Resolves with the exit status once it has ended. */
  async end(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  kill(): void {
    if (this.#child.exitCode === null) process.kill(this.#firstProcess(), 'SIGKILL');
  }

  /** What the system says of its first process: its number inside, its user, whether it has or may gain privileges. */
  status() {
    const status = readFileSync(`/proc/${this.#firstProcess()}/status`, 'utf8');
    const field = (name: string) =>
      new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1]?.split(/\s+/) ?? [];
    return {
      number: field('NSpid').at(-1),
      user: field('Uid')[0],
      capabilities: ['CapEff', 'CapPrm', 'CapBnd'].filter((name) => /[^0]/.test(field(name)[0] ?? '')).length,
      gainsNone: field('NoNewPrivs')[0] === '1',
    };
  }

  /** As this machine numbers it. */
  #firstProcess(): number {
    const pid = this.#child.pid ?? 0;
    if (!canIsolate) return pid;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  }

  #spawn(command: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
    const environment = { ...this.#environment, ...more };
    const { folder, workingDirectory, user } = this.#image;
    if (!canIsolate) {
      const [program = '', ...rest] = command;
      const isNode = program === 'node';
      const inFolder = (value: string) => (value.startsWith('/troupe') ? join(folder, value) : value);
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, inFolder(value)]),
      );
      return spawn(isNode ? process.execPath : program, rest, { cwd: join(folder, workingDirectory), env });
    }
    const isolation = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', enter];
    const inside = [
      folder,
      workingDirectory,
      user.replace(':', ' '),
      this.#image.volumes.join(' '),
      ...command,
    ];
    return spawn('unshare', [...isolation, 'sh', ...inside], { env: environment });
  }
}

/** Makes the root, closes it, and becomes the command in it. */
const enter = `
root=$1 cd=$2 user=\${3% *} group=\${3#* } volumes=$4
shift 4
mount --bind "$root" "$root"
for volume in $volumes; do mount --bind "$root$volume" "$root$volume"; done
for folder in usr lib lib64 bin etc dev; do
  [ -e "/$folder" ] || continue
  mkdir -p "$root/$folder"
  mount --rbind "/$folder" "$root/$folder"
done
mkdir -p "$root/proc"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
mount -o remount,bind,ro "$root/usr"
exec chroot "$root" env --chdir="$cd" setpriv --reuid "$user" --regid "$group" --clear-groups \\
  --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
`;

function addNode(image: Image): void {
  const folder = join(image.folder, 'node');
  if (existsSync(folder)) return;
  mkdirSync(folder);
  try {
    linkSync(process.execPath, join(folder, 'node'));
  } catch {
    cpSync(process.execPath, join(folder, 'node'));
  }
}
