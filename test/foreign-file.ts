import { chown, rm, writeFile } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** A user of the machine that is neither the bot's nor root. */
export const stranger = 65_534;

let count = 0;

/**
 * A file `NAME + end` that a user other than this process's made in a folder that all share; answers its `NAME`. It and
 * what is made with it go with the test.
 */
export async function someoneElses(end: string): Promise<string> {
  const name = `/tmp/troupe-${process.pid}-${count++}.db`;
  onTestFinished(async () => {
    for (const other of ['', '-wal', '-shm', '-lock', '-lock-journal', '.key'])
      await rm(name + other, { force: true });
  });
  await writeFile(name + end, 'k'.repeat(end === '.key' ? 43 : 0), { mode: 0o666 });
  if (process.getuid?.() === 0) await chown(name + end, stranger, stranger);
  else {
    const asked = vi.spyOn(process, 'getuid').mockReturnValue(stranger);
    onTestFinished(() => asked.mockRestore());
  }
  return name;
}
