import { describe, expect, test } from 'vitest';
import { slackManifest } from '../../../../src/platforms/slack/setup/manifest.ts';
import { bring } from '../../../fakes/bring.ts';
import { commands } from '../../../fakes/commands.ts';
import { clip } from '../../../fakes/outgoing-files.ts';
import { readManifest } from '../../../fakes/slack/http/manifest.ts';
import type { Ephemeral, Json } from '../../../fakes/slack/index.ts';
import { startStage } from '../support/stage.ts';

const manifest = (options: Parameters<typeof slackManifest>[1]) =>
  slackManifest(commands, options) as unknown as Json;

describe('the manifest', () => {
  test('is one that Slack takes, for either way in', () => {
    expect(readManifest(manifest({ prefix: '' }))).toMatchObject({
      socketMode: true,
      agent: true,
      orgDeploy: true,
    });
    const http = readManifest(manifest({ prefix: '', url: 'https://bot.example/' }));
    expect(http).toMatchObject({
      socketMode: false,
      requestUrl: 'https://bot.example/slack/events',
      redirectUrls: ['https://bot.example/slack/install/callback'],
    });
  });

  test('has the four talents and one command for the rest, with the prefix before each', () => {
    expect([...readManifest(manifest({ prefix: 'acme-' })).commands]).toEqual([
      '/acme-ask',
      '/acme-speak',
      '/acme-imagine',
      '/acme-video',
      '/acme-troupe',
    ]);
  });
});

test('the manifest has a shortcut in the menu of a message for each command that begins from one', () => {
  expect([...readManifest(manifest({ prefix: '' })).shortcuts]).toEqual([
    ['Ask about this', 'message.ask'],
    ['Speak this', 'message.speak'],
    ['Imagine this', 'message.imagine'],
    ['Report this', 'message.report'],
  ]);
});

test('every scope of the manifest is used, and none is missing', async () => {
  const stage = await startStage({
    scripts: { speak: async ({ reply }) => void (await reply.say({ text: 'x', files: [clip] })) },
  });
  const { ada, ben, slack, workspace, general, outside, clock } = stage;
  const secret = slack.channel(workspace, 'secret', [ada], { kind: 'group' });
  const group = slack.channel(workspace, 'group', [ada, ben], { kind: 'mpim' });
  for (const channel of [general, secret, group]) {
    ada.says(`${ada.bot} hello`, channel);
    await stage.until(() => stage.posts(channel).length > 0);
  }
  await ada.types('/speak hello', outside);
  await stage.until(() => ada.whispers.length > 0);
  await ada.presses(ada.whispers[0] as Ephemeral, 'Add me here');
  ada.opensApp();
  ada.says('hello', ada.directMessages);
  await ada.types('/speak hello', general);
  await stage.until(() => [...workspace.files.values()].some(({ shares }) => shares.length > 0));
  const lost = { platform: 'slack', workspace: workspace.id, channel: 'C0GONE' } as const;
  let told = false;
  void bring(stage, lost, { text: 'ready', mentions: [ada.user.id] }, 'k').then(() => {
    told = true;
  });
  await stage.until(() => told);
  const names = [general, secret, group].map(({ id }) =>
    stage.platform.adapter.channelName?.({ ...lost, channel: id }, ada.user.id),
  );
  // A group's direct messages are called by who is in them, which is nobody else's business.
  expect(await Promise.all(names)).toEqual([general.name, 'secret', undefined]);
  await clock.advance(1);
  expect(slack.scopes.unused).toEqual([]);
  expect(slack.api.calls.filter(({ outcome }) => outcome === 'missing_scope')).toEqual([]);
});
