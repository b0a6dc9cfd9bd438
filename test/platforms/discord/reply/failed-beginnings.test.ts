import { PermissionFlagsBits } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it } from 'vitest';
import ask from '../../../../commands/ask.ts';
import imagine from '../../../../commands/imagine.ts';
import speak from '../../../../commands/speak.ts';
import video from '../../../../commands/video.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { takeAway } from '../../../fakes/database.ts';
import type { Fault, Message } from '../../../fakes/discord/index.ts';
import { recover } from '../../recover.ts';
import { type BegunInVain, begunInVain, failing, why } from '../support/begun-in-vain.ts';
import { labelsOf, type Stage, type StageOptions, startStage, withoutPermission } from '../support/stage.ts';

const told = `⚠️ ${why}`;
const below = `> a cat\n\`2k\`\n${told}`;
const originalEdit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';

let begun: BegunInVain;
beforeEach(() => {
  begun = begunInVain();
});

const open = (options: Partial<StageOptions> = {}) => startStage({ commands: [begun.command], ...options });

/** What the bot has said in the channel and nobody deleted, to one person alone too. */
const ofBot = (stage: Stage) =>
  stage.ofBot(stage.channel, { ephemeral: true }).filter(({ content }) => content !== '');
const isTold = (stage: Stage) =>
  stage.discord.until('the reason', () => ofBot(stage).find(({ content }) => content.includes(told)));
const typed = (stage: Stage, more: object = {}) =>
  stage.ada.types(stage.channel, { name: 'imagine', options: { prompt: 'a cat' }, ...more });

/** Types `/imagine a cat`, and waits for what is announced. */
async function announced(stage: Stage, more: object = {}): Promise<Message> {
  typed(stage, more);
  await begun.said();
  return ofBot(stage)[0]!;
}

describe('what was announced and can’t be begun', () => {
  it('shows why in its place: a button, with who pressed it', async () => {
    const stage = await open();
    await announced(stage);
    begun.fail();
    const first = await isTold(stage);
    stage.bob.presses(first, 'Try again');
    await begun.said();
    const [, second] = ofBot(stage);
    expect(second?.content).toBe('> **bob** · /imagine\n> a cat\n`2k`\nDrawing…');
    begun.fail();
    await stage.discord.until('the second reason', () => second?.content.includes(told));
    expect(second?.content).toBe(`> **bob** · /imagine\n${below}`);
    expect(ofBot(stage)).toHaveLength(2);
  });

  it('shows why in its place: a mention', async () => {
    const stage = await open();
    const asked = stage.ada.mentions(stage.channel, 'imagine a cat');
    await begun.said();
    begun.fail();
    await isTold(stage);
    expect(ofBot(stage)).toMatchObject([{ content: below, replyTo: asked.id }]);
  });

  it('shows why in its place: the menu of a message', async () => {
    const stage = await open();
    const message = stage.bob.writes(stage.channel, 'a cat');
    stage.ada.submits(await stage.discord.opened(stage.ada.picks(message, 'Imagine this')), {});
    await begun.said();
    begun.fail();
    const { content } = await isTold(stage);
    expect(content).toMatch(/^> \*\*ada\*\* .*about bob’s message/);
    expect(content.endsWith(below)).toBe(true);
    expect(ofBot(stage)).toHaveLength(1);
  });

  it('shows why in its place: to its person alone', async () => {
    const stage = await open();
    const message = await announced(stage, { options: { prompt: 'a cat', private: true } });
    begun.fail();
    await isTold(stage);
    expect(ofBot(stage)).toEqual([message]);
    expect(message).toMatchObject({ content: below, onlyFor: stage.ada.user.id });
  });

  it('and was deleted, is told its person alone', async () => {
    const stage = await open();
    stage.bob.deletes(await announced(stage));
    begun.fail();
    await isTold(stage);
    expect(ofBot(stage)).toMatchObject([{ content: told, onlyFor: stage.ada.user.id }]);
    expect(labelsOf(ofBot(stage)[0]!)).toEqual(['Try again']);
  });

  it('and was deleted, is told its person directly after a mention', async () => {
    const stage = await open();
    stage.ada.mentions(stage.channel, 'imagine a cat');
    await begun.said();
    stage.bob.deletes(ofBot(stage)[0]!);
    begun.fail();
    await stage.discord.until('the reason', () =>
      stage.discord.messagesIn(stage.ada.direct()).some(({ content }) => content.includes(told)),
    );
    expect(ofBot(stage)).toEqual([]);
  });

  it('shows why in its place when the token is over, and directly where only that reached it', async () => {
    const clock = new FakeClock();
    const stage = await open({ clock });
    const message = await announced(stage);
    await announced(stage, { options: { prompt: 'a dog', private: true } });
    clock.step(16 * 60_000);
    begun.fail();
    await stage.discord.until('the reason', () => message.content === below);
    const direct = await stage.discord.until('the direct message', () =>
      stage.discord.messagesIn(stage.ada.direct()).find(({ content }) => content.includes(told)),
    );
    expect(direct.content).toContain('a dog');
    expect(stage.discord.messagesIn(stage.channel)).toHaveLength(1);
  });

  it.each<[string, Fault | undefined, number]>([
    ['edits', undefined, 0],
    ['asks to slow down', { kind: 'rate-limit', seconds: 0.2, scope: 'user' }, 3],
    ['fails for a moment', { kind: 'error', status: 502 }, 2],
    ['edits, and its response is lost', { kind: 'error-after', status: 504 }, 2],
    ['edits, and the connection closes', { kind: 'close-after' }, 1],
  ])('shows why in its place, once: a command, where Discord %s', async (_, fault, times) => {
    const stage = await open();
    const message = await announced(stage);
    if (fault) stage.discord.faults.next(originalEdit, fault, times);
    begun.fail();
    await isTold(stage);
    expect(ofBot(stage)).toEqual([message]);
    expect(message.content).toBe(below);
    expect(labelsOf(message)).toEqual(['Try again']);
  });

  it('shows why while the database is away', async () => {
    const stage = await open();
    const message = await announced(stage);
    const back = await takeAway(stage.database, 'keyv');
    begun.fail();
    await isTold(stage);
    await back();
    expect(ofBot(stage)).toEqual([message]);
    expect(message.content).toBe(below);
  });

  it('is one message for whoever takes over what its process left', async () => {
    const stage = await open();
    const message = await announced(stage);
    // As often as it's tried.
    stage.discord.faults.next(originalEdit, { kind: 'close' }, 3);
    begun.fail();
    await stage.discord.until('the tries', () => stage.discord.faults.left(originalEdit) === 0);
    await recover(stage.database, stage.platform.adapter, [begun.command]);
    expect(ofBot(stage)).toEqual([message]);
    expect(message.content).toContain('⚠️');
    expect(message.content).toContain('a cat');
  });
});

