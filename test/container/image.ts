import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Instruction, pairsOf, readDockerfile, wordsOf } from './dockerfile.ts';
import { ignoring } from './ignored.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** An image as a folder: what the Dockerfile puts on its Node image, which isn't here. */
export interface Image {
  readonly folder: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly base: string;
  /** Commands that need what isn't here: Debian's packages. */
  readonly skipped: readonly string[];
}

interface Stage {
  folder: string;
  workingDirectory: string;
  environment: Record<string, string>;
  user: string;
  volumes: string[];
  command: readonly string[];
  healthCheck: readonly string[];
  labels: Readonly<Record<string, string>>;
  base: string;
  skipped: string[];
}

/** Carries out the Dockerfile's instructions in folders of `within`, as far as that goes without its base image. */
export async function buildImage(within: string): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))) {
    if (instruction.name === 'FROM') {
      const [base = '', , name = 'image'] = wordsOf(instruction);
      stage = begin(base, stages.get(base), mkdtempSync(join(within, 'stage-')));
      stages.set(name, stage);
    } else {
      if (!stage) throw new Error('a Dockerfile begins with FROM');
      await carryOut(instruction, stage, stages);
    }
  }
  if (!stage) throw new Error('the Dockerfile is empty');
  return stage;
}

function begin(base: string, former: Stage | undefined, folder: string): Stage {
  chmodSync(folder, 0o755);
  if (former) {
    cpSync(former.folder, folder, { recursive: true });
    return { ...former, folder };
  }
  return {
    folder,
    workingDirectory: '/',
    environment: {},
    user: 'root',
    volumes: [],
    command: [],
    healthCheck: [],
    labels: {},
    base,
    skipped: [],
  };
}

async function carryOut(given: Instruction, stage: Stage, stages: ReadonlyMap<string, Stage>): Promise<void> {
  switch (given.name) {
    case 'WORKDIR':
      stage.workingDirectory = given.rest;
      mkdirSync(join(stage.folder, given.rest), { recursive: true });
      return;
    case 'COPY':
      return copy(given, stage, stages);
    case 'RUN':
      for (const command of given.rest.split('&&')) await runIn(stage, command.trim());
      return;
    case 'LABEL':
      stage.labels = pairsOf(given);
      return;
    case 'ENV':
      Object.assign(stage.environment, pairsOf(given));
      return;
    case 'USER':
      stage.user = given.rest;
      return;
    case 'VOLUME':
      stage.volumes.push(...wordsOf(given));
      return;
    case 'HEALTHCHECK':
      stage.healthCheck = wordsOf({ ...given, rest: given.rest.replace(/^CMD /, '') });
      return;
    case 'CMD':
      stage.command = wordsOf(given);
      return;
    case 'EXPOSE':
      return;
    default:
      throw new Error(`${given.name}: this instruction isn't carried out here`);
  }
}

/** Copies from the build context, as `.dockerignore` leaves it, or from another stage. */
async function copy(given: Instruction, stage: Stage, stages: ReadonlyMap<string, Stage>): Promise<void> {
  const paths = [...wordsOf(given)];
  const target = paths.pop() ?? '';
  const to = join(stage.folder, stage.workingDirectory, target);
  const from = stages.get(given.flags.from ?? '');
  for (const path of paths) {
    const copyTo = target.endsWith('/') ? join(to, basename(path)) : to;
    if (from) await link(join(from.folder, dirname(path)), [basename(path)], dirname(copyTo));
    else copyFromContext(path, copyTo);
  }
}

function copyFromContext(path: string, to: string): void {
  const isIgnored = ignoring(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const source = join(root, path);
  if (!existsSync(source) || isIgnored(path)) throw new Error(`COPY ${path}: it isn't in the build context`);
  cpSync(source, to, { recursive: true, filter: (file) => !isIgnored(relative(root, file)) });
}

/** Hard links, because packages are large; copies where they can't be, or where only their owner may read them. */
async function link(cwd: string, paths: readonly string[], to: string): Promise<void> {
  const isShared = (statSync(join(root, 'node_modules/hono/package.json')).mode & 0o004) !== 0;
  const cp = (how: string) => run('cp', [how, '--parents', '-t', to, ...paths], { cwd });
  if (isShared && (await cp('-al').then(Boolean, () => false))) return;
  await cp('-a');
  await run('chmod', ['-R', 'a+rX', ...paths], { cwd: to });
}

async function runIn(stage: Stage, command: string): Promise<void> {
  const folder = join(stage.folder, stage.workingDirectory);
  if (/^npm ci --omit=dev\b/.test(command)) return installPackages(folder);
  if (/^apt-get |\/var\/lib\/apt\//.test(command)) {
    stage.skipped.push(command);
    return;
  }
  if (/(?:^|\s)\//.test(command)) throw new Error(`RUN ${command}: it would leave the folder`);
  if (command.startsWith('chown ') && process.getuid?.() !== 0) return;
  await run('sh', ['-ec', command], { cwd: folder });
}

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

/** What `npm ci --omit=dev` would install by the lockfile: taken from what is installed here. */
async function installPackages(folder: string): Promise<void> {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const wanted = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const isHere = ([path]: [string, Locked]) => existsSync(join(root, path));
  const missing = wanted.filter((entry) => !isHere(entry) && entry[1].optional !== true);
  if (missing.length > 0) throw new Error(`not installed: ${missing.map(([path]) => path).join(', ')}`);
  const here = wanted.filter(isHere);
  const programs = here
    .flatMap(([, { bin }]) => Object.keys(bin ?? {}))
    .map((name) => `node_modules/.bin/${name}`)
    .filter((path) => existsSync(join(root, path)));
  // A package's folder has its own packages in it.
  const outer = here.map(([path]) => path).filter((path) => !/node_modules\/.*node_modules\//.test(path));
  await link(root, [...outer, ...programs], folder);
}
