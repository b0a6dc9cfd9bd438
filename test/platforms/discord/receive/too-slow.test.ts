import { expect, it } from 'vitest';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { echo } from '../support/commands.ts';
import { type Stage, startStage } from '../support/stage.ts';

const { noDatabase } = discordWords('en');
const said = ({ discord, channel }: Stage, content: string) =>
  discord.until(content, () =>
    discord.messagesIn(channel, { ephemeral: true }).find((message) => message.content === content),
  );

/** A command whose checks take as long as a database that doesn't answer. */
async function slowStage(http: boolean) {
  const gate = Promise.withResolvers<never[]>();
  const begun = Promise.withResolvers<void>();
  const clock = new FakeClock();
  const check = () => {
    begun.resolve();
    return gate.promise;
  };
  const stage = await startStage({ commands: [{ ...echo, check }], clock, http });
  return { stage, clock, begun: begun.promise, goOn: () => gate.resolve([]) };
}

it.each([
  ['the gateway', false],
  ['HTTP', true],
])(
  'what can’t be begun within Discord’s three seconds is told so, and never begun: over %s',
  async (_, http) => {
    const { stage, clock, begun, goOn } = await slowStage(http);
    const { discord, ada, bob, channel, database } = stage;
    ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    await begun;
    await clock.advance(2_299);
    expect(discord.messagesIn(channel, { ephemeral: true })).toEqual([]);
    await clock.advance(1);
    expect((await said(stage, noDatabase)).onlyFor).toBe(ada.user.id);
    goOn();
    // Whoever is in time is answered.
    bob.types(channel, { name: 'echo', options: { text: 'second' } });
    await said(stage, 'bob: second');
    const jobs = await database.selectFrom('jobs').select('requester').execute();
    expect(jobs).toHaveLength(1);
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['bob: second']);
  },
);
