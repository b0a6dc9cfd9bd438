import { Hono } from 'hono';
import { pino } from 'pino';
import { listen } from '../../../src/ops/index.ts';
import { createConsole } from '../../../src/platforms/console/start.ts';
import type { Extras } from '../../../src/platforms/console/store/messages.ts';
import { type Database, FolderFiles } from '../../../src/store/index.ts';
import { words } from '../../../src/words/index.ts';
import { endsWithFile } from '../../at-end.ts';
import { labelsIn } from '../../crash/place.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import { Visitor } from '../../platforms/console/support/visitor.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { Asking, Place } from './place.ts';

/** The console. Ways to ask: by a `command`, and `private`ly. */
export async function consolePlace(_clock: FakeClock, database: Database): Promise<Place> {
  const folder = await temporaryFolder(endsWithFile);
  let close = async () => {};
  let first: Visitor | undefined;
  let url = '';
  let asked = 0;
  const said = async (channel: string) => {
    const rows = await database
      .selectFrom('console_messages')
      .select(['id', 'text', 'extras'])
      .where('channel', '=', channel)
      .where('author', '=', 'bot')
      .where('removed', '=', 0)
      .orderBy('id')
      .execute();
    const files = await database.selectFrom('console_files').select('message').execute();
    return rows.map(({ id, text, extras }) => ({
      ...{ id, text, extras: JSON.parse(extras) as Extras },
      files: files.filter(({ message }) => message === id).length,
    }));
  };
  return {
    platform: 'console',
    async start({ life, bot, database: own, coordination, clock }) {
      const platform = await createConsole({
        ...{ dispatcher: bot.dispatcher, database: own, coordination, clock, contextTokens: 1_000 },
        files: new FolderFiles(folder),
        log: pino({ level: 'silent' }),
      });
      const server = await listen(new Hono().route('/', platform.routes), 0, '127.0.0.1');
      close = () => server.close();
      void life.died.then(close);
      url = server.url;
      return platform;
    },
    async asking(way, locale): Promise<Asking> {
      first ??= await Visitor.open(url);
      const visitor = new Visitor(url, first.cookie, {});
      const { id: channel } = await visitor.json<{ id: string }>('channels', { name: `place ${++asked}` });
      const { stop } = words(locale);
      const eventId = () => `event-${String(++asked).padStart(6, '0')}`;
      return {
        ask(prompt, command = 'ask') {
          const options = { prompt, ...(way === 'private' && { private: true }) };
          visitor.command(channel, command, options, { locale, eventId: eventId() }).catch(() => {});
        },
        async press(label) {
          const on = (await said(channel)).findLast(({ extras }) => labelsIn(extras).includes(label));
          const action = on?.extras.buttons?.find((button) => button.label === label)?.id;
          if (!on || action === undefined) return false;
          const body = { eventId: eventId(), message: Number(on.id), action, locale };
          new Visitor(url, visitor.cookie, {}).json('presses', body).catch(() => {});
          return true;
        },
        posted: async () =>
          (await said(channel)).map(({ text, extras, files }) => ({
            ...{ text, buttons: labelsIn(extras), files },
          })),
        hanging: async () =>
          (await said(channel)).flatMap(({ extras }) => [
            ...(labelsIn(extras).includes(stop) ? ['an answer with a Stop'] : []),
            ...(extras.unfinished ? ['a message that is still being written'] : []),
          ]),
      };
    },
    close: () => close(),
  };
}
