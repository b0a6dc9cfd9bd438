import { DiscordAPIError } from '@discordjs/rest';
import { expect, it } from 'vitest';
import { ChannelRefusals } from '../../../../src/platforms/discord/api/errors.ts';
import { PlatformError } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const refusedWith = (code: number) => {
  const refusal = new DiscordAPIError({ code, message: 'refused' }, code, 404, 'POST', 'https://x', {
    body: undefined,
    files: undefined,
  });
  return new PlatformError('gone', undefined, { cause: refusal });
};

/** Makes a request that Discord refuses with a code; returns whether Discord was asked. */
async function isAsked(
  channels: ChannelRefusals,
  channelId: string,
  code: number,
  isOptional = false,
): Promise<boolean> {
  let asked = false;
  const work = async () => {
    asked = true;
    throw refusedWith(code);
  };
  await expect(channels.unlessRefused(channelId, isOptional, work)).rejects.toMatchObject({ kind: 'gone' });
  return asked;
}

it('doesn’t ask about an unknown channel again for ten minutes', async () => {
  const clock = new FakeClock();
  const channels = new ChannelRefusals(clock);
  expect(await isAsked(channels, '1', 10_003)).toBe(true);
  await clock.advance(10 * 60_000 - 1);
  expect(await isAsked(channels, '1', 10_003)).toBe(false);
  expect(await channels.unlessRefused('2', false, async () => 'another')).toBe('another');
  await clock.advance(1);
  expect(await channels.unlessRefused('1', false, async () => 'there again')).toBe('there again');
});

it('keeps asking if only a message is gone', async () => {
  const channels = new ChannelRefusals(new FakeClock());
  expect(await isAsked(channels, '1', 10_008)).toBe(true);
  expect(await isAsked(channels, '1', 10_008)).toBe(true);
});

it.each([50_001, 50_013])(
  'tries nothing that can be left out where a permission is missing (%i), until something has worked there',
  async (code) => {
    const channels = new ChannelRefusals(new FakeClock());
    expect(await isAsked(channels, '1', code, true)).toBe(true);
    expect(await isAsked(channels, '1', code, true)).toBe(false);
    // Somebody may have given the permission.
    expect(await isAsked(channels, '1', code)).toBe(true);
    expect(await isAsked(channels, '1', code, true)).toBe(false);
    expect(await channels.unlessRefused('1', false, async () => 'posted')).toBe('posted');
    expect(await isAsked(channels, '1', code, true)).toBe(true);
  },
);

it('remembers a thousand of them', async () => {
  const channels = new ChannelRefusals(new FakeClock());
  for (let id = 0; id <= 1_000; id++) await isAsked(channels, `${id}`, 10_003);
  expect(await isAsked(channels, '1', 10_003)).toBe(false);
  expect(await isAsked(channels, '0', 10_003)).toBe(true);
});
