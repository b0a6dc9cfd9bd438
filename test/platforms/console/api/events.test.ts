import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { WireChanges, WireHello } from '../../../../src/platforms/console/api/wire.ts';
import { eventRoutes } from '../../../../src/platforms/console/routes/data.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { startStage } from '../support/stage.ts';

describe('the stream of events', () => {
  it('begins with the version of the page', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const html = await (await fetch(stage.url, { headers: { cookie: visitor.cookie } })).text();
    const events = await visitor.listen(0);
    expect(events.response.headers['content-type']).toContain('text/event-stream');
    const { data } = await events.nextOf<WireHello>('hello');
    expect(html).toContain(`content="${data.version}"`);
    events.close();
  });

  it('leaves nothing open where only its headers are asked for', async () => {
    const open = new Set<never>();
    const log = { error: () => {} };
    const about = { feed: {} as never, clock: systemClock, version: async () => '1', log };
    const { headers } = await eventRoutes({ ...about, open }).request('/events?since=0', { method: 'HEAD' });
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(open.size).toBe(0);
  });

  it('goes on after the last event that was seen, over a restart too', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const address = await stage.address();
    const since = (await visitor.state()).revision;
    const events = await visitor.listen(since);
    await stage.platform.adapter.post(address, { text: 'one' }, '1');
    const seen = await events.nextOf<WireChanges>('changes');
    expect(seen.data.messages.length).toBe(1);
    expect(seen.id).toBe(String(seen.data.revision));
    events.close();
    await stage.platform.adapter.post(address, { text: 'two' }, '2');
    await stage.restart();
    const resumed = await visitor.listen(since, { 'last-event-id': seen.id! });
    const { data } = await resumed.nextOf<WireChanges>('changes');
    expect(data.messages.map((message) => JSON.stringify(message))).toEqual([expect.stringContaining('two')]);
    resumed.close();
  });

  it('tells of what is removed', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const posted = await stage.platform.adapter.post(await stage.address(), { text: 'one' }, '1');
    const since = (await visitor.state()).revision;
    await stage.platform.adapter.remove(posted);
    expect((await visitor.changes(since))?.messages).toEqual([
      { id: Number(posted.message), place: posted.channel, revision: since + 1, gone: true },
    ]);
  });

  it('makes a page reload its state if it is too far behind or from another database', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const address = await stage.address();
    for (let count = 0; count < 201; count++)
      await stage.platform.adapter.post(address, { text: 'x' }, `${count}`);
    const { revision } = await visitor.state();
    expect(await visitor.changes(0)).toBeNull();
    expect((await visitor.changes(revision - 200))?.messages.length).toBe(200);
    expect(await visitor.changes(revision + 1)).toBeNull();
    const events = await visitor.listen(0);
    await events.nextOf('reload');
    events.close();
  });

  it('beats while it is silent, and finds what another process wrote', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ clock });
    const visitor = await stage.visit();
    const { revision } = await visitor.state();
    const events = await visitor.listen(revision);
    await events.nextOf('working');
    await stage.database
      .updateTable('console_revision')
      .set({ value: revision + 1 })
      .execute();
    await stage.database
      .updateTable('console_channels')
      .set({ name: 'elsewhere', revision: revision + 1 })
      .execute();
    await clock.advance(10_000);
    await events.nextOf('beat');
    const { data } = await events.nextOf<WireChanges>('changes');
    expect(data.channels).toMatchObject([{ name: 'elsewhere' }]);
    events.close();
  });

  it('ends when the console is closed, and costs nothing once its page is gone', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ clock });
    const visitor = await stage.visit();
    const [one, other] = [await visitor.listen(0), await visitor.listen(0)];
    await one.nextOf('working');
    await other.nextOf('working');
    one.close();
    // The other stream, and the hourly look for uploads that were never sent.
    await expect.poll(() => clock.pending).toBe(2);
    await stage.platform.close();
    await expect.poll(() => clock.pending).toBe(0);
    while (await other.next());
  });

  it('refuses an invalid revision', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    for (const since of ['', 'x', '-1', '1.5']) {
      expect((await visitor.fetch(`events?since=${since}`)).status, since).toBe(400);
    }
  });
});

describe('channels', () => {
  it('are created, renamed and deleted, with everything in them', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const { id } = await visitor.json<{ id: string }>('channels', { name: '  two\nwords  ' });
    await visitor.json(`channels/${id}`, { name: 'renamed' }, 'PATCH');
    expect((await visitor.state()).channels.map(({ name }) => name)).toEqual(['general', 'renamed']);
    const address = { platform: 'console', workspace: 'console', channel: id } as const;
    const root = await stage.platform.adapter.post(address, { text: 'x' }, 'k');
    const thread = await stage.platform.adapter.openThread(root, 'thread');
    const { revision } = await visitor.state();
    await visitor.json(`channels/${id}`, undefined, 'DELETE');
    expect((await visitor.state()).threads).toEqual([]);
    expect((await visitor.fetch(`messages?place=${thread.thread}`)).status).toBe(404);
    const changes = await visitor.changes(revision);
    expect(changes?.channels).toMatchObject([{ id, gone: true }]);
    expect(changes?.threads).toMatchObject([{ id: thread.thread, gone: true }]);
    await expect(stage.platform.adapter.post(thread, { text: 'late' }, 'l')).rejects.toMatchObject({
      kind: 'gone',
    });
  });

  it('never run out: the last one makes room for a new one', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const first = await visitor.channel();
    await visitor.json(`channels/${first}`, undefined, 'DELETE');
    const { channels } = await visitor.state();
    expect(channels.map(({ name }) => name)).toEqual(['general']);
    expect(channels[0]?.id).not.toBe(first);
  });

  it('need a name, and exist before they are changed', async () => {
    const stage = await startStage();
    const visitor = await stage.visit();
    const send = (path: string, method: string, body?: object) =>
      visitor
        .fetch(path, { method, ...(body && { body: JSON.stringify(body) }) })
        .then(({ status }) => status);
    expect(await send('channels', 'POST', { name: ' \n ' })).toBe(400);
    expect(await send('channels', 'POST', {})).toBe(400);
    expect(await send('channels/none', 'PATCH', { name: 'x' })).toBe(404);
    expect(await send('channels/none', 'DELETE')).toBe(404);
    await visitor.json('channels', { name: '长'.repeat(200) });
    expect((await visitor.state()).channels[1]?.name).toBe('长'.repeat(80));
  });
});

describe('a long channel', () => {
  it('is shown from its end, fifty messages at a time', async () => {
    const stage = await startStage();
    const address = await stage.address();
    for (let count = 1; count <= 120; count++)
      await stage.platform.adapter.post(address, { text: `m${count}` }, `${count}`);
    const visitor = await stage.visit();
    const last = await visitor.page(address.channel);
    expect([last.messages.length, last.more]).toEqual([50, true]);
    expect(JSON.stringify(last.messages.at(-1)?.body)).toContain('m120');
    const middle = await visitor.page(address.channel, last.messages[0]?.id);
    const first = await visitor.page(address.channel, middle.messages[0]?.id);
    expect([first.messages.length, first.more]).toEqual([20, false]);
    expect(JSON.stringify(first.messages[0]?.body)).toContain('m1');
  });
});
