import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Interaction } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { longAnswer } from '../support/long-answer.ts';
import { labelsOf, type Stage, type StageOptions, startStage } from '../support/stage.ts';

const ask = { ...streamingAsk, textOption: 'prompt' };
const files = { ...echo, textOption: 'text', postsFiles: 'voice' } as const;

const open = (options: Partial<StageOptions> = {}) => startStage({ commands: [ask, files], ...options });
const shown = (stage: Stage) => stage.ofBot().filter(({ content }) => content !== '');
const asks = (stage: Stage, prompt: string) =>
  stage.ada.types(stage.channel, { name: 'ask', options: { prompt } });
const first = (stage: Stage) => stage.discord.until('a message', () => shown(stage)[0]);

describe('the line above an answer on Discord', () => {
  it('says who asked what, while the answer grows and after its end', async () => {
    const stage = await open();
    asks(stage, 'What are\n\ntides?');
    const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
    openAnswer.live.append('The moon');
    const answer = await first(stage);
    expect(answer.content).toBe('> **ada**: What are tides?\nThe moon');
    openAnswer.live.append(' pulls.');
    await openAnswer.end();
    expect(answer.content).toBe('> **ada**: What are tides?\nThe moon pulls.');
  });

  it('leaves addresses as they are, and nothing else of Markdown', async () => {
    const stage = await open();
    const address = 'https://en.wikipedia.org/wiki/Ada_Lovelace_(film)';
    asks(stage, `say *she* ${address} https://a[b](https://c_d`);
    expect((await first(stage)).content.split('\n')[0]).toBe(
      `> **ada**: say \\*she\\* ${address} https://a\\[b\\]\\(https://c_d`,
    );
  });

  it('is punctuated as Chinese is for those who read it', async () => {
    const stage = await open();
    stage.ada.user.locale = Locale.ChineseCN;
    asks(stage, 'say 潮汐是什么？');
    expect((await first(stage)).content).toBe('> **ada**：say 潮汐是什么？\n潮汐是什么？');
  });

  it('pings nobody, formats and links nothing, and is short', async () => {
    const stage = await open();
    const hostile = `say @everyone <@${stage.bob.user.id}> **bold** \`code\` [a](https://example.org) ||x|| ${'long '.repeat(99)}`;
    asks(stage, hostile);
    const answer = await first(stage);
    expect([answer.mentions, answer.mentionEveryone, answer.unfurled]).toEqual([[], false, []]);
    const [line = ''] = answer.content.split('\n');
    expect(line).toContain('\\*\\*bold\\*\\* \\`code\\` \\[a\\]');
    expect(line.length).toBeLessThan(250);
    expect(line.endsWith('…')).toBe(true);
  });

  it('fits in 2,000 characters: a long answer is complete, and has it once', async () => {
    const stage = await open();
    asks(stage, 'long '.repeat(60));
    const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
    const text = longAnswer(9_000);
    openAnswer.live.append(text);
    await openAnswer.end();
    const contents = shown(stage).map(({ content }) => content);
    expect(contents.length).toBeGreaterThan(4);
    expect(contents.filter((content) => content.includes('**ada**'))).toEqual([contents[0]]);
    expect(contents.at(-1)?.includes('TheEnd')).toBe(true);
    expect(stage.discord.journal.requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  it('stays after a later edit, even after a restart, and isn’t part of the recorded text', async () => {
    const stage = await open();
    asks(stage, 'say hello');
    const answer = await first(stage);
    await stage.discord.until('the record', () => openAnswers[0]?.progress[0]);
    expect(openAnswers[0]?.progress.at(-1)?.lastText).toBe('hello');
    await stage.restart();
    await stage.platform.adapter.edit({ ...stage.place, message: answer.id }, { text: 'changed' });
    expect(answer.content).toBe('> **ada**: say hello\nchanged');
    await stage.platform.adapter.complete({ ...stage.place, message: answer.id }, { text: 'whole' }, 'key');
    expect(answer.content).toBe('> **ada**: say hello\nwhole');
  });

  it('is left out where Discord shows the prompt: a command that repeats it, and a reply to a mention', async () => {
    const stage = await open();
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    expect((await first(stage)).content).toBe('ada: hello');
    stage.ada.mentions(stage.channel, 'say by mention');
    await stage.discord.until('the answer', () =>
      shown(stage).find(({ content }) => content === 'by mention'),
    );
  });

  it('says who confirmed a command, and what it was', async () => {
    const stage = await open({ question: 'This is dear. Go on?' });
    const yes = async (typed: Interaction) => {
      const question = await stage.discord.until('the question', () =>
        stage.discord
          .messagesIn(stage.channel, { ephemeral: true })
          .find((m) => m.interactionId === typed.id && m.content.startsWith('This is dear')),
      );
      stage.ada.presses(question, labelsOf(question)[0] ?? '');
    };
    await yes(stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } }));
    expect((await first(stage)).content).toBe('> **ada** · /echo\nada: hello');
    await yes(asks(stage, 'say dear'));
    await stage.discord.until('the answer', () =>
      shown(stage).find(({ content }) => content === '> **ada**: say dear\ndear'),
    );
  });
});
