import { expect, test } from 'vitest';
import { fileOf } from '../../../../src/port/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
/** Clips that were paid for. */
let paid = 0;

async function begin(): Promise<void> {
  paid = 0;
  stage = await startStage({
    scripts: {
      speak: async ({ reply }) => {
        paid += 1;
        const format = await reply.clipFormat?.();
        const name = `speech.${format === 'opus' ? 'ogg' : format}`;
        const about = { name, contentType: 'audio/mpeg', kind: 'audio', description: 'hello' };
        await reply.say({ files: [fileOf(new Uint8Array(5), about as never)] });
      },
    },
  });
}

const said = () => stage.whispers();
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
  [
    'the app lacks files:read',
    'files:read',
    () => {
      (stage.installation.scopes as Set<string>).delete('files:read');
    },
    () => {
      (stage.installation.scopes as Set<string>).add('files:read');
    },
  ],
  [
    'the storage of a free workspace is full',
    'full',
    () => {
      stage.workspace.isStorageFull = true;
    },
    () => {
      stage.workspace.isStorageFull = false;
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
    expect(said()[0]).toMatch(/nothing was spent/i);
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

const names = () => [...stage.workspace.files.values()].map(({ name }) => name);
const forbid = (...all: string[]) => {
  for (const ending of all) stage.workspace.forbiddenEndings.add(ending);
};

test.each([
  [['.mp3'], 'speech.ogg'],
  [['.mp3', '.ogg'], 'speech.wav'],
])('where %j is forbidden a clip is made as %s', async (forbidden, name) => {
  await begin();
  forbid(...forbidden);
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => clips() === 1);
  expect(names()).toEqual([name]);
});

test('where no kind of clip is taken it is refused before it is paid for, until one is', async () => {
  await begin();
  stage.workspace.imagesOnly = true;
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => said().length === 1);
  expect(said()[0]).toContain('(mp3, ogg, wav)');
  expect(paid).toBe(0);
  stage.workspace.imagesOnly = false;
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => clips() === 1);
});

test.each([
  ['/video a cat', '.mp4', '(mp4)'],
  ['/imagine a cat', '.png', '(png)'],
])('%s where %s is forbidden is refused before it is paid for', async (line, ending, named) => {
  let begun = 0;
  const script = async () => void begun++;
  stage = await startStage({ scripts: { video: script, imagine: script } });
  forbid(ending);
  await stage.ada.types(line, stage.general);
  await stage.until(() => said().length === 1);
  expect(said()[0]).toContain(named);
  expect(begun).toBe(0);
});

test('a kind that is refused only when it is there is not made again', async () => {
  await begin();
  stage.slack.world.readings.fileKindToldEarly = 'refused';
  forbid('.mp3');
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => paid === 1 && stage.texts(stage.general).join().includes('file-not-allowed'));
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => clips() === 1);
  forbid('.ogg', '.wav');
  for (const _ of ['ogg', 'wav']) {
    const before = paid;
    await stage.ada.types('/speak hello', stage.general);
    await stage.until(() => paid > before);
    await stage.pass(1_000);
  }
  const spent = paid;
  await stage.ada.types('/speak hello', stage.general);
  await stage.until(() => said().some((text) => text.includes('(mp3, ogg, wav)')));
  expect(paid).toBe(spent);
});
