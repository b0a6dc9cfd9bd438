import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { Feed } from '../../../../src/platforms/console/feed/feed.ts';
import { previewOf } from '../../../../src/platforms/console/feed/to-wire.ts';
import { Channels } from '../../../../src/platforms/console/store/channels.ts';
import { Drafts, Messages } from '../../../../src/platforms/console/store/messages.ts';
import { endsWithTest } from '../../../at-end.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { databases } from '../../../fakes/postgres/index.ts';

describe.each(databases)('threads on $name', ({ fresh }) => {
  it('have the number of messages that everybody sees, and the last of them', async () => {
    const database = await openMigrated(await fresh());
    endsWithTest(() => database.destroy());
    const channels = new Channels(database, systemClock);
    const messages = new Messages(database, systemClock);
    const channel = await channels.createChannel('one');
    const post = (text: string, thread?: string, session?: string) => {
      const place = { channel, ...(thread !== undefined && { thread }) };
      return messages.post({ place, author: 'bot', session, key: text, text, extras: {}, files: [] });
    };
    const full = await channels.openThread(channel, (await post('a root')).id, 'full');
    await channels.openThread(channel, (await post('another root')).id, 'empty');
    await post('first', full);
    await post('last', full);
    const { id } = await post('taken back', full);
    await messages.remove(id);
    await post('only for one', full, 'a session');
    const signals = { on: () => () => {}, send: async () => {} };
    const feed = new Feed(database, {} as never, new Drafts(), { process: 'one', signals });
    const threads = await feed.threads(await channels.threads());
    expect(threads.sort((one, other) => one.message - other.message)).toMatchObject([
      { name: 'full', messages: 2, preview: 'last' },
      { name: 'empty', messages: 0, preview: '' },
    ]);
  });
});

it('a preview ends before an emoji that it has no room for, and not in the middle of it', () => {
  expect(previewOf(`${'a'.repeat(119)}😀`)).toBe('a'.repeat(119));
  expect(previewOf(`**${'a'.repeat(117)}** 😀 and more`)).toBe(`${'a'.repeat(117)} 😀`);
});
