import { beforeEach, expect, test } from 'vitest';
import type { Message } from '../../../../src/port/index.ts';
import { askButtons, type Stage, startStage } from '../support/stage.ts';

const minute = 60_000;
let stage: Stage;
beforeEach(async () => {
  stage = await startStage({
    scripts: {
      ask: async ({ job, reply }) => {
        reply.stream({ buttons: askButtons(job.id) }).append('First words');
        await new Promise(() => {});
      },
    },
  });
});

/** How often Slack lets an app read a channel, and messages that are more than it reads of one. */
const apps = [
  ['an app of its own or of the Marketplace', 'works', 520],
  ['any other app, 15 messages a minute', 'refused', 80],
] as const;

/** People write while no process runs. */
async function meanwhile(messages: number): Promise<void> {
  await stage.kill();
  await stage.pass(60 * minute);
  for (let count = 0; count < messages; count++) stage.ben.says(`chat ${count}`, stage.general);
  await stage.startBot();
}

test.each(apps)(
  'an answer whose process died loses its button, however much was written since; %s',
  async (_, quickHistory, messages) => {
    stage.slack.world.readings.quickHistory = quickHistory;
    void stage.ada.types('/ask hi', stage.general);
    await stage.until(() => stage.posts(stage.general).length > 0);
    await meanwhile(messages);
    await stage.pass(15 * minute);
    expect(stage.texts(stage.general).join()).toContain('First words');
    expect(stage.texts(stage.general).join()).not.toContain('Stop');
  },
);

test.each(apps)(
  'what Slack took as the process died is posted once, however much was written since; %s',
  async (_, quickHistory, messages) => {
    stage.slack.world.readings.quickHistory = quickHistory;
    const { platform, workspace, general, slack } = stage;
    const address = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
    const message: Message = { text: 'A result' };
    slack.api.faults.plan('chat.postMessage', { kind: 'delay', ms: 1e9 });
    platform.adapter.post(address, message, 'result').catch(() => {});
    await stage.until(() => stage.posts(general).length === 1);
    await meanwhile(messages);
    await stage.done(stage.platform.adapter.post(address, message, 'result'));
    expect(stage.texts(general)).toEqual(['A result']);
  },
);
