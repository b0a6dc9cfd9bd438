import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Bots } from './support/bots.ts';
import { Scene } from './support/scene.ts';

const project = join(import.meta.dirname, '../../..');

/** A copy of the bot whose version is the next: it adds to the tables. */
async function nextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-next-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['src', 'commands', 'package.json', 'test/patience.ts', 'test/e2e/processes/support'])
    await cp(join(project, name), join(folder, name), { recursive: true });
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  const migrations = join(folder, 'src/store/migrations');
  const index = await readFile(join(migrations, 'index.ts'), 'utf8');
  await writeFile(
    join(migrations, 'index.ts'),
    `import * as next from './0999-next.ts';\n${index.replace("\n  '0001-first'", "\n  '0999-next': next,$&")}`,
  );
  await writeFile(
    join(migrations, '0999-next.ts'),
    `import { sql } from 'kysely';
    export async function up(database) {
      for (const table of ['jobs', 'renders', 'deliveries', 'ledger'])
        await sql\`alter table \${sql.table(table)} add column next text not null default ''\`.execute(database);
    }`,
  );
  return folder;
}

it('two versions work side by side, and each goes on with what the other leaves: on the way up, and back', async () => {
  const next = await nextVersion();
  const bots = await Bots.start({ count: 1, platforms: ['discord'] });
  onTestFinished(() => bots.close());
  const scene = new Scene(bots);
  const made = async () =>
    (await bots.query<{ name: string }>('select name from kysely_migration')).map(({ name }) => name);
  const [former] = bots.living;
  if (!former) throw new Error('there is no process');
  const before = await scene.everything();
  expect(await made()).not.toContain('0999-next');

  const newer = await bots.add(next);
  expect(await made()).toContain('0999-next');
  const given = [...before, ...(await scene.everything())];
  expect(await bots.stop(former)).toBe(0);
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);

  const left = await scene.everything();
  await bots.add();
  expect(await bots.stop(newer)).toBe(0);
  await bots.until('what was left is over', () => scene.isOver(left));
  scene.judge(left);
});