describe('a talent that fails before it has said anything', () => {
  const talents = [ask, speak, imagine, video].map((talent) => [talent.name, talent] as const);
  const options = (name: string) => ({ [name === 'speak' ? 'text' : 'prompt']: 'good morning' });

  it.each(talents)('says who asked what: /%s', async (name, talent) => {
    const stage = await startStage({ commands: [failing(talent)] });
    stage.ada.types(stage.channel, { name, options: options(name) });
    const first = await isTold(stage);
    expect(first.content).toBe(`> **ada**: good morning\n${told}`);
    stage.bob.presses(first, 'Try again');
    await stage.discord.until('the second reason', () => ofBot(stage).length === 2);
    expect(ofBot(stage)[1]?.content).toBe(`> **bob** · /${name}: good morning\n${told}`);
  });

  it('names nobody to themself', async () => {
    const stage = await startStage({ commands: [failing(imagine)] });
    typed(stage, { options: { prompt: '# a cat @everyone\n- *x*', private: true } });
    const { content, onlyFor } = await isTold(stage);
    expect(onlyFor).toBe(stage.ada.user.id);
    expect(content).toBe(`> /imagine: # a cat @everyone - \\*x\\*\n${told}`);
  });

  it('says so after a mention where it can’t reply to it', async () => {
    const stage = await startStage({
      commands: [failing(imagine)],
      before: withoutPermission(PermissionFlagsBits.ReadMessageHistory),
    });
    stage.ada.mentions(stage.channel, 'imagine a cat');
    expect((await isTold(stage)).content).toBe(`> **ada** · /imagine: a cat\n${told}`);
  });

  it('repeats nothing above a reply to the message that asked', async () => {
    const stage = await startStage({ commands: [failing(imagine)] });
    const asked = stage.ada.mentions(stage.channel, 'imagine a cat');
    expect(await isTold(stage)).toMatchObject({ content: told, replyTo: asked.id });
  });
});
