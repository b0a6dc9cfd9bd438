import { afterEach, expect, test } from 'vitest';
import { fileOf } from '../../../src/port/index.ts';
import { shown } from '../../fakes/slack/index.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
/** Clips that were paid for. */
let paid = 0;

afterEach(() => stage.stop());

async function begin(): Promise<void> {
  paid = 0;
  stage = await startStage({
    scripts: {
      speak: async ({ reply }) => {
        paid += 1;
        const about = { name: 'speech.mp3', contentType: 'audio/mpeg', kind: 'audio', description: 'hello' };
        await reply.say({ files: [fileOf(new Uint8Array(5), about as never)] });
      },
    },
  });
}

const said = () => stage.ada.whispers.map(({ blocks, text }) => shown({ blocks, text } as never) || text);
const clips = () => stage.posts(stage.general).flatMap(({ files }) => files).length;
const asked = () => stage.slack.api.of('files.getUploadURLExternal').length;

test.each([
  [
    'uploads are switched off',
    'File uploads',
    () => {
      stage.workspace.uploadsDisabled = true;
    },
    () => {
      stage.workspace.uploadsDisabled = false;
    },
  ],
  [
    'the app lacks files:write',
    'files:write',
    () => {
      (stage.installation.scopes as Set<string>).delete('files:write');
    },
    () => {
      (stage.installation.scopes as Set<string>).add('files:write');
    },
  ],
])(
  'where %s a clip is refused before it is paid for, until that is changed',
  async (_, permission, take, give) => {
    await begin();
    take();
    await stage.ada.types('/speak hello', stage.general);
    await stage.until(() => said().length === 1);
    expect(said()[0]).toContain(permission);
    expect(said()[0]).toContain('nothing was spent');
    expect(paid).toBe(0);
    give();
    await stage.ada.types('/speak hello', stage.general);
    await stage.until(() => clips() === 1);
    expect(paid).toBe(1);
  },
);

test('where files are taken that is asked once in a while; what needs none never asks', async () => {
  await begin();
  await stage.ada.types('/ask hello', stage.general);
  await stage.until(() => stage.posts(stage.general).length === 1);
  expect(asked()).toBe(0);
  for (let count = 1; count <= 3; count++) {
    await stage.ada.types('/speak hello', stage.general);
    await stage.until(() => clips() === count);
  }
  expect(asked()).toBe(4);
});
