import { describe, expect, it } from 'vitest';
import { createJobs, createLiveAnswers, openDatabase, Processes } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';

const message = (id: string) => ({ platform: 'slack', workspace: 'T', channel: 'C', message: id }) as const;

it('what a live answer shows is known to the process that posted it while the database is away', async () => {
  const database = await databaseOfTest();
  const answers = createLiveAnswers(database);
  await createJobs(database).add(jobCalled('job'), 'event');
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
  it('the next process knows all that people can read of an answer, and its end once that is there', async () => {
    const database = await databaseOfTest(await fresh());
    await createJobs(database).add(jobCalled('job'), 'event');
    const answers = createLiveAnswers(database);
    const next = () => createLiveAnswers(database).find('job');
    const pieces: string[] = [];
    for (const index of ['1', '2', '3']) {
      const messages = Array.from({ length: Number(index) }, (_, at) => message(String(at + 1)));
      const grows = { messages, lastText: `piece ${index} gr`, pieces: [...pieces, `piece ${index} grows`] };
      await answers.save('job', grows, 'growing');
      expect(await next()).toEqual({ ...grows, kind: 'growing' });
      pieces.push(`piece ${index}`);
      await answers.save('job', { messages, lastText: `piece ${index}`, pieces: [...pieces] }, 'growing');
    }
    const messages = [message('1'), message('2'), message('3')];
    const ending = { kind: 'stopped', note: 'Stopped.' } as const;
    const ended = { messages, lastText: 'piece 3\n\nStopped.', ending };
    await answers.save('job', { ...ended, pieces: ['piece 1', 'piece 2', 'piece 3\n\nStopped.'] }, 'growing');
    expect(await next()).toMatchObject({ ...ended, pieces: ['piece 1', 'piece 2', 'piece 3\n\nStopped.'] });
    await answers.remove('job');
    expect(await database.selectFrom('live_answer_pieces').selectAll().execute()).toEqual([]);
  });

  it('the addresses of a long answer are written when there are more, and not with every word', async () => {
    const written: string[] = [];
    const database = (await openDatabase(await fresh())).withPlugin({
      transformQuery({ node }) {
        written.push(JSON.stringify(node));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await createJobs(database).add(jobCalled('job'), 'event');
    const answers = createLiveAnswers(database);
    const shown = { messages: [message('first'), message('second')], lastText: 'It' };
    await answers.save('job', shown, 'growing');
    written.length = 0;
    await answers.save('job', { ...shown, lastText: 'It grows' }, 'growing');
    expect(written).toHaveLength(1);
    expect(written.join()).not.toContain('first');
    const more = { messages: [...shown.messages, message('third')], lastText: 'on' };
    await answers.save('job', more, 'growing');
    expect(await createLiveAnswers(database).find('job')).toEqual({ ...more, kind: 'growing' });
    // The database came back without it.
    await database.deleteFrom('live_answers').execute();
    await answers.save('job', { ...more, lastText: 'on and on' }, 'growing');
    expect(await createLiveAnswers(database).find('job')).toMatchObject({ ...more, lastText: 'on and on' });
  });

  it('an answer of several messages that an earlier version began is known by its last one', async () => {
    const database = await databaseOfTest(await fresh());
    await createJobs(database).add(jobCalled('job'), 'event');
    const known = { messages: [message('1'), message('2')], lastText: 'second' };
    await createLiveAnswers(database).save('job', known, 'growing');
    expect(await createLiveAnswers(database).find('job')).toEqual({ ...known, kind: 'growing' });
  });

  it("a process's live answers aren't changed by it any more once another has taken the job over", async () => {
    const database = await databaseOfTest(await fresh());
    const [cutOff, taker] = ['cut off', 'taker'].map((process) => createLiveAnswers(database, process));
    await new Processes(database).begin('cut off', new Map());
    await createJobs(database, 'cut off').add(jobCalled('job'), 'event');
    const known = { messages: [message('1')], lastText: 'first' };
    await cutOff?.save('job', known, 'growing');
    await database.updateTable('jobs').set({ process: 'taker' }).execute();
    await cutOff?.save('job', { messages: [message('2')], lastText: 'second' }, 'growing');
    expect(await taker?.find('job')).toMatchObject({ ...known, kind: 'growing' });
    await cutOff?.remove('job');
    expect(await taker?.find('job')).toMatchObject({ ...known, kind: 'growing' });
    await taker?.remove('job');
    await cutOff?.save('job', known, 'growing');
    expect(await taker?.find('job')).toBeUndefined();
  });
});
