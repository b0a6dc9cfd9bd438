import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';

let studio: MediaStudio;
beforeEach(() => {
  studio = new MediaStudio();
});
afterEach(() => studio.close());

const film = { seconds: 1, seed: 1, generateAudio: false };
const picture = { prompt: 'sea', width: 100, height: 100 };

describe('the studio', () => {
  it('speaks and draws while a long film is made', async () => {
    const stop = new AbortController();
    let isDone = false;
    const film = studio
      .film(
        { prompt: 'sea', seconds: 15, width: 1920, height: 1080, seed: 1, generateAudio: true },
        undefined,
        stop.signal,
      )
      .finally(() => {
        isDone = true;
      });
    const caught = film.catch((reason: unknown) => reason);
    await studio.speak({ text: 'Hello.', voice: 'en_male_tim_uranus_bigtts', format: 'ogg', speed: 1 });
    await studio.draw(picture);
    expect(isDone).toBe(false);
    stop.abort(new Error('enough'));
    expect(await caught).toEqual(new Error('enough'));
  });

  it('never draws what was given up while it waited', async () => {
    const stop = new AbortController();
    const first = studio.draw(picture);
    const waiting = studio.draw(picture, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await first;
    await expect(studio.draw(picture)).resolves.toBeInstanceOf(Uint8Array);
    await expect(studio.draw(picture, stop.signal)).rejects.toThrow('enough');
  });

  it('that is closed fails what it was doing, what waits and what comes', async () => {
    const under = [studio.draw(picture), studio.draw(picture), studio.film({ ...picture, ...film })];
    const all = Promise.allSettled(under);
    studio.close();
    const failed = { status: 'rejected', reason: new Error('the studio was closed') };
    expect(await all).toEqual([failed, failed, failed]);
    await expect(studio.draw(picture)).rejects.toThrow('the studio was closed');
  });

  it('loads nothing that draws, speaks or encodes into the thread of its caller', () => {
    const seen = loadedBy(new URL('../../../src/sandbox/media/studio.ts', import.meta.url));
    const packages = [...seen].filter((name) => !name.startsWith('file:') && !name.startsWith('node:'));
    expect(packages).toEqual([]);
    expect([...seen].filter((name) => name.endsWith('run-in-worker.ts'))).toHaveLength(1);
  });
});

/** Everything that loading a module loads, by its import lines; those of types load nothing. */
function loadedBy(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, name] of source.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)) {
    if (name!.startsWith('.')) loadedBy(new URL(name!, file), seen);
    else seen.add(name!);
  }
  return seen;
}
