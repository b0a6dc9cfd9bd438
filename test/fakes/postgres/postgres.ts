import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { freePort } from '../../free-port.ts';
import { binaries } from './binaries.ts';

/** PostgreSQL refuses to run as root; this user may do nothing else. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Nothing that tests need is left out but what protects from a power cut: a killed server loses no commit. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '300',
  shared_buffers: '32MB',
  autovacuum: 'off',
};

/**
 * Everybody may come in, but not a role with a name that begins with `guarded`: it needs its password; nor one that begins with
 * `sealed`: it needs encryption.
 */
const access = `
hostnossl all /^sealed 127.0.0.1/32 reject
host all /^guarded 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;

/** Text is sorted as people sort it, like on most servers: what relies on the order of bytes has to say so. */
const english = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];

/** The shell ends the server when this process has ended, in whatever way: its input ends then. */
const untilInputEnds = '"$@" & cat >/dev/null; kill -QUIT $!; wait';

/** A PostgreSQL server on a random port, which can be stopped, started again and killed. */
export class Postgres {
  readonly port: number;
  readonly #folder: string;
  #shell: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** Starts a new, empty one. `more` are settings of postgresql.conf. */
  static async start(more: Readonly<Record<string, string>> = {}): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-postgres-data-'));
    if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
    const data = join(folder, 'data');
    const flags = ['--no-sync', '--auth=trust', '--username=troupe', '--encoding=UTF8', ...english];
    execFileSync(binaries().initdb, ['-D', data, '--wal-segsize=1', ...flags], { ...nobody, cwd: folder });
    const lines = Object.entries({ ...settings, ...more }).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(data, 'postgresql.conf'), lines.join(''));
    writeFileSync(join(data, 'pg_hba.conf'), access);
    const server = new Postgres(folder, await freePort());
    await server.start();
    return server;
  }

  /** The address of a database. */
  url(database = 'postgres', user = 'troupe'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL, each statement on its own where there are several. */
  async run(...statements: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: this.url() });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** Starts it again, on the same port with the same data. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const fault = await this.#tryToStart();
      if (fault === undefined) return;
      // Processes that were killed may take a moment to be gone.
      if (tries === 100 || !fault.includes('shared memory'))
        throw new Error(`PostgreSQL didn’t start:\n${fault}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What the server said, where it didn't start. */
  async #tryToStart(): Promise<string | undefined> {
    const server = [binaries().postgres, '-D', join(this.#folder, 'data'), '-p', String(this.port)];
    const shell = spawn('/bin/sh', ['-c', untilInputEnds, 'sh', ...server], {
      ...nobody,
      cwd: this.#folder,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    const isReady = await new Promise<boolean>((resolve) => {
      createInterface(shell.stderr).on('line', (line) => {
        said.push(line);
        if (line.includes('ready to accept connections')) resolve(true);
        // What it tells those who come too early is no fault of its own.
        if (/FATAL:(?!.{1,4}the database system)/.test(line)) resolve(false);
      });
      shell.once('exit', () => resolve(false));
    });
    if (isReady) this.#shell = shell;
    else shell.stdin?.end();
    return isReady ? undefined : said.join('\n');
  }

  /** Stops it as an operator would: everybody is told and disconnected. */
  async stop(): Promise<void> {
    if (this.#shell) process.kill(this.#pid(), 'SIGINT');
    await this.#ended();
  }

  /** Kills it as a crash of its machine would: nobody is told, and it repairs its data at the next start. */
  async kill(): Promise<void> {
    if (this.#shell) this.#signalAll('SIGKILL');
    await this.#ended();
  }

  /** Freezes it, as a network that swallows everything would. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  /** Lets it go on after {@link freeze}. */
  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  /** Stops it and deletes everything. */
  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ended(): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    // The shell waits for the server when its input has ended.
    shell?.stdin?.end();
    if (shell && shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
  }

  #pid(): number {
    return Number(readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** The server itself stands still first: it would start others in the place of those that are killed. */
  #signalAll(signal: NodeJS.Signals): void {
    const pid = this.#pid();
    process.kill(pid, 'SIGSTOP');
    const ofLinux = `/proc/${pid}/task/${pid}/children`;
    const children = existsSync(ofLinux)
      ? readFileSync(ofLinux, 'utf8')
      : execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    // It may have none by now, and "" would be process 0, which stands for everybody in this one's group.
    const ids = children.split(/\s+/).filter((id) => id !== '');
    for (const one of [...ids.map(Number), pid]) signalOne(one, signal);
  }
}

/** Signals a process, unless it's gone. */
function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
