import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox, type ListeningSandbox } from '../../src/sandbox/index.ts';
import { patience } from '../patience.ts';
import { startDiscordScene } from './support/discord-scene.ts';
import { startSlackScene } from './support/slack-scene.ts';

interface Planned {
  readonly operation: string;
  readonly times: number;
}

/** A service that refuses its list of voices so often. */
async function serviceWithoutVoices() {
  const sandbox = await createSandbox({ pace: 'instant', renderTime: 0, limits: 'off' }).listen();
  onTestFinished(() => sandbox.close());
  await control(sandbox, { faults: [{ operation: 'voices', do: 'error', status: 400, times }] });
  return {
    environment: { SERVICE_BASE_URL: sandbox.url, SERVICE_API_KEY: sandbox.key },
    /** How often it will refuse it still. */
    refusalsLeft: async () => {
      const { faults } = (await control(sandbox)) as { faults: readonly Planned[] };
      return faults.find(({ operation }) => operation === 'voices')?.times ?? 0;
    },
  };
}

async function control({ url, key }: ListeningSandbox, body?: object): Promise<unknown> {
  const answer = await fetch(`${url}/sandbox/control`, {
    headers: { authorization: `Bearer ${key}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return answer.json();
}

/** Refused at the start and while the command is looked at, then told: after the command was acknowledged. */
const times = 2;
const words = 'There’s no voice “nobody_at_all”. See';

describe('a wrong voice whose list comes late is refused to its requester alone', () => {
  it.each(['works', 'refused'] as const)('on Discord (a follow-up after that: %s)', async (reading) => {
    const service = await serviceWithoutVoices();
    const { environment } = service;
    const scene = await startDiscordScene({}, { environment, readings: { followUpAfterRemoval: reading } });
    const { discord, channel, ada } = scene;
    await vi.waitFor(async () => expect(await service.refusalsLeft()).toBeLessThan(times), patience);
    ada.types(channel, { name: 'speak', options: { text: 'Hello', voice: 'nobody_at_all' } });
    const place = reading === 'works' ? channel : ada.direct();
    const refusal = await discord.told(place, 'nobody_at_all');
    expect(refusal.content).toContain(words);
    expect(refusal.onlyFor).toBe(reading === 'works' ? ada.user.id : undefined);
    // Nor does the word that the bot is thinking stay.
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it.each(['close-after', 'close'] as const)(
    'on Discord, where the answer to that is lost (%s), and nothing else is said there',
    async (kind) => {
      const service = await serviceWithoutVoices();
      const scene = await startDiscordScene({}, { environment: service.environment });
      const { discord, channel, ada } = scene;
      await vi.waitFor(async () => expect(await service.refusalsLeft()).toBeLessThan(times), patience);
      discord.faults.next('POST /webhooks/{webhook_id}/{webhook_token}', { kind });
      ada.types(channel, { name: 'speak', options: { text: 'Hello', voice: 'nobody_at_all' } });
      const refusal = await discord.until(
        'the refusal',
        () => [...scene.said(ada.direct()), ...scene.said()][0],
      );
      expect(refusal.content).toContain('nobody_at_all');
      expect(refusal.content).toContain(words);
      expect(discord.messagesIn(channel)).toEqual([]);
    },
  );

  it('on Slack', async () => {
    const service = await serviceWithoutVoices();
    const scene = await startSlackScene('socket', {}, service.environment);
    await vi.waitFor(async () => expect(await service.refusalsLeft()).toBeLessThan(times), patience);
    await scene.ada.types('/speak Hello --voice nobody_at_all', scene.general);
    const ephemerals = () => JSON.stringify(scene.workspace.ephemerals);
    await scene.until('the refusal', () => ephemerals().includes('nobody_at_all'));
    expect(ephemerals()).toContain(words);
    expect(scene.said()).toEqual([]);
  });
});
