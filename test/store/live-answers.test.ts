import { describe, expect, it } from 'vitest';
import { createJobs, createLiveAnswers, openDatabase } from '../../src/store/index.ts';
import { databases } from '../fakes/postgres/index.ts';

const message = (id: string) => ({ platform: 'slack', workspace: 'T', channel: 'C', message: id }) as const;
const requester = { id: 'U', name: 'ada', locale: 'en', administrator: false, moderator: false } as const;

it('what a live answer shows is known to the process that posted it while the database is away', async () => {
  const database = await openDatabase('sqlite::memory:');
  const answers = createLiveAnswers(database);
  const job = { id: 'job', command: 'ask', options: {}, address: message('1'), requester, createdAt: 0 };
  await createJobs(database).add(job, 'event');
  await answers.save('job', { messages: [message('1')], lastText: 'first' }, 'growing');
  await database.destroy();
  expect(await answers.find('job')).toMatchObject({ messages: [message('1')], lastText: 'first' });
  const further = { messages: [message('1'), message('2')], lastText: 'second' };
  await expect(answers.save('job', further, 'growing')).rejects.toThrow();
  expect(await answers.find('job')).toEqual({ ...further, kind: 'growing' });
  await expect(answers.remove('job')).rejects.toThrow();
  await expect(answers.find('job')).rejects.toThrow();
});

describe.each(databases)('on $name', ({ fresh }) => {
  it("a process's live answers aren't changed by it any more once another has taken the job over", async () => {
    const database = await openDatabase(await fresh());
    const [cutOff, taker] = ['cut off', 'taker'].map((process) => createLiveAnswers(database, process));
    const job = { id: 'job', command: 'ask', options: {}, address: message('1'), requester, createdAt: 0 };
    await createJobs(database, 'cut off').add(job, 'event');
    const known = { messages: [message('1')], lastText: 'first' };
    await cutOff?.save('job', known, 'growing');
    await database.updateTable('jobs').set({ process: 'taker' }).execute();
    await cutOff?.save('job', { messages: [message('2')], lastText: 'second' }, 'growing');
    expect(await taker?.find('job')).toEqual({ ...known, kind: 'growing' });
    await cutOff?.remove('job');
    expect(await taker?.find('job')).toEqual({ ...known, kind: 'growing' });
    await taker?.remove('job');
    await cutOff?.save('job', known, 'growing');
    expect(await taker?.find('job')).toBeUndefined();
    await database.destroy();
  });
});
