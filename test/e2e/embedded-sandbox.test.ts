import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BotProcess } from '../crash/bot-process.ts';
import { Visitor } from '../platforms/console/support/visitor.ts';

it('a newcomer’s video is posted even if the bot, and its sandbox with it, was killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bot-'));
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}` };
  let bot = await BotProcess.start({ ...environment, PORT: '0' });
  onTestFinished(async () => {
    await bot.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const visitor = await Visitor.open(bot.url);
  const channel = await visitor.channel();
  const shown = await visitor.state();
  const events = await visitor.listen(shown.revision);
  await visitor.command(channel, 'video', {
    prompt: 'a lighthouse',
    duration: 4,
    resolution: '480p',
    ratio: '1:1',
    generate_audio: false,
  });
  let thread = '';
  while (thread === '') {
    await events.next();
    const { threads } = await visitor.state();
    thread = threads.find(({ preview }) => /\d%/.test(preview ?? ''))?.id ?? '';
  }
  events.close();
  await bot.kill();

  bot = await BotProcess.start({ ...environment, PORT: new URL(bot.url).port });
  const messages = await visitor.until(thread, (all) => all.some(({ files }) => files.length > 0));
  const files = messages.flatMap((message) => message.files);
  expect(files).toMatchObject([{ contentType: 'video/mp4' }]);
  const video = await visitor.fetch(`files/${files[0]?.id}/video.mp4`);
  expect(Buffer.from(await video.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp');
}, 120_000);
