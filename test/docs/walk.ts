import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { processEnvironment } from '../process-environment.ts';

const root = resolve(import.meta.dirname, '../..');
/** What a copy of the project needs to be checked, started and tested. */
const copied = [
  'src',
  'commands',
  'package.json',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'test/setup.ts',
  'test/at-end.ts',
  'test/free-port.ts',
  'test/patience.ts',
  'test/processor-time.ts',
  'test/waiting-first.ts',
  'test/fakes/postgres',
  'test/e2e/support/samples-folder.ts',
  'test/allowed-imports.ts',
  'test/architecture.test.ts',
  'test/vitest.config.ts',
  'test/platforms/adapter-contract.ts',
];
/** A start takes some seconds of processor time, which a busy machine gives it in its own time; in milliseconds. */
const patience = 120_000;
/** Blocks of code below a paragraph that begins with their file's name. */
const blocksPattern = /^`([\w./-]+)`[^\n]*\n\n((?:```(?:ts|diff)\n[\s\S]*?\n```\n*)+)/gm;

/** An example in the doc comment of something exported. */
const examplePattern =
  /^ \* ```ts\n((?: \*.*\n)+?) \* ```\n(?: \*.*\n)* \*\/\nexport (?:class|function|interface) (\w+)/gm;

/** What a page tells to do. */
export interface Step {
  readonly file: string;
  /** A whole file, or a change of one. */
  readonly kind: 'ts' | 'diff';
  readonly code: string;
}

/** What a page tells to do, in its order. */
export function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(blocksPattern)].flatMap(([, file = '', blocks = '']) =>
    [...blocks.matchAll(/```(ts|diff)\n([\s\S]*?\n)```/g)].map(([, kind, code = '']) => ({
      file,
      kind: kind as Step['kind'],
      code,
    })),
  );
}

/** A copy of the project, in which what a page tells is done. */
export class Copy {
  readonly folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Copy> {
    const copy = new Copy(await mkdtemp(join(tmpdir(), 'troupe-walk-')));
    await Promise.all(
      copied.map((path) => cp(join(root, path), join(copy.folder, path), { recursive: true })),
    );
    await symlink(join(root, 'node_modules'), join(copy.folder, 'node_modules'));
    const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as object & {
      compilerOptions: object;
    };
    const types = {
      // It's checked once.
      compilerOptions: { ...compilerOptions, incremental: false, tsBuildInfoFile: undefined },
      include: ['**/*.ts'],
      exclude: ['src/platforms/console/page'],
    };
    await copy.#write('tsconfig.json', JSON.stringify(types));
    return copy;
  }

  /** Does what a page tells. */
  async follow(page: string): Promise<void> {
    const told = await readFile(join(root, page), 'utf8');
    for (const [, from = '', to = ''] of told.matchAll(/^cp (?:-r )?(\S+) (\S+)$/gm))
      await cp(join(root, from), join(this.folder, to), { recursive: true });
    for (const { file, kind, code } of stepsOf(told)) {
      if (kind === 'ts') await this.#write(file, code);
      else await this.#change(file, code);
    }
  }

  /** Writes the examples of doc comments beside their files; answers whose they are. */
  async writeExamples(): Promise<readonly string[]> {
    const names = await readdir(join(this.folder, 'src'), { recursive: true });
    const found: string[] = [];
    for (const file of names.filter((name) => name.endsWith('.ts'))) {
      const source = await readFile(join(this.folder, 'src', file), 'utf8');
      for (const [, code = '', name = ''] of source.matchAll(examplePattern)) {
        await this.#write(join('src', dirname(file), `${name}.example.ts`), code.replace(/^ \* ?/gm, ''));
        found.push(name);
      }
    }
    return found.sort();
  }

  /** Runs a program in it; answers its status and all it printed. */
  async run(program: string, args: readonly string[]): Promise<{ status: number | null; said: string }> {
    const child = this.#spawn(program, args);
    const [said, told, status] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((ended) => child.once('exit', ended)),
    ]);
    return { status, said: said + told };
  }

  /** Starts the bot, types these lines, and stops it once it has printed what is looked for; answers all it printed. */
  async type(lines: readonly string[], environment: Record<string, string>, last: RegExp): Promise<string> {
    const database = `sqlite:${join(this.folder, 'data/troupe.db')}`;
    const child = this.#spawn('node', ['src/main.js'], { PORT: '0', DATABASE_URL: database, ...environment });
    child.stderr.resume();
    let said = '';
    const prints = async (pattern: RegExp) => {
      const signal = AbortSignal.timeout(patience);
      for await (const [chunk] of on(child.stdout, 'data', { close: ['end'], signal })) {
        said += chunk;
        if (pattern.test(said)) return true;
      }
      return false;
    };
    const until = async (pattern: RegExp) => {
      const isPrinted = await prints(pattern).catch(() => false);
      if (!isPrinted) throw new Error(`it never printed ${pattern}:\n${said}`);
    };
    await until(/"ready"/);
    child.stdin.write(`${lines.join('\n')}\n`);
    await until(last);
    child.kill('SIGTERM');
    await once(child, 'exit');
    return said;
  }

  async remove(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  async #write(file: string, code: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), code);
  }

  /** Makes a change whose lines, the removed and the kept ones, have to stand there once. */
  async #change(file: string, diff: string): Promise<void> {
    const lines = diff.trimEnd().split('\n');
    const side = (...marks: string[]) =>
      lines
        .filter((line) => marks.includes(line.charAt(0)) || line === '')
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const code = await readFile(join(this.folder, file), 'utf8');
    const [before, ...after] = code.split(side(' ', '-'));
    if (before === undefined || after.length !== 1)
      throw new Error(`${file} has these lines ${after.length} times:\n${diff}`);
    await writeFile(join(this.folder, file), `${before}${side(' ', '+')}${after[0]}`);
  }

  #spawn(program: string, args: readonly string[], environment: Record<string, string> = {}) {
    const child = spawn(
      program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program),
      args,
      {
        cwd: this.folder,
        env: { ...processEnvironment, ...environment },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    this.#children.push(child);
    return child;
  }
}
