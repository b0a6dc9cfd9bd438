import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/port/index.ts';
import { ann, personCalled, Stage } from './support/stage.ts';

let stage: Stage;

const cheap = { resolution: '480p', duration: 4 };

describe('every command that arrives is counted once, by how it ended', () => {
  it('done or failed', async () => {
    stage = await Stage.open();
    await stage.give('help');
    await stage.give('ask', { prompt: 'Fine' });
    await stage.give('ask', { prompt: 'No [[fail 500]]' });
    await stage.give('speak', { text: 'Hello' });
    await stage.give('speak', { text: 'Lost [[lost]]' });
    expect(stage.ended).toEqual([
      'help done',
      'ask done',
      'ask failed service',
      'speak done',
      'speak uncertain',
    ]);
    expect(stage.observed.filter((name) => name === 'troupe_first_words_seconds')).toHaveLength(3);
  });

  it('refused before it began, and why', async () => {
    stage = await Stage.open({ settings: { budgets: { user: 1, channel: 0, workspace: 0, total: 0 } } });
    await stage.give('no such command, but /etc/passwd');
    await stage.give('video', { prompt: 'a cat', duration: 99 });
    await stage.give('imagine', { prompt: 'a cat' });
    await stage.give('settings', { setting: 'model', value: 'svc-llm-1.5-pro' });
    void stage.bot.dispatcher.stop();
    await stage.give('ask', { prompt: 'Too late' });
    expect(stage.ended).toEqual([
      'unknown refused options',
      'video refused options',
      'imagine refused budget',
      'settings refused rules',
      'ask refused shutdown',
    ]);
  });

  it('canceled by the person who stops it', async () => {
    stage = await Stage.open({ sandbox: { pace: 'human' } });
    const asking = stage.give('ask', { prompt: 'Tell me a long story' });
    await stage.until(() => stage.standing.length > 0);
    await stage.press('Stop');
    await asking;
    expect(stage.ended).toEqual(['ask canceled']);
  });

  it('asked about its price: not before that is answered, and by the answer', async () => {
    stage = await Stage.open({ settings: { confirmOver: 1 } });
    await stage.give('video', { prompt: 'a cat', ...cheap });
    expect(stage.ended).toEqual([]);
    await stage.press('No');
    expect(stage.ended).toEqual(['video canceled']);
    await stage.give('video', { prompt: 'a dog', ...cheap });
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect(stage.ended).toEqual(['video canceled', 'video done']);
    await stage.give('video', { prompt: 'a bird', ...cheap });
    const yes = stage.buttonId('Yes, go ahead');
    await stage.bot.endUnanswered();
    expect(stage.ended).toHaveLength(2);
    await stage.clock.advance(16 * 60_000);
    await stage.bot.endUnanswered();
    await stage.bot.endUnanswered();
    expect(stage.ended).toEqual(['video canceled', 'video done', 'video unanswered']);
    await stage.pressId(yes, stage.latest);
    expect(stage.ended).toHaveLength(3);
  });

  it('images and videos when they have ended, not when they have begun', async () => {
    stage = await Stage.open();
    await stage.make('imagine', { prompt: 'a cat', count: 2 });
    await stage.make('imagine', { prompt: 'Fails [[error]]' });
    await stage.make('video', { prompt: 'Lost [[lost]]', ...cheap });
    expect(stage.ended).toEqual(['imagine done', 'imagine failed service', 'video uncertain']);
    expect(stage.counted.filter((one) => one.startsWith('troupe_renders_ended_total'))).toEqual([
      'troupe_renders_ended_total image delivered 1',
      'troupe_renders_ended_total image delivered 1',
      'troupe_renders_ended_total image failed 1',
      'troupe_renders_ended_total video uncertain 1',
    ]);
  });

  it('an answer that is delivered late when it is, or when it can be posted nowhere', async () => {
    stage = await Stage.open();
    let isAway = true;
    stage.refuses = ({ files }) => (isAway && files ? new PlatformError('unreachable') : undefined);
    await stage.give('speak', { text: 'Hello' });
    expect(stage.ended).toEqual([]);
    isAway = false;
    await stage.until(() => stage.ended.length > 0);
    stage.refuses = ({ files }) => (files ? new PlatformError('no-permission') : undefined);
    await stage.give('speak', { text: 'Nobody hears it' });
    await stage.until(() => stage.ended.length > 1);
    expect(stage.ended).toEqual(['speak done', 'speak failed platform']);
    expect(stage.counted.filter((one) => one.startsWith('troupe_deliveries'))).toEqual([
      'troupe_deliveries_ended_total posted 1',
      'troupe_deliveries_ended_total undeliverable 1',
    ]);
  });

  it('left in the middle by a process that died: interrupted, and a render goes on', async () => {
    stage = await Stage.open({ crashes: true, sandbox: { pace: 'human', renderTime: 0.05 } });
    const asking = stage.give('ask', { prompt: 'Tell me a long story' }).catch(() => {});
    await stage.until(() => stage.standing.length > 0);
    await stage.give('imagine', { prompt: 'a cat' });
    await stage.until(async () => (await stage.renderStates()).includes('waiting'));
    await stage.crash();
    await stage.rendersEnded();
    await stage.until(() => stage.ended.length > 1);
    expect(stage.ended.toSorted()).toEqual(['ask interrupted', 'imagine done']);
    await asking;
  });

  it('not twice, if its event comes twice', async () => {
    stage = await Stage.open();
    const request = { eventId: 'same', command: 'help', options: {}, requester: ann };
    const address = { platform: 'console', workspace: 'w', channel: 'c' } as const;
    for (let times = 0; times < 2; times++) {
      const prepared = await stage.bot.dispatcher.prepare({ ...request, address });
      if (prepared.kind === 'accepted') await prepared.record();
      if (prepared.kind === 'accepted' && times === 1) await prepared.run(undefined as never);
    }
    expect(stage.ended).toEqual([]);
    expect(stage.bot.watch.running).toBe(1);
  });

  it('given by a button, as if it had been typed', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Fine' });
    await stage.press('Regenerate');
    await stage.press('Regenerate', personCalled('bob'));
    await stage.press('👍', personCalled('bob'));
    expect(stage.ended).toEqual(['ask done', 'ask done']);
  });

  it('that cannot be acknowledged, or that its place does not take', async () => {
    stage = await Stage.open();
    for (const why of [undefined, 'refused'] as const) {
      const prepared = await stage.bot.dispatcher.prepare({
        eventId: `event ${why}`,
        command: 'help',
        options: {},
        address: { platform: 'console', workspace: 'w', channel: 'c' },
        requester: ann,
      });
      if (prepared.kind === 'accepted') await prepared.abandon(why);
    }
    expect(stage.ended).toEqual(['help failed acknowledgement', 'help refused place']);
    expect(stage.bot.watch.running).toBe(0);
  });
});
