import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startModeration } from '../fakes/moderation.ts';
import { changeSandbox } from '../fakes/sandbox.ts';
import { addFile } from '../fakes/slack/messages/files.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from './support/discord-scene.ts';
import {
  labelsOf as labelsOnSlack,
  type SlackScene,
  startSlackScene,
  textOf,
} from './support/slack-scene.ts';

/** The operator's moderation endpoint, which flags what has “bad” in it, and words that a place blocks: in answers. */

const filler = 'The tide comes in and goes out again, twice a day. '.repeat(30);
const refused = 'I can’t show this answer: it was flagged as harassment.';

const answers = ({ sandbox }: Pick<DiscordScene | SlackScene, 'sandbox'>, ...texts: readonly string[]) =>
  changeSandbox(sandbox, { answers: texts });

/** All that a channel's messages have ever said. */
const everSaid = ({ said }: DiscordScene) =>
  said().flatMap(({ content, history }) => [content, ...history.map((state) => state.content)]);

describe('on Discord', () => {
  it('a flagged answer is taken away wherever it grows to, isn’t remembered, and is paid for', async () => {
    const fake = await startModeration();
    const scene = await startDiscordScene(
      { pace: 'human' },
      { environment: { MODERATION_URL: fake.url, MODERATION_API_KEY: 'k' } },
    );
    const { ada, channel } = scene;
    await answers(scene, `${filler}${filler}And now something bad.${filler}`);
    ada.types(channel, { name: 'ask', options: { prompt: 'Tides?' } });
    const ended = await scene.saying(refused);
    expect(ended.content).not.toContain('tide');
    await scene.until('only that', () => scene.said().length === 1);
    expect(everSaid(scene).some((text) => text.includes('tide'))).toBe(true);
    expect(everSaid(scene).some((text) => text.includes('bad'))).toBe(false);
    expect(labelsOf(ended)).toEqual(['Try again', 'Delete']);
    expect(await scene.spent()).toBeGreaterThan(0);
    // Not a request for each word.
    expect(fake.asked.length).toBeLessThan(80);
    ada.types(channel, { name: 'ask', options: { prompt: 'What did I just ask?' } });
    const next = await scene.labelled('Regenerate');
    expect(next.content).not.toContain('Tides?');
    await answers(scene, 'Something good.');
    ada.presses(ended, 'Try again');
    await scene.saying('Something good.');
  });

  it('a flagged answer that a moderator deletes before the verdict doesn’t go to its requester either', async () => {
    const fake = await startModeration();
    const scene = await startDiscordScene({ pace: 'human' }, { environment: { MODERATION_URL: fake.url } });
    const { ada, owner, channel, discord } = scene;
    await answers(scene, `${filler}And now something bad.`);
    ada.types(channel, { name: 'ask', options: { prompt: 'Tides?' } });
    const begun = await scene.saying('tide');
    const held: ServerResponse[] = [];
    fake.respond = (response) => void held.push(response);
    await scene.until('a request', () => held.length > 0);
    owner.deletes(begun);
    await scene.rests();
    const results = [{ flagged: true, categories: { harassment: true } }];
    for (const response of held) response.end(JSON.stringify({ results }));
    await scene.rests();
    const alone = discord.messagesIn(channel, { ephemeral: true });
    const direct = discord.messagesIn(ada.direct());
    const said = [...scene.said(), ...alone, ...direct].map(({ content }) => content);
    expect(said.join()).not.toContain('tide');
  });

  it('a blocked word is in no answer, new version or private answer; the word it begins is', async () => {
    const scene = await startDiscordScene({ pace: 'human' });
    const { ada, owner, channel, discord } = scene;
    owner.types(channel, { name: 'settings', sub: 'moderation', options: { blocked_words: 'tar' } });
    await discord.told(channel, '✅ Changed');
    await answers(scene, 'I start. A tarn is a lake.', `${filler}T\u200bar!${filler}`, 'I smell t**a**r.');
    ada.types(channel, { name: 'ask', options: { prompt: 'Tarns?' } });
    const first = await scene.labelled('Regenerate');
    expect(first.content).toContain('A tarn is a lake.');
    ada.presses(first, 'Regenerate');
    const why = 'I can’t show this answer: it has a word that’s blocked here.';
    const toldAlone = () =>
      discord.messagesIn(channel, { ephemeral: true }).filter(({ content }) => content.includes(why));
    await discord.until('why not', () => toldAlone().length === 1);
    await discord.until('the version before', () => labelsOf(first).includes('Regenerate'));
    expect(first.content).toContain('A tarn is a lake.');
    expect(scene.said()).toHaveLength(1);
    expect(everSaid(scene).some((text) => /t.?ar!/i.test(text))).toBe(false);
    ada.types(channel, { name: 'ask', options: { prompt: 'Smell?', private: true } });
    await discord.until('why not', () => toldAlone().length === 2);
  });
});

