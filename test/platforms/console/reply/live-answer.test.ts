import { describe, expect, it, vi } from 'vitest';
import type { WireChanges, WireDraft, WireWorking } from '../../../../src/platforms/console/api/wire.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { patience } from '../../../patience.ts';
import { Writer } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

async function begun(clock?: FakeClock) {
  const writer = new Writer();
  const stage = await startStage({ commands: [writer.command as never], ...(clock && { clock }) });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  const next = writer.next();
  const events = await visitor.listen((await visitor.state()).revision);
  await visitor.command(channel, 'ask', { prompt: 'go' });
  return { stage, visitor, channel, events, ...(await next) };
}

describe('an answer that grows on the console', () => {
  it('shows work in progress until its first words appear', async () => {
    const { events, live, done, channel } = await begun();
    let working = await events.nextOf<WireWorking>('working');
    while (working.data.places.length === 0) working = await events.nextOf<WireWorking>('working');
    expect(working.data.places).toEqual([channel]);
    live.append('first words');
    expect((await events.nextOf<WireWorking>('working')).data.places).toEqual([]);
    await live.finish({ kind: 'done' });
    done();
    events.close();
  });

  it('grows by events, and is final when it is finished', async () => {
    const clock = new FakeClock();
    const { visitor, channel, events, live, done } = await begun(clock);
    live.append('one');
    await clock.advance(0);
    const posted = await visitor.until(channel, (messages) => messages[1]?.isDraft === true);
    expect(posted[1]).toMatchObject({ isDraft: true, body: [{ tag: 'p', children: ['one'] }] });
    expect(posted[1]?.buttons.map(({ label }) => label)).toEqual(['Stop']);
    live.append(' ||two');
    const growth = await passing(clock, nextGrowthWith(events, 'one ||two'));
    expect(growth).toMatchObject({ id: posted[1]?.id, place: channel });
    expect((await visitor.messages(channel))[1]?.body).toEqual([{ tag: 'p', children: ['one ||two'] }]);
    const finished = live.finish({ kind: 'done', note: '*the note*' });
    expect((await passing(clock, finished)).length).toBe(1);
    done();
    const messages = await visitor.messages(channel);
    expect(messages[1]?.isDraft).toBeUndefined();
    expect(messages[1]?.buttons.map(({ label }) => label)).toEqual(['Ended done']);
    expect(JSON.stringify(messages[1]?.body)).toContain('the note');
    events.close();
  });

  it('goes on in a next message past 4,000 characters, with buttons under the last alone', async () => {
    const { visitor, channel, events, live, done } = await begun();
    live.append('words and words. '.repeat(600));
    const messages = await live.finish({ kind: 'done' });
    done();
    expect(messages.length).toBe(3);
    const shown = await visitor.messages(channel);
    expect(shown.slice(1).map(({ buttons }) => buttons.length)).toEqual([0, 0, 1]);
    events.close();
  });

  it('is there after a restart as far as it came, and no longer growing', async () => {
    const clock = new FakeClock();
    const { stage, visitor, channel, events, live } = await begun(clock);
    live.append('one');
    await clock.advance(0);
    await visitor.until(channel, (messages) => messages.length === 2);
    live.append(' two');
    await passing(clock, nextGrowthWith(events, 'one two'));
    events.close();
    await stage.restart();
    const message = (await visitor.messages(channel))[1];
    expect(message?.body).toEqual([{ tag: 'p', children: ['one two'] }]);
    expect(message?.isDraft).toBeUndefined();
  });

  it('is sent to every page that is open, in its newest state', async () => {
    const { stage, channel, live, done, events } = await begun();
    const others = await Promise.all(Array.from({ length: 5 }, async () => (await stage.visit()).listen(0)));
    live.append('x'.repeat(50));
    await live.finish({ kind: 'done' });
    done();
    for (const other of [events, ...others]) {
      let last: WireChanges | undefined;
      do last = (await other.nextOf<WireChanges>('changes')).data;
      while (!JSON.stringify(last.messages).includes('Ended done'));
      expect(last.messages.at(-1)).toMatchObject({ place: channel });
      other.close();
    }
  });
});

/** Lets time pass until something has come: what it waits for begins when what was before is stored. */
async function passing<T>(clock: FakeClock, coming: Promise<T>): Promise<T> {
  let isThere = false;
  const come = () => {
    isThere = true;
  };
  coming.then(come, come);
  await vi.waitUntil(() => isThere || clock.advance(100).then(() => isThere), patience);
  return coming;
}

async function nextGrowthWith(events: { nextOf<Data>(name: string): Promise<{ data: Data }> }, text: string) {
  for (;;) {
    const { data } = await events.nextOf<WireDraft>('draft');
    if (JSON.stringify(data.body).includes(text)) return data;
  }
}
