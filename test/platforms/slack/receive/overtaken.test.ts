import { beforeEach, describe, expect, test } from 'vitest';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import type { Channel } from '../../../fakes/slack/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

/** Longer than one write of an answer is waited for. */
const long = 40;
const late = { kind: 'late', ms: long * 1_000 } as const;
const delay = { kind: 'delay', ms: long * 1_000 } as const;
const tooMany = { kind: 'too-many', seconds: long } as const;

let stage: Stage;

beforeEach(async () => {
  stage = await startStage({ writtenAsk: 'running' });
});

const asked = (channel: Channel) => stage.answerTo(stage.ada.says(`${stage.ada.bot} hello`, channel));
const finished = (live: LiveAnswer) => stage.finish(live, 400_000);

describe('where Slack is slow or asked too often for longer than a write is waited for', () => {
  test.each([
    ['that waits does not put the whole answer back to what it was', tooMany, 2],
    ['on its way does not arrive after the end', late, 1],
  ] as const)('an edit %s', async (_, fault, times) => {
    const { general, slack } = stage;
    const { live, thread } = await asked(general);
    live.append('One ');
    await stage.pass(3_000);
    slack.api.faults.plan('chat.update', fault, times);
    live.append('two ');
    await stage.pass(35_000);
    live.append('three.');
    await finished(live);
    expect(stage.texts(general, thread)).toEqual(['One two three.\nRegenerate']);
  });

  test.each([late, tooMany])(
    'a first message that comes late shows all of the answer at its end: $kind',
    async (fault) => {
      const { general, slack } = stage;
      const { live, thread } = await asked(general);
      slack.api.faults.plan('chat.postMessage', fault);
      live.append('One ');
      await stage.pass(32_000);
      live.append('two.');
      await finished(live);
      expect(stage.texts(general, thread)).toEqual(['One two.\nRegenerate']);
    },
  );

  test.each([late, delay, tooMany])('a stream shows every word once: $kind', async (fault) => {
    const { directMessages } = stage.ada;
    const { live, thread } = await asked(directMessages);
    live.append('One two three ');
    await stage.pass(3_000);
    stage.slack.api.faults.plan('chat.appendStream', fault);
    live.append('four five six ');
    await stage.pass(33_000);
    live.append('seven eight nine ');
    await stage.pass(20_000);
    live.append('ten.');
    await finished(live);
    expect(stage.read(directMessages, thread)).toBe('One two three four five six seven eight nine ten.');
  });

  test.each([late, delay, tooMany])(
    'a stream that begins late is the answer’s only message: $kind',
    async (fault) => {
      const { directMessages } = stage.ada;
      const { live, thread } = await asked(directMessages);
      stage.slack.api.faults.plan('chat.startStream', fault);
      live.append('One two three ');
      await stage.pass(32_000);
      live.append('four.');
      await finished(live);
      expect(stage.read(directMessages, thread)).toBe('One two three four.');
      expect(stage.posts(directMessages, thread).map(({ stream }) => stream?.state)).not.toContain(
        'streaming',
      );
    },
  );

  test('a first message that is found only later shows all of the answer at its end', async () => {
    const { general, slack } = stage;
    const { live, thread } = await asked(general);
    slack.api.faults.plan('chat.postMessage', { kind: 'status', status: 503, when: 'after' });
    slack.api.faults.plan('conversations.replies', { kind: 'status', status: 503, when: 'before' }, 4);
    live.append('One ');
    await stage.pass(500);
    live.append('two.');
    await finished(live);
    expect(stage.texts(general, thread)).toEqual(['One two.\nRegenerate']);
  });

  test('buttons below a stream are posted where the answer to that is lost', async () => {
    const { directMessages } = stage.ada;
    stage.slack.world.readings.blocksAtStreamStop = 'refused';
    const { live, thread } = await asked(directMessages);
    live.append('One two three ');
    await stage.pass(3_000);
    stage.slack.api.faults.plan('chat.postMessage', { kind: 'cut', when: 'before' });
    live.append('four.');
    await finished(live);
    expect(stage.texts(directMessages, thread)).toEqual(['One two three four.', 'Regenerate']);
  });
});
