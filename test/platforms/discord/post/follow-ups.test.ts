import { describe, expect, it } from 'vitest';
import { discordFeatures } from '../../../../src/platforms/discord/api/errors.ts';
import { everyWorkspace } from '../../../../src/port/index.ts';
import { createCapabilities } from '../../../../src/store/index.ts';
import type { Fault } from '../../../fakes/discord/index.ts';
import { echo, echoed } from '../support/commands.ts';
import { begun, streamingAsk } from '../support/live-command.ts';
import { longAnswer } from '../support/long-answer.ts';
import { labelsOf, type Stage, startStage, withoutBot } from '../support/stage.ts';

const followUp = 'POST /webhooks/{webhook_id}/{webhook_token}';
const lost: readonly Fault[] = [
  { kind: 'error-after', status: 502 },
  { kind: 'close-after' },
  { kind: 'error', status: 502 },
  { kind: 'close' },
];

const shown = (stage: Stage) =>
  stage.discord.messagesIn(stage.channel).filter(({ content, files }) => content || files.length > 0);
const wholesIn = (stage: Stage) =>
  shown(stage)
    .flatMap(({ files }) => files)
    .map(({ url }) => Buffer.from(stage.discord.fileBytes(url)!).toString());
const labels = (stage: Stage) => shown(stage).map(labelsOf);

async function poured(stage: Stage, text: string) {
  const openAnswer = await begun(stage);
  openAnswer.live.append(text);
  await openAnswer.end();
}

describe('a long answer where the bot isn’t a member', () => {
  // Fact: Follow-ups can’t be listed with their token (webhook)
  it.each(lost)(
    'sends a piece once whose answer is lost ($kind), and the whole comes along',
    async (fault) => {
      const stage = await startStage({ commands: [streamingAsk], before: withoutBot });
      stage.discord.faults.next(followUp, fault);
      const text = longAnswer(5000);
      await poured(stage, text);
      const texts = shown(stage).map(({ content }) => content);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.length).toBe(fault.kind.endsWith('after') ? 3 : 2);
      expect(texts.at(-1)?.endsWith('TheEnd')).toBe(true);
      expect(shown(stage)[0]?.files).toHaveLength(1);
      expect(wholesIn(stage)).toEqual([text]);
      expect(labels(stage).at(-1)).toEqual(['Again done']);
    },
  );

  it('has its last buttons on the first message if the last piece was lost', async () => {
    const stage = await startStage({ commands: [streamingAsk], before: withoutBot });
    stage.discord.faults.next(followUp, { kind: 'error', status: 502 });
    stage.discord.faults.next('PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original', {
      kind: 'close',
    });
    const text = longAnswer(3000);
    await poured(stage, text);
    expect(shown(stage)).toHaveLength(1);
    expect(wholesIn(stage)).toEqual([text]);
    expect(labels(stage)).toEqual([['Again done']]);
  });

  it.each(lost)('sends it again if Discord is known to recognise it ($kind)', async (fault) => {
    const stage = await startStage({
      commands: [streamingAsk],
      before: withoutBot,
      readings: { followUpNonce: 'works' },
    });
    const capabilities = createCapabilities(stage.database, 'discord', Date.now);
    await capabilities.note(everyWorkspace, discordFeatures.followUpNonce, 'works');
    stage.discord.faults.next(followUp, fault);
    await poured(stage, longAnswer(5000));
    const texts = shown(stage).map(({ content }) => content);
    expect(texts).toHaveLength(3);
    expect(new Set(texts).size).toBe(3);
    expect(texts.at(-1)?.endsWith('TheEnd')).toBe(true);
    expect(wholesIn(stage)).toEqual([]);
  });
});

describe('a result where the bot isn’t a member', () => {
  it.each(lost)('whose response is lost ($kind) is sent directly, and not repeated there', async (fault) => {
    const stage = await startStage({ commands: [echo], before: withoutBot });
    await echoed(stage, 'hello');
    stage.discord.faults.next(followUp, fault);
    await stage.platform.adapter.post(await stage.jobAddress(), { text: 'the result' }, 'a');
    const there = shown(stage).filter(({ content }) => content === 'the result');
    expect(there).toHaveLength(fault.kind.endsWith('after') ? 1 : 0);
    const direct = stage.discord.messagesIn(stage.ada.direct()).map(({ content }) => content);
    expect(direct).toEqual([expect.stringMatching(/the result$/)]);
  });
});
