import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { outgoingOf } from '../../../../src/deliveries/late-delivery.ts';
import {
  actionId,
  climb,
  type Job,
  type Message,
  type MessageAddress,
  persistently,
} from '../../../../src/port/index.ts';
import { createJobs, createLiveAnswers } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { recover } from '../../recover.ts';
import { DeliveredClip } from '../support/delivered-clip.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { longAnswer } from '../support/long-answer.ts';
import { labelsOf, type Stage, type StageOptions, startStage } from '../support/stage.ts';

const ask = { ...streamingAsk, textOption: 'prompt' } as typeof streamingAsk;
const prompt = `Tell me everything about tides ${'and the moon '.repeat(6)}`;

const shown = (stage: Stage) => stage.ofBot().filter(({ content }) => content !== '');
/** What people read of the answer, less the line above it. */
const read = (stage: Stage) => {
  const [first = '', ...more] = shown(stage).map(({ content }) => content);
  return [first.slice(first.indexOf('\n') + 1), ...more].join(' ').replace(/\s+/g, ' ');
};
const bare = (text: string) => text.replace(/[\s`>|-]+/g, '');

/** An answer that has begun. */
async function begun(options: Partial<StageOptions> = {}) {
  const stage = await startStage({ commands: [ask], ...options });
  stage.ada.types(stage.channel, { name: 'ask', options: { prompt } });
  const openAnswer = await stage.discord.until('the stream', () => openAnswers[0]);
  const job = (await createJobs(stage.database).unfinished())[0] as Job;
  return { stage, openAnswer, job };
}

/** One whose first part is posted, and whose end is missing. */
async function grown(text: string) {
  const { stage, openAnswer, job } = await begun();
  openAnswer.live.append(text);
  const progress = await stage.discord.until('the words', () => {
    const last = openAnswer.progress.at(-1);
    return last && bare(text).endsWith(bare(last.lastText).slice(-40)) ? last : undefined;
  });
  return { stage, job, openAnswer, progress };
}

const outgoing = (job: Job, stage: Stage, message: Message, shown: readonly MessageAddress[]) =>
  outgoingOf({
    ...{ job, pending: { message, shown }, say: words('en'), convert: async () => undefined },
    adapter: () => stage.platform.adapter,
  });

describe('an answer with a header, continued later', () => {
  it.each([1, 3])('continues exactly where it stopped, in message %i', async (messages) => {
    const whole = Array.from({ length: 1300 }, (_, index) => `word${index}`).join(' ');
    const { stage, job, progress } = await grown(whole.slice(0, messages * 1700));
    expect(progress.messages).toHaveLength(messages);
    await climb(outgoing(job, stage, { text: whole }, progress.messages));
    expect(shown(stage)[0]?.content.startsWith('> **ada**')).toBe(true);
    expect(read(stage)).toBe(whole);
    expect(shown(stage).every(({ content }) => content.length <= 2000)).toBe(true);
  });

  it('goes to its person alone if somebody deleted its last message', async () => {
    const whole = longAnswer(5000);
    const { stage, job, progress } = await grown(whole.slice(0, 3000));
    stage.ada.deletes(shown(stage)[1]!);
    await climb(outgoing(job, stage, { text: whole }, progress.messages));
    expect(shown(stage)).toHaveLength(1);
    const alone = stage.discord
      .messagesIn(stage.channel, { ephemeral: true })
      .filter(({ onlyFor }) => onlyFor === stage.ada.user.id);
    expect(bare(alone.map(({ content }) => content).join('\n'))).toBe(bare(whole));
  });
});

describe('a long text in a channel', () => {
  const whole = `${longAnswer(20_000)}\n\nShared by ada`;
  const message: Message = {
    text: whole,
    note: 'Shared by ada',
    buttons: [{ id: 'ask.remove:j', label: 'Delete' }],
  };
  const post = async (stage: Stage) => {
    const noted: MessageAddress[] = [];
    const { platform } = stage;
    const at = await platform.adapter.post(
      stage.place,
      message,
      'key',
      async (each) => void noted.push(each),
    );
    const ids = shown(stage).map(({ id }) => id);
    expect([...(at.parts ?? []), at.message]).toEqual(ids);
    expect(new Set(noted.map((each) => each.message))).toEqual(new Set(ids));
    return shown(stage);
  };
  const fileOf = ({ files }: { readonly files: readonly { readonly bytes: Uint8Array }[] }) =>
    Buffer.from(files[0]?.bytes ?? []).toString();

  it('is six messages, its whole a file at the last one, and all of them are told', async () => {
    const posted = await post(await startStage({ commands: [ask] }));
    expect(posted).toHaveLength(6);
    expect(posted.map(({ components }) => components.length)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(posted.at(-1)?.content.endsWith('Shared by ada')).toBe(true);
    expect(posted.flatMap(({ files }) => files)).toHaveLength(1);
    expect(fileOf(posted.at(-1)!)).toBe(whole);
  });

  it('comes whole as messages where files are forbidden', async () => {
    const stage = await startStage({ commands: [ask] });
    stage.forbid(PermissionFlagsBits.AttachFiles);
    const posted = await post(stage);
    expect(bare(posted.map(({ content }) => content).join(''))).toContain('TheEnd');
    expect(posted.length).toBeGreaterThan(6);
    expect(posted.at(-1)?.components).toHaveLength(1);
  });

  it('comes whole there too if the process dies at its sixth message', async () => {
    const stage = await startStage({ commands: [ask] });
    stage.forbid(PermissionFlagsBits.AttachFiles);
    const dies = async () => {
      if (shown(stage).length === 6) throw new Error('dies');
    };
    await expect(stage.platform.adapter.post(stage.place, message, 'key', dies)).rejects.toThrow('dies');
    await stage.restart();
    const at = await stage.platform.adapter.post(stage.place, message, 'key');
    const posted = shown(stage);
    expect([...(at.parts ?? []), at.message]).toEqual(posted.map(({ id }) => id));
    expect(bare(posted.map(({ content }) => content).join(''))).toContain('TheEnd');
    expect(new Set(posted.map(({ content }) => content)).size).toBe(posted.length);
    expect(posted.at(-1)?.components).toHaveLength(1);
  });

  it('that has begun goes on to its sixth message, and its whole is a file below', async () => {
    const { stage, job, progress } = await grown(whole.slice(0, 3_000));
    const { at } = await climb(outgoing(job, stage, message, progress.messages));
    const [file, ...more] = stage.discord
      .messagesIn(stage.channel)
      .filter(({ content, files }) => content === '' && files.length > 0);
    expect(shown(stage)).toHaveLength(6);
    expect(more).toEqual([]);
    expect(fileOf(file!)).toBe(whole);
    const known = [...progress.messages.map((each) => each.message), ...(at.parts ?? []), at.message];
    expect(new Set(known)).toEqual(new Set([...shown(stage).map(({ id }) => id), file?.id]));
  });

  it('that has begun comes whole as messages where files are forbidden, all of it around its note', async () => {
    const words = Array.from({ length: 2_200 }, (_, index) => `tides${index}`);
    const text = words.join(' ');
    const { stage, job, progress } = await grown(text.slice(0, 3_000));
    stage.forbid(PermissionFlagsBits.AttachFiles);
    const noted = { text: `${text}\n\nShared by ada`, note: 'Shared by ada' };
    await climb(outgoing(job, stage, noted, progress.messages));
    const said = shown(stage).map(({ content }) => content);
    expect(said[5]?.endsWith('Shared by ada')).toBe(true);
    expect(said.join(' ').match(/tides\d+/g)).toEqual(words);
  });
});

describe('an answer whose process was stopped before it knew of its last message', () => {
  const whole = Array.from({ length: 700 }, (_, index) => `word${index}`).join(' ');
  const message = (job: Job) => ({
    text: whole,
    buttons: [{ id: actionId('ask', 'regenerate', job.id), label: 'Again' }],
  });
  /** The next process goes on below the first message, which is all that's on record. */
  async function goesOn(stage: Stage, job: Job, first: MessageAddress) {
    const lastText = shown(stage)[0]?.content ?? '';
    const clip = new DeliveredClip(new FakeClock());
    const deliveries = await clip.on(stage);
    await deliveries.deliverFinished(job, message(job), { messages: [first], lastText });
    await stage.discord.until('the delivery', () => deliveries.outstanding === 0);
  }
  const labels = (stage: Stage) => shown(stage).flatMap(labelsOf);

  it('continues in that one', async () => {
    const { stage, job, progress } = await grown(whole.slice(0, 3000));
    expect(progress.messages).toHaveLength(2);
    await stage.restart();
    await goesOn(stage, job, progress.messages[0]!);
    expect(read(stage)).toBe(whole);
    expect(labels(stage)).toEqual(['Again']);
  });

  it('continues in that one, though its process died before it noted how long its messages are', async () => {
    const { stage, job, progress } = await grown(whole.slice(0, 3000));
    await stage.restart();
    const [first, last] = progress.messages;
    await stage.database.deleteFrom('keyv').where('key', 'like', `%${last!.message}%`).execute();
    await goesOn(stage, job, first!);
    expect(read(stage)).toBe(whole);
    expect(labels(stage)).toEqual(['Again']);
  });

  it('doesn’t mistake a message of an earlier delivery for it', async () => {
    const { stage, job, progress } = await grown(whole.slice(0, 1000));
    await stage.restart();
    for (let times = 0; times < 2; times++) await goesOn(stage, job, progress.messages[0]!);
    expect(shown(stage)).toHaveLength(3);
    expect(read(stage)).toBe(whole);
    expect(labels(stage)).toEqual(['Again']);
  });
});

describe('if the bot can’t post any more', () => {
  const troubles = { note: () => {}, clear: () => {}, notReady: () => undefined } as never;
  const broughtIn = (job: Job, stage: Stage, message: Message, shown: readonly MessageAddress[] = []) =>
    climb(
      outgoing(job, stage, message, shown),
      persistently({
        work: 'test',
        clock: new FakeClock(),
        signal: new AbortController().signal,
        troubles,
        log: { warn: () => {} },
      }),
    );
  const directly = (stage: Stage) => stage.discord.messagesIn(stage.ada.direct());

  it('an answer comes by the stored token and replaces the loading message', async () => {
    const { stage, job } = await begun();
    stage.forbid(PermissionFlagsBits.SendMessages);
    await broughtIn(job, stage, { text: 'The tides' });
    expect(shown(stage).map(({ content }) => content)).toEqual(['The tides']);
    expect(directly(stage)).toEqual([]);
  });

  it('the rest of an answer follows what is there', async () => {
    const whole = Array.from({ length: 700 }, (_, index) => `word${index}`).join(' ');
    const { stage, job, progress } = await grown(whole.slice(0, 1700));
    stage.forbid(PermissionFlagsBits.SendMessages);
    await broughtIn(job, stage, { text: whole }, progress.messages);
    expect(read(stage)).toBe(whole);
    expect(directly(stage)).toEqual([]);
  });

  it('and the token may have failed, all of it comes in direct messages', async () => {
    const whole = Array.from({ length: 700 }, (_, index) => `word${index}`).join(' ');
    const { stage, job } = await begun();
    stage.forbid(PermissionFlagsBits.SendMessages);
    // It may not be sent again: Discord would not recognise it.
    stage.discord.faults.next('POST /webhooks/{webhook_id}/{webhook_token}', { kind: 'close' });
    await broughtIn(job, stage, { text: whole });
    expect(shown(stage)).toHaveLength(1);
    const text = directly(stage).map(({ content }) => content);
    expect(text.join(' ').replace(/\s+/g, ' ')).toContain(whole);
  });

  it('and the token has expired, it comes in a direct message', async () => {
    const clock = new FakeClock();
    const { stage, job } = await begun({ clock });
    stage.forbid(PermissionFlagsBits.SendMessages);
    clock.step(16 * 60_000);
    await broughtIn(job, stage, { text: 'The tides' });
    expect(shown(stage)).toEqual([]);
    expect(directly(stage).map(({ content }) => content)).toEqual([expect.stringContaining('The tides')]);
  });
});

describe('a notice of an interruption', () => {
  it('that doesn’t fit in the last message is posted after it', async () => {
    const { stage, job } = await begun({ clock: new FakeClock() });
    const text = 'x'.repeat(1990);
    const said = await stage.platform.adapter.post(job.address, { text }, 'said');
    await createLiveAnswers(stage.database).save(job.id, { messages: [said], lastText: text }, 'said');
    await recover(stage.database, stage.platform.adapter, [ask]);
    const [first, second] = shown(stage);
    expect(first?.content).toBe(text);
    const interrupted = words('en').interrupted(`${prompt.trim().slice(0, 77)}…`);
    expect(second?.content).toBe(`> **ada** · /ask\n${interrupted}`);
    expect(second?.components).toHaveLength(1);
  });
});
