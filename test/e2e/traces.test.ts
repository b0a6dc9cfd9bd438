import { expect, it } from 'vitest';
import { endsWithTest } from '../at-end.ts';
import { OtlpReceiver, type ReceivedSpan } from '../fakes/otlp/receiver.ts';
import { startDiscordScene } from './support/discord-scene.ts';

it('a command is one trace from its arrival to its post, linked to what goes on after a restart; none tells what people write, a key or an address', async () => {
  const collector = await OtlpReceiver.start();
  endsWithTest(() => collector.close());
  const logged: string[] = [];
  const scene = await startDiscordScene({ renderTime: 0.05 }, { collector: collector.endpoint, logged });
  const { ada, bob, channel, discord } = scene;
  const prompt = 'A secret word: xyzzy. Write 3000 characters';
  ada.types(channel, { name: 'ask', options: { prompt } });
  await scene.labelled('Regenerate');
  bob.types(channel, { name: 'ask', options: { prompt: 'No [[fail 400]]' } });
  bob.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse', size: '99k' } });
  ada.types(channel, { name: 'video', options: { prompt: 'a lighthouse', duration: 4, resolution: '480p' } });
  const isSubmitted = (line: string) => line.includes('service: request') && line.includes('"video"');
  await discord.until('the task', () => logged.some(isSubmitted));
  // A stop sends what is left.
  await scene.restart();
  await discord.until('the video', () =>
    discord.journal.requests.some(({ files }) => files.some(({ name }) => name.endsWith('.mp4'))),
  );
  await scene.restart();

  const named = (name: string) => collector.named(name);
  const commands = named('command').map(({ attributes }) => [
    attributes['troupe.platform'],
    attributes['troupe.command'],
    attributes['troupe.outcome'],
    attributes['troupe.reason'],
  ]);
  expect(commands.toSorted()).toEqual([
    ['discord', 'ask', 'done', undefined],
    ['discord', 'ask', 'failed', 'service'],
    ['discord', 'imagine', 'refused', 'options'],
    ['discord', 'video', 'goes-on', undefined],
  ]);
  const [asked] = named('command').filter(({ attributes }) => attributes['troupe.outcome'] === 'done');
  const within = (span: ReceivedSpan | undefined) =>
    collector.spans.filter(({ traceId }) => traceId === span?.traceId);
  expect(
    within(asked)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['admission', 'command', 'live answer', 'queue', 'service chat', 'turn']);
  expect(asked?.events).toEqual(['recorded', 'first words']);
  const [call] = within(asked).filter(({ name }) => name === 'service chat');
  expect(call).toMatchObject({
    events: ['first token'],
    attributes: { 'troupe.operation': 'chat', 'troupe.model': 'svc-llm-1.5', 'troupe.outcome': 'ok' },
  });
  const [live] = within(asked).filter(({ name }) => name === 'live answer');
  expect(Number(live?.attributes['troupe.writes'])).toBeGreaterThan(1);

  const [filmed] = named('command').filter(({ attributes }) => attributes['troupe.command'] === 'video');
  expect(within(filmed).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['admission', 'post', 'render submit', 'service video']),
  );
  const [end] = named('render end');
  expect(end?.links).toEqual([{ traceId: filmed?.traceId, spanId: filmed?.spanId }]);
  expect(named('service video-status')).toEqual([]);

  const everything = collector.bodies.join('\n');
  for (const secret of [
    'xyzzy',
    'lighthouse',
    scene.sandbox.key,
    discord.token,
    '"ada"',
    channel.id,
    'http://',
  ])
    expect(everything).not.toContain(secret);
  const ids = logged.flatMap((line) => (JSON.parse(line) as { trace_id?: string }).trace_id ?? []);
  expect(ids).toContain(asked?.traceId);
});
