import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { restoreDatabase } from '../../../src/store/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { type SlackScene, startSlackScene } from '../support/slack-scene.ts';

const filmsIn = ({ said }: SlackScene) => said().filter(({ files = [] }) => files.length > 0);

it('a film that was posted after the copy was made isn’t posted again once that is restored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-restore-'));
  endsWithTest(() => rm(folder, { recursive: true, force: true }));
  const [file, copy] = [join(folder, 'troupe.db'), join(folder, 'copy.db')];
  const scene = await startSlackScene('http', { renderTime: 2 }, { DATABASE_URL: `sqlite:${file}` });
  const state = () => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('select state, delivered from renders').get();
    } finally {
      database.close();
    }
  };
  await scene.ada.types('/video a cat surfing --duration 4 --resolution 480p', scene.general);
  await scene.until('a film that is being made', () => state()?.state === 'waiting');
  const running = new DatabaseSync(file, { readOnly: true });
  await backup(running, copy);
  running.close();
  await scene.until('the film', () => filmsIn(scene).length > 0);
  await scene.until('its record', () => state()?.delivered);
  const posted = scene.said().length;

  await scene.restart(async () => void (await restoreDatabase(`sqlite:${file}`, copy)));
  await scene.until('its record again', () => state()?.delivered);
  expect(filmsIn(scene)).toHaveLength(1);
  expect(scene.said()).toHaveLength(posted);
});
