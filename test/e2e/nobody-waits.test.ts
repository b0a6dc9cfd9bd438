import { describe, expect, it } from 'vitest';
import { labelsOf, startDiscordScene } from './support/discord-scene.ts';
import { startSlackScene, textOf } from './support/slack-scene.ts';

/** The most that people wait for the first words, in milliseconds. */
const patience = 3_000;
const long = 'Write 20000 characters';

describe('while Ada’s long answer is being written', () => {
  it('on Discord, Bob reads his first words within 3 s, each answer says whose question it is', async () => {
    const { discord, channel, ada, bob, said, until } = await startDiscordScene({ pace: 'human' });
    ada.types(channel, { name: 'ask', options: { prompt: long } });
    await until('Ada’s answer', () => (said()[0]?.content.length ?? 0) > 200);
    const asked = discord.world.clock.now();
    const question = bob.mentions(channel, 'What is the tide?');
    const bobs = () => said().find(({ replyTo }) => replyTo === question.id);
    await until('Bob’s first words', () => (bobs()?.content.length ?? 0) > 0);
    expect(discord.world.clock.now() - asked).toBeLessThanOrEqual(patience);
    expect(bobs()?.content).not.toContain('Yours comes next');
    expect(labelsOf(said()[0])).toContain('Stop');
    expect(said()[0]?.content).toMatch(/^> \*\*ada\*\*: Write 20000 characters\n/);
  });

  it('on Slack, Eve reads her first words within 3 s in the same thread, each answer says whose it is', async () => {
    const { slack, workspace, general, ada, said, until } = await startSlackScene('socket', {
      pace: 'human',
    });
    const eve = slack.person(workspace, { name: 'eve' });
    general.members.add(eve.user.id);
    const answers = () => said().map(textOf);
    const root = ada.says(`${ada.bot} ${long}`, general).message;
    await until('Ada’s answer', () => (answers()[0]?.length ?? 0) > 200);
    const asked = slack.world.clock.now();
    eve.says('What is the tide?', general, { thread: root.ts });
    const eves = () => answers().find((text) => text.startsWith('*eve*: What is the tide?\n'));
    await until('Eve’s first words', () => (eves()?.split('\n')[1] ?? '').length > 0);
    expect(slack.world.clock.now() - asked).toBeLessThanOrEqual(patience);
    expect(eves()).not.toContain('Yours comes next');
    expect(answers()[0]).toContain('Stop');
    void ada.types('/ask Short?', general);
    await until('an answer to a command', () =>
      answers().some((text) => text.includes('*ada* · `/ask` Short?')),
    );
  });
});
