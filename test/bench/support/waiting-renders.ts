import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../src/store/index.ts';

/** Makes a database in which so many videos are waited for, in many channels of the console. */
export async function withWaitingRenders(file: string, count: number): Promise<void> {
  await (await openDatabase(`sqlite:${file}`)).destroy();
  const database = new DatabaseSync(file);
  const job = database.prepare(
    `insert into jobs (id, event_id, command, options, address, requester, state, created_at)
     values (?, ?, 'video', ?, ?, ?, 'done', ?)`,
  );
  const render = database.prepare(
    `insert into renders (id, kind, state, request, conversation_id, message, task_id, created_at, updated_at, waited_ms)
     values (?, 'video', 'waiting', ?, ?, ?, ?, ?, ?, 60000)`,
  );
  const paid = database.prepare(
    `insert into ledger (id, job, platform, workspace, channel, person, person_name, conversation_id, kind, model,
       quantity, state, estimated, low, high, created_at)
     values (?, ?, 'console', 'console', ?, ?, 'Ann', ?, 'video', '720p', '{}', 'reserved', 1, 1, 1, ?)`,
  );
  const prompt = 'A lighthouse in a storm at night, waves, rain, the beam of light turning slowly. '.repeat(
    4,
  );
  const now = Date.now();
  database.exec('begin');
  for (let index = 0; index < count; index++) {
    const [id, channel, person] = [`render${index}`, `channel${index % 500}`, `person${index % 2000}`];
    const address = { platform: 'console', workspace: 'console', channel };
    const requester = { id: person, name: 'Ann', locale: 'en', administrator: false, moderator: false };
    job.run(
      id,
      `event of ${id}`,
      JSON.stringify({ prompt }),
      JSON.stringify(address),
      JSON.stringify(requester),
      now,
    );
    const message = JSON.stringify({ ...address, message: String(1_000_000 + index) });
    render.run(id, JSON.stringify({ prompt, duration: 5 }), channel, message, `task${index}`, now, now);
    paid.run(`paid${index}`, id, channel, person, channel, now);
  }
  database.exec('commit');
  database.close();
}
