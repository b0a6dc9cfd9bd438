import { MessageFlags, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { refusals } from '../../../fakes/discord/http/refusal.ts';
import type { Message } from '../../../fakes/discord/index.ts';
import { begun, openAnswers, streamingAsk } from '../support/live-command.ts';
import { longAnswer } from '../support/long-answer.ts';
import { labelsOf, type Stage, startStage, withoutBot } from '../support/stage.ts';

const commands = [streamingAsk];
const edit = 'PATCH /channels/{channel_id}/messages/{message_id}';
const followUp = 'POST /webhooks/{webhook_id}/{webhook_token}';

const shown = (stage: Stage, ephemeral = false) =>
  stage.discord
    .messagesIn(stage.channel, { ephemeral })
    .filter((message) => message.content || message.files.length > 0);
const labels = (message: Message | undefined) => (message ? labelsOf(message) : []);
describe('sixty answers at once, with Discord’s own limits', () => {
  it('have their first words at once and their ends within little more than a second, and grow in between', async () => {
    const jumping = new FakeClock();
    const { discord, guild, ada } = await startStage({ commands, jumping, buckets: {} });
    const channels = Array.from({ length: 60 }, (_, index) =>
      discord.world.addChannel(guild, `own-${index}`),
    );
    for (const channel of channels) ada.mentions(channel, 'question');
    await discord.until('the answers', () => openAnswers.length === 60);
    const last = (words: string) =>
      channels.filter((channel) => discord.messagesIn(channel).at(-1)?.content.includes(words)).length;
    const milliseconds = async (what: string, isSo: () => boolean) => {
      const begun = jumping.now();
      await discord.until(what, isSo);
      return jumping.now() - begun;
    };
    const passes = (time: number) => {
      const until = jumping.now() + time;
      jumping.after(time, () => {});
      return discord.until('time passes', () => jumping.now() >= until);
    };
    for (const { live } of openAnswers) live.append('First words.');
    expect(await milliseconds('most first words', () => last('First words.') >= 40)).toBe(0);
    expect(await milliseconds('all first words', () => last('First words.') === 60)).toBeLessThan(1_100);
    for (let time = 0; time < 80; time++) {
      for (const { live } of openAnswers) live.append(` Time ${time}.`);
      await passes(110);
    }
    expect(last('Time 60.')).toBe(60);
    for (const { live } of openAnswers) live.append(' The end.');
    const done = Promise.all(openAnswers.map(({ end }) => end()));
    expect(await milliseconds('the ends', () => last('The end.') === 60)).toBeLessThan(1_400);
    await done;
    expect(discord.rateLimits.limited).toBe(0);
  });
});

describe('an answer that grows on Discord', () => {
  it('shows its first words at once and always its last state', async () => {
    const stage = await startStage({ commands });
    const openAnswer = await begun(stage);
    openAnswer.live.append('First');
    await stage.discord.until('the first words', () => shown(stage)[0]?.content === 'First');
    for (let word = 0; word < 200; word++) openAnswer.live.append(` word${word}`);
    await openAnswer.end();
    const [answer] = shown(stage);
    expect(answer?.content.endsWith('word199')).toBe(true);
    expect(labels(answer)).toEqual(['Again done']);
    expect(stage.discord.rateLimits.limited).toBe(0);
  });

  it('is complete if the response to its first message was lost until it had ended', async () => {
    const botClock = new FakeClock();
    const stage = await startStage({ commands, botClock });
    const create = 'POST /channels/{channel_id}/messages';
    // Sent three times at once, then again later with all the words there are by then.
    stage.discord.faults.next(create, { kind: 'close-after' }, 3);
    stage.ada.mentions(stage.channel, 'wait');
    const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
    openAnswer.live.append('Once');
    await stage.discord.until('the lost answers', () => stage.discord.journal.to(create).length === 3);
    openAnswer.live.append(' upon a time');
    let over = false;
    const end = openAnswer.end().finally(() => {
      over = true;
    });
    while (!over) {
      await botClock.advance(100);
      await stage.discord.until('a turn', () => true);
    }
    await end;
    const answers = stage.ofBot();
    expect(answers.map(({ content }) => content)).toEqual(['Once upon a time']);
    expect(labels(answers[0])).toEqual(['Again done']);
    expect(stage.discord.journal.to(create)).toHaveLength(4);
  });

  describe.each(['works', 'refused'] as const)(
    'where a message that is read has its nonce: %s',
    (reading) => {
      const long = 'Once upon a time. '.repeat(150);
      it.each([
        ['mention', 'first', 'Once'],
        ['mention', 'second', long],
        ['command', 'second', long],
      ] as const)(
        'stands there once where Discord took its post (%s, %s message), then nothing for minutes, and forgot the nonce',
        async (how, which, words) => {
          const [clock, botClock] = [new FakeClock(Date.now()), new FakeClock(Date.now())];
          const stage = await startStage({ commands, clock, botClock, readings: { nonceOnRead: reading } });
          const { discord, channel, ada } = stage;
          const create = 'POST /channels/{channel_id}/messages';
          const sent = () => discord.journal.to(create).length;
          const tries = () => stage.logged.filter((line) => line.includes('could not be written yet'));
          const inVain = () => tries().length;
          const ours = () => stage.ofBot().filter(({ content }) => content !== '');
          const passUntil = async (isOver: () => boolean) => {
            while (!isOver()) await botClock.advance(50);
          };
          if (how === 'mention') ada.mentions(channel, 'wait');
          else ada.types(channel, { name: 'ask', options: { prompt: 'wait' } });
          const openAnswer = await discord.until('the stream', () => openAnswers[0]);
          if (which === 'second') {
            openAnswer.live.append(words.slice(0, 1_000));
            await passUntil(() => ours().length === 1);
          }
          discord.faults.next(create, { kind: 'close-after' }, 3);
          discord.faults.next(create, { kind: 'page', status: 503 }, 1_000);
          openAnswer.live.append(which === 'second' ? words.slice(1_000) : words);
          await passUntil(() => inVain() === 1);
          await clock.advance(8 * 60_000);
          openAnswer.live.append(' And more');
          // Every try comes after twice the time, a minute at most.
          for (let tried = 1; tried < 8; tried++) {
            await discord.until('a try in vain', () => inVain() === tried);
            const before = sent();
            await botClock.advance(Math.min(60_000, 1_000 * 2 ** (tried - 1)));
            if (tried < 7) await passUntil(() => sent() > before);
          }
          while (discord.faults.take(create));
          let isOver = false;
          const end = openAnswer.end().finally(() => {
            isOver = true;
          });
          await passUntil(() => isOver);
          await end;
          expect(ours()).toHaveLength(which === 'second' ? 2 : 1);
          expect(ours().flatMap(labels)).toEqual(['Again done']);
          expect(ours().at(-1)?.content).toContain('And more');
          expect(tries().filter((line) => line.includes('"level":40'))).toHaveLength(1);
        },
      );
    },
  );

  it.each(['works', 'refused'] as const)(
    'goes on in its channel where its first words were deleted before they were known to be there (with their nonce: %s)',
    async (reading) => {
      const botClock = new FakeClock();
      const stage = await startStage({ commands, botClock, readings: { nonceOfDeleted: reading } });
      const create = 'POST /channels/{channel_id}/messages';
      stage.discord.faults.next(create, { kind: 'close-after' }, 3);
      stage.ada.mentions(stage.channel, 'wait');
      const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
      openAnswer.live.append('Once');
      const inVain = () => stage.logged.some((line) => line.includes('could not be written yet'));
      while (!inVain()) await botClock.advance(50);
      const ours = () => stage.ofBot().filter(({ content }) => content !== '');
      for (const message of ours()) stage.ada.deletes(message);
      let isOver = false;
      const end = openAnswer.end().finally(() => {
        isOver = true;
      });
      while (!isOver) await botClock.advance(50);
      await end;
      expect(ours().map(({ content }) => content)).toEqual(['Once']);
      expect(ours().flatMap(labels)).toEqual(['Again done']);
    },
  );

  it('takes at most six messages in a channel, the rest is a file below; in threads it goes on', async () => {
    const stage = await startStage({ commands });
    const thread = stage.discord.threads.openPrivate(stage.channel, stage.ada.user.id, 'Talk');
    const text = longAnswer(30_000);
    for (const [index, place] of [stage.channel, thread].entries()) {
      stage.ada.types(place, { name: 'ask', options: { prompt: 'wait' } });
      const openAnswer = await stage.discord.until('the stream', () => openAnswers[index]);
      openAnswer.live.append(text);
      await openAnswer.end();
    }
    const inChannel = shown(stage);
    expect(inChannel).toHaveLength(7);
    expect(inChannel.map(({ files }) => files.length)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    expect(inChannel[6]?.content).toBe('-# The whole answer is in this file.');
    expect(Buffer.from(stage.discord.fileBytes(inChannel[6]!.files[0]!.url)!).toString()).toBe(text);
    expect(inChannel.flatMap(labels)).toEqual(['Again done']);
    expect(labels(inChannel[5])).toEqual(['Again done']);
    expect(stage.discord.messagesIn(thread).length).toBeGreaterThan(15);
  });

  it('writes 20,000 characters over several messages, complete, each rendering on its own, without a 429', async () => {
    const stage = await startStage({ commands });
    stage.ada.types(stage.ada.direct(), { name: 'ask', options: { prompt: 'wait' } });
    const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
    const text = longAnswer(20_000);
    for (let at = 0; at < text.length; at += 40) openAnswer.live.append(text.slice(at, at + 40));
    await openAnswer.end();
    const messages = stage.discord.messagesIn(stage.ada.direct());
    const [file] = messages.flatMap((message) => message.files);
    expect(Buffer.from(stage.discord.fileBytes(file!.url)!).toString()).toBe(text);
    const texts = messages.filter(({ files }) => files.length === 0).map(({ content }) => content);
    const words = (one: string) => one.match(/[\p{L}\p{N}]+/gu) ?? [];
    const arrived = new Set(texts.flatMap(words));
    expect(words(text).filter((word) => !arrived.has(word))).toEqual([]);
    expect(texts.join('').length).toBeGreaterThan(text.length * 0.98);
    expect(texts.at(-1)?.endsWith('TheEnd')).toBe(true);
    expect(texts.every((one) => one.length <= 2000)).toBe(true);
    for (const one of texts) expect((one.match(/^```/gm) ?? []).length % 2).toBe(0);
    expect(stage.discord.rateLimits.limited).toBe(0);
  });

  it('is complete if files aren’t allowed: only the attached file is left out', async () => {
    const stage = await startStage({ commands });
    stage.forbid(PermissionFlagsBits.AttachFiles);
    const openAnswer = await begun(stage);
    openAnswer.live.append(longAnswer(14_000));
    await openAnswer.end();
    const messages = shown(stage);
    expect(messages.length).toBeGreaterThan(6);
    expect(messages.flatMap((message) => message.files)).toEqual([]);
    expect(messages.at(-1)?.content.endsWith('TheEnd')).toBe(true);
    expect(labels(messages.at(-1))).toEqual(['Again done']);
  });

  it('pings nobody and previews no link, on any edit', async () => {
    const stage = await startStage({ commands });
    const openAnswer = await begun(stage);
    openAnswer.live.append(`@everyone <@${stage.bob.user.id}> see https://example.org/leak`);
    await stage.discord.until('the words', () => shown(stage)[0]);
    openAnswer.live.append(' and more');
    await openAnswer.end();
    const [answer] = shown(stage);
    for (const state of [answer!, ...answer!.history]) {
      expect([state.mentions, state.mentionEveryone, state.unfurled]).toEqual([[], false, []]);
    }
  });

  it('counts each message in its own rate bucket and reads the limit from the headers', async () => {
    const stage = await startStage({
      commands,
      buckets: {
        'message-edit': { limit: 1, windowMilliseconds: 60 },
        webhook: { limit: 1, windowMilliseconds: 60 },
        'message-create': { limit: 1, windowMilliseconds: 60 },
      },
    });
    for (const person of [stage.ada, stage.bob]) person.mentions(stage.channel, 'wait');
    await stage.discord.until('both', () => openAnswers.length === 2);
    for (let word = 0; word < 30; word++) {
      for (const { live } of openAnswers) live.append(`word${word} `);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(openAnswers.map((openAnswer) => openAnswer.end()));
    expect(shown(stage).filter((m) => m.content.endsWith('word29'))).toHaveLength(2);
    // Until the first answer nobody can know how narrow a bucket is.
    expect(stage.discord.rateLimits.limited).toBeLessThanOrEqual(2);
  });

  it('changes from the token to the bot before the token expires', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock });
    const openAnswer = await begun(stage);
    openAnswer.live.append('Early');
    await clock.advance(1);
    await stage.discord.until('the first words', () => shown(stage)[0]?.content === 'Early');
    await clock.advance(14 * 60_000 + 1);
    openAnswer.live.append(' late');
    await clock.advance(10_000);
    await stage.discord.until('the late words', () => shown(stage)[0]?.content === 'Early late');
    const ended = openAnswer.end();
    await clock.advance(10_000);
    await ended;
    expect(stage.discord.journal.to(edit).length).toBeGreaterThan(0);
    expect(stage.discord.journal.requests.filter((request) => request.status >= 400)).toEqual([]);
  });

  it('doesn’t try a token again that Discord doesn’t know any more', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock });
    const openAnswer = await begun(stage);
    const byToken = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}';
    const refused = { kind: 'refuse', refusal: refusals.invalidWebhookToken() } as const;
    openAnswer.live.append('0');
    await clock.advance(1);
    await stage.discord.until('the first words', () => shown(stage)[0]?.content === '0');
    stage.discord.faults.next(byToken, refused, 99);
    stage.discord.faults.next(byToken.replace('{message_id}', '@original'), refused, 99);
    for (const words of ['01', '012', '0123']) {
      openAnswer.live.append(words.slice(-1));
      await clock.advance(10_000);
      await stage.discord.until(words, () => shown(stage)[0]?.content === words);
    }
    const ended = openAnswer.end();
    await clock.advance(10_000);
    await ended;
    expect(stage.discord.journal.requests.filter(({ status }) => status >= 400)).toHaveLength(1);
  });

  it('ends in time and says so where the bot isn’t a member', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock, before: withoutBot });
    const openAnswer = await begun(stage);
    openAnswer.live.append('Early');
    await clock.advance(1);
    await stage.discord.until('the first words', () => shown(stage)[0]?.content === 'Early');
    await clock.advance(14 * 60_000 - 29_000);
    await stage.discord.until('the end', () => shown(stage)[0]?.content.includes('15 minutes'));
    expect(labels(shown(stage)[0])).toEqual(['Again failed']);
    openAnswer.live.append(' late');
    // What was written after that isn't lost: the whole answer is delivered in another way.
    await expect(openAnswer.end()).rejects.toMatchObject({ kind: 'expired' });
    expect(openAnswer.live.text).toBe('Early late');
  });

  it('that’s found bad after it ended in time is known to stand there still', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock, before: withoutBot });
    const openAnswer = await begun(stage);
    openAnswer.live.append('Early');
    await clock.advance(14 * 60_000 - 29_000);
    await stage.discord.until('the end', () => shown(stage)[0]?.content.includes('15 minutes'));
    const ending = { kind: 'failed', note: 'Not shown.', instead: true } as const;
    await expect(openAnswer.live.finish(ending)).rejects.toMatchObject({ kind: 'expired' });
  });

  it('keeps to five follow-ups where the bot isn’t a member: the rest comes as a file', async () => {
    const stage = await startStage({ commands, before: withoutBot });
    const openAnswer = await begun(stage);
    const text = longAnswer(20_000);
    openAnswer.live.append(text);
    await openAnswer.end();
    const messages = shown(stage);
    const [file] = messages.flatMap((message) => message.files);
    expect(Buffer.from(stage.discord.fileBytes(file!.url)!).toString()).toBe(text);
    expect(stage.discord.journal.to(followUp).every((request) => request.status === 200)).toBe(true);
    expect(stage.discord.journal.requests.filter((request) => request.status === 403)).toEqual([]);
  });

  it('is written by the token if the bot can’t post itself', async () => {
    const stage = await startStage({ commands });
    // Its members can: who may only read a channel is answered alone.
    const { id } = stage.discord.world.bot;
    const deny = PermissionFlagsBits.SendMessages;
    stage.channel.overwrites.push({ id, type: 'member', allow: 0n, deny });
    const openAnswer = await begun(stage);
    openAnswer.live.append(longAnswer(5000));
    await openAnswer.end();
    expect(shown(stage).length).toBeGreaterThan(2);
    expect(stage.discord.journal.to(followUp).length).toBeGreaterThan(1);
  });

  it('continues in its channel after a whisper that had to be a direct message', async () => {
    const told = defineCommand<typeof streamingAsk.options>({
      ...streamingAsk,
      async run(invocation, parts) {
        await invocation.reply.whisper({ text: 'Wait a little' });
        await streamingAsk.run(invocation, parts);
      },
    });
    const stage = await startStage({ commands: [told], readings: { followUpAfterRemoval: 'refused' } });
    const openAnswer = await begun(stage);
    openAnswer.live.append('First');
    await stage.discord.until('the first words', () => shown(stage)[0]?.content.endsWith('First'));
    openAnswer.live.append(' and last');
    await openAnswer.end();
    expect(shown(stage)).toHaveLength(1);
    expect(shown(stage)[0]?.content).toMatch(/First and last$/);
    expect(labels(shown(stage)[0])).toEqual(['Again done']);
    expect(stage.discord.messagesIn(stage.ada.direct())).toHaveLength(1);
  });

  it('takes the place of no note that is on its way to its one reader', async () => {
    let isDone = false;
    const noted = defineCommand<typeof streamingAsk.options>({
      ...streamingAsk,
      seenBy: 'requester',
      async run({ reply }) {
        await Promise.all([reply.whisper({ text: 'A note.' }), reply.say({ text: 'The answer.' })]);
        isDone = true;
      },
    });
    const stage = await startStage({ commands: [noted] });
    stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'question' } });
    await stage.discord.until('both', () => isDone);
    const aside = stage.discord.aside(stage.channel, stage.ada);
    expect(aside.map(({ content }) => content)).toEqual(['A note.', 'The answer.']);
  });

  it('continues after an outage of Discord', async () => {
    const stage = await startStage({ commands });
    const openAnswer = await begun(stage);
    openAnswer.live.append('Early');
    await stage.discord.until('the first words', () => shown(stage)[0]?.content === 'Early');
    const patch = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
    stage.discord.faults.next(patch, { kind: 'error', status: 503 }, 2);
    stage.discord.faults.next(patch, { kind: 'close' });
    openAnswer.live.append(' and late');
    await openAnswer.end();
    expect(shown(stage).map((m) => m.content)).toEqual(['Early and late']);
    expect((shown(stage)[0]?.flags ?? 0) & MessageFlags.SuppressEmbeds).toBe(MessageFlags.SuppressEmbeds);
  });
});
