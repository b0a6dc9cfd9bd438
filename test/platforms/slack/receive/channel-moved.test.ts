import { expect, test } from 'vitest';
import { startStage } from '../support/stage.ts';

test('a channel that gets another id as it’s shared keeps what’s set there', async () => {
  const stage = await startStage();
  const { slack, workspace } = stage;
  const ids = { old_channel_id: 'G012Y48650T', new_channel_id: 'C012Y48650T' };
  const delivery = slack.sendEvent(workspace, { type: 'channel_id_changed', ...ids });
  await stage.until(() => stage.moves.length > 0);
  expect((await delivery.done).ok).toBe(true);
  expect(stage.moves).toEqual([
    { from: { platform: 'slack', workspace: workspace.id, channel: 'G012Y48650T' }, to: 'C012Y48650T' },
  ]);
  await stage.stop();
});
