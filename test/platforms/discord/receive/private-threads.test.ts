import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../src/port/index.ts';
import { bring } from '../../../fakes/bring.ts';
import { type Channel, refusals } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

const create = 'POST /channels/{channel_id}/messages';

/** What happens to a thread after a command in it. */
const fates: Readonly<Record<string, (stage: Stage, thread: Channel) => void>> = {
  locked: ({ ada }, thread) => ada.closes(thread, true),
  'archived, and takes nothing': ({ discord }) =>
    discord.faults.next(create, { kind: 'refuse', refusal: refusals.archivedThread() }),
  'one that the bot was taken out of': ({ discord }, thread) => discord.threads.takeOutBot(thread),
  deleted: ({ discord }, thread) => discord.threads.delete(thread),
};
const cases = Object.entries(fates);

const contents = (stage: Stage, place: Pick<Channel, 'id'>) =>
  stage.ofBot(place).map(({ content }) => content);

/** The address that a command given in a thread is answered at later, as it's on record. */
async function given(stage: Stage, thread: Channel, how: 'typed' | 'written'): Promise<Address> {
  if (how === 'typed') stage.ada.types(thread, { name: 'echo', options: { text: 'x' } });
  else stage.ada.mentions(thread, 'say x');
  await stage.discord.until('an answer', () => contents(stage, thread).some((content) => content !== ''));
  return stage.jobAddress();
}

const late = (stage: Stage, place: Address) =>
  bring(stage, place, { text: 'the result', mentions: [stage.ada.user.id] }, 'late');

describe.each(['typed', 'written'] as const)('the result of a command %s in a thread', (how) => {
  it.each(cases)('comes directly if the thread is private and %s', async (_, befalls) => {
    const stage = await startStage({ commands: [echo, streamingAsk] });
    const thread = stage.discord.threads.openPrivate(stage.channel, stage.ada.user.id, 'Between us');
    const place = await given(stage, thread, how);
    befalls(stage, thread);
    await late(stage, place);
    expect(contents(stage, stage.channel)).toEqual([]);
    expect(contents(stage, stage.ada.direct())).toEqual([expect.stringContaining('the result')]);
  });

  it.each(cases)(
    'comes in the channel if the thread is public and %s, directly if it’s deleted',
    async (fate, befalls) => {
      const stage = await startStage({ commands: [echo, streamingAsk] });
      const { discord, channel, ada } = stage;
      const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
      const place = await given(stage, thread, how);
      // Nobody is taken out of what everybody sees: there it's the permission that is gone.
      if (befalls === fates['one that the bot was taken out of'])
        discord.faults.next(create, { kind: 'refuse', refusal: refusals.missingAccess() });
      else befalls(stage, thread);
      await late(stage, place);
      const [there, elsewhere] = fate === 'deleted' ? [ada.direct(), channel] : [channel, ada.direct()];
      expect(contents(stage, there)).toEqual([expect.stringContaining('the result')]);
      expect(contents(stage, elsewhere)).toEqual([]);
      // Whoever reads it in the channel sees where it belongs.
      if (there === channel) expect(contents(stage, channel)[0]).toMatch(`-# <#${thread.id}>\n`);
    },
  );

  it.each([true, false])('comes directly after a restart, the thread deleted (private: %s)', async (is) => {
    const stage = await startStage({ commands: [echo, streamingAsk] });
    const { discord, channel, ada } = stage;
    const thread = is
      ? discord.threads.openPrivate(channel, ada.user.id, 'Between us')
      : discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
    const place = await given(stage, thread, how);
    discord.threads.delete(thread);
    await stage.restart();
    await late(stage, place);
    expect(contents(stage, ada.direct())).toEqual([expect.stringContaining('the result')]);
    expect(contents(stage, channel)).toEqual([]);
  });
});

it('a message that mentions nobody is posted only in its private thread', async () => {
  const stage = await startStage({ commands: [echo] });
  const thread = stage.discord.threads.openPrivate(stage.channel, stage.ada.user.id, 'Between us');
  const place = await given(stage, thread, 'typed');
  stage.ada.closes(thread, true);
  const posted = stage.platform.adapter.post(place, { text: 'the result' }, 'late');
  await expect(posted).rejects.toMatchObject({ kind: 'no-permission' });
  expect(contents(stage, stage.channel)).toEqual([]);
});

describe('an address from before threads were recorded as public', () => {
  it.each([
    ['deleted thread: directly', true],
    ['thread that is there, and public: in its channel', false],
  ])('%s', async (_, isDeleted) => {
    const stage = await startStage({ commands: [echo] });
    const { discord, channel, ada } = stage;
    const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
    if (isDeleted) discord.threads.delete(thread);
    else ada.closes(thread, true);
    await late(stage, { ...stage.place, thread: thread.id });
    expect(contents(stage, isDeleted ? ada.direct() : channel)).toEqual([
      expect.stringContaining('the result'),
    ]);
    expect(contents(stage, isDeleted ? channel : ada.direct())).toEqual([]);
  });
});