describe('on Slack', () => {
  it('a stream with something bad in it goes; without a verdict nothing more is shown', async () => {
    const fake = await startModeration();
    const scene = await startSlackScene('socket', { pace: 'human' }, { MODERATION_URL: fake.url });
    const { ada } = scene;
    const direct = ada.directMessages;
    await answers(scene, `${filler}And now something bad.${filler}`, `${filler}${filler}`);
    ada.says('Tides?', direct);
    const said = () => scene.said(direct).map(textOf);
    await scene.until('a stream', () =>
      scene.said(direct).some((one) => one.stream && textOf(one).includes('tide')),
    );
    await scene.until('its end', () => said().some((text) => text.includes(refused)));
    await scene.until('only that', () => said().length === 1 && !said().join().includes('tide'));
    expect(labelsOnSlack(scene.said(direct)[0])).toEqual(['Try again', 'Delete']);
    ada.says('Tides again?', direct);
    await scene.until('the next', () => said().some((text) => text.includes('tide')));
    const asked = fake.asked.length;
    fake.respond = (response) => void response.writeHead(503).end();
    await scene.until('why not', () =>
      said().some((text) => text.includes('I can’t check the rest of this answer right now')),
    );
    const all = said().join('\n');
    expect(all).toContain('tide');
    expect(all.length).toBeLessThan(filler.length * 2);
    expect(fake.asked.length - asked).toBe(4);
  });
});

describe('what a question quotes', () => {
  it('on Discord is looked at, whoever wrote it, and whichever way it’s brought in', async () => {
    const fake = await startModeration();
    const scene = await startDiscordScene(
      {},
      { environment: { MODERATION_URL: fake.url }, readings: { referencedMessage: 'uncovered' } },
    );
    const { ada, bob, owner, channel, discord } = scene;
    owner.types(channel, { name: 'settings', sub: 'moderation', options: { blocked_words: 'tar' } });
    const told = (...texts: readonly string[]) =>
      discord
        .messagesIn(channel, { ephemeral: true })
        .filter(({ content }) => texts.some((text) => content.includes(text))).length;
    await discord.until('the change', () => told('✅ Changed') === 1);
    const me = `<@${discord.world.bot.id}>`;
    const flagged = 'what you quote was flagged as harassment';
    const word = 'What you quote has a word';
    const theirs = bob.writes(channel, 'Something bad.');
    const tar = bob.writes(channel, 'Some tar.');
    const file = (text: string, name = 'notes.txt') => ({
      name,
      contentType: 'text/plain',
      bytes: Buffer.from(text),
    });
    const ways = [
      () => ada.writes(channel, `${me} translate this`, { replyTo: theirs }),
      () => ada.writes(channel, `${me} translate this`, { replyTo: tar }),
      () =>
        ada.writes(channel, `${me} translate this`, {
          replyTo: ada.writes(channel, '', { forwards: theirs }),
        }),
      () => ada.writes(channel, `${me} translate this`, { files: [file('Something bad.')] }),
      () => ada.writes(channel, `${me} translate this`, { files: [file('Fine.', 'tar.txt')] }),
    ];
    for (const [index, write] of ways.entries()) {
      write();
      await scene.until(`refusal ${index}`, () => told(flagged, word) === index + 1);
    }
    ada.submits(await discord.opened(ada.picks(theirs, 'Ask about this')), { prompt: 'What is this?' });
    await scene.until('the last', () => told(flagged, word) === ways.length + 1);
    expect(await scene.spent()).toBe(0);
    // Each is one question to the endpoint.
    expect(fake.asked.every((texts) => texts.length === 2)).toBe(true);
    // A server's words are its own; the operator's endpoint is everywhere.
    const direct = ada.direct();
    ada.writes(direct, 'Hello', { forwards: theirs });
    await scene.saying(flagged, direct);
    ada.writes(direct, 'Hello', { forwards: tar });
    await scene.labelled('Regenerate', direct);
  });

  it('on Slack only what stands in the thread is left out, whatever its author is called, and whether it’s in a file', async () => {
    const scene = await startSlackScene('socket');
    const { slack, workspace, general, ada, ben } = scene;
    const boss = slack.person(workspace, { name: 'boss', admin: true });
    const eve = slack.person(workspace, { name: 'eve', realName: 'Eve, which this replies to' });
    for (const { user } of [boss, eve]) general.members.add(user.id);
    await boss.types('/troupe settings moderation --blocked_words tar', general);
    await scene.until('the change', () => boss.whispers.length > 0);
    const file = {
      name: 'notes.txt',
      user: ben.user.id,
      bytes: Buffer.from('Hot tar.'),
      length: 8,
      altText: undefined,
    };
    const root = ben.says('Which color?', general, {
      files: [addFile(slack.world, workspace, file)],
    }).message;
    const thread = root.ts;
    eve.says('Some tar.', general, { thread });
    ada.says(`${ada.bot} What did they say?`, general, { thread });
    const answer = await scene.until('an answer', () =>
      scene.said().find((one) => labelsOnSlack(one).includes('Delete')),
    );
    expect(textOf(answer)).toContain('Which color?');
    expect(textOf(answer)).not.toContain('tar.');
    expect(ada.whispers).toEqual([]);
  });
});
