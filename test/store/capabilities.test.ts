import { describe, expect, it } from 'vitest';
import { everyWorkspace } from '../../src/port/index.ts';
import { createCapabilities, openDatabase } from '../../src/store/index.ts';
import { takeAway } from '../fakes/database.ts';

const day = 86_400_000;

describe('what a platform was found to do', () => {
  it('holds for a workspace, else for the whole platform', async () => {
    const capabilities = createCapabilities(await openDatabase('sqlite::memory:'), 'slack', Date.now);
    expect(await capabilities.find('T1', 'stream')).toBeUndefined();
    await capabilities.note(everyWorkspace, 'stream', 'works');
    await capabilities.note('T1', 'stream', 'refused');
    expect(await capabilities.find('T1', 'stream')).toBe('refused');
    expect(await capabilities.find('T2', 'stream')).toBe('works');
  });

  it('is tried again when a refusal is a week old', async () => {
    let now = 0;
    const capabilities = createCapabilities(await openDatabase('sqlite::memory:'), 'discord', () => now);
    await capabilities.note('1', 'stream', 'refused');
    // Keyv takes the milliseconds that a write waits off its time to live.
    now = 7 * day - 60_000;
    expect(await capabilities.find('1', 'stream')).toBe('refused');
    now = 7 * day;
    expect(await capabilities.find('1', 'stream')).toBeUndefined();
  });

  it('is what this process has seen while the database is away, and is stored afterwards', async () => {
    const database = await openDatabase('sqlite::memory:');
    const capabilities = createCapabilities(database, 'slack', Date.now);
    await capabilities.note('T1', 'stream', 'refused');
    const back = await takeAway(database, 'keyv');
    expect(await capabilities.find('T1', 'stream')).toBe('refused');
    expect(await capabilities.find('T2', 'stream')).toBeUndefined();
    await capabilities.note('T2', 'stream', 'works');
    expect(await capabilities.find('T2', 'stream')).toBe('works');
    await back();
    const other = createCapabilities(database, 'slack', Date.now);
    await expect.poll(() => other.find('T2', 'stream')).toBe('works');
  });
});
