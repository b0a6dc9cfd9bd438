import { describe, expect, it } from 'vitest';
import { slackFeatures } from '../../src/platforms/slack/api/features.ts';
import { botScopes } from '../../src/platforms/slack/setup/manifest.ts';
import type { Readings } from '../fakes/slack/index.ts';
import { put } from '../fakes/slack/messages/messages.ts';
import { helpful } from './discord-stage.ts';
import { type SlackStage, slackStage } from './slack-stage.ts';

/** What is left in channels, direct messages and files. */
function leftIn({ workspace }: SlackStage) {
  const messages = [...workspace.channels.values()].flatMap((channel) => [...channel.messages.values()]);
  return { messages: messages.map(({ text, markdown }) => markdown ?? text), files: workspace.files.size };
}
const nothing = { messages: [], files: 0 };

/** Ada does what she is asked. */
const adaHelps = ({ slack, ada, ben, workspace, channel }: SlackStage) =>
  helpful((request) => {
    const newest = [...channel.messages.values()].at(-1);
    if (request.startsWith('Press “Press me”')) return newest && ada.presses(newest, 'Press me');
    if (request.startsWith('Press Slack’s Stop button')) {
      const [root] = [...ada.directMessages.messages.values()];
      return root && ada.stops(ada.directMessages, root.ts);
    }
    if (request.startsWith('In the channel, type “/troupe help @GROUP”'))
      return ada.types('/troupe help @films', channel);
    if (request.startsWith('Type “/troupe help” in'))
      return ada.types('/troupe help', slack.between(workspace, [ada, ben]));
    if (request.startsWith('Look for a picture')) {
      const isSeen = newest && ada.seesIn(newest).length > 0;
      return newest && ada.presses(newest, isSeen ? 'I see it' : 'I don’t see it');
    }
    if (request === 'In the channel, type “/troupe help”.') return ada.types('/troupe help', channel);
    if (request.startsWith('Look above the newest message')) {
      const [first, second] = ada.whispers.slice(-2);
      const isSeen = second && first?.text.includes('the first message');
      return ada.presses((second ?? first) as never, isSeen ? 'I see it' : 'I don’t see it');
    }
    if (request.startsWith('Open the thread of the newest message')) {
      const isSeen = ada.whispers.some(({ threadTs }) => threadTs === newest?.ts);
      return newest && ada.presses(newest, isSeen ? 'I see it' : 'I don’t see it');
    }
    throw new Error(request);
  });

/** Others try something in a stream only if this works. */
const streams = 'stream in direct messages: start, append, stop';
/** Steps whose result is remembered. */
const featureSteps = [
  [streams, 'streamInDirectMessage'],
  ['stream ended with text and buttons', 'blocksAtStreamStop'],
  ['markdown block in a message', 'markdownBlock'],
  ['feedback buttons under a message', 'feedbackButtons'],
  ['status with loading messages', 'loadingMessages'],
  ['agent session: status and name', 'agentSessions'],
  ['agent session in a channel: status and name', 'agentSessionsInChannel'],
  ['event of Slack’s own Stop button', 'stopEvent'],
  ['picture in a block, uploaded without sharing', 'slackFileImage'],
  ['Home tab', 'homeTab'],
  ['mp3 file', 'mp3File'],
  ['ogg file', 'oggFile'],
  ['wav file', 'wavFile'],
  ['png file', 'pngFile'],
  ['mp4 file', 'mp4File'],
  ['reading a thread twice in a row', 'quickHistory'],
] as const;

/** Steps whose result is only shown. */
const otherSteps = [
  ['stream in a channel: start, append, stop', 'streamInChannel'],
  ['stream in a channel without a thread', 'streamWithoutThread'],
  ['stream started with a button', 'buttonAtStreamStart'],
  ['edit after a stream has ended', 'editAfterStop'],
  ['long Chinese text in blocks', 'blocksInCharacters'],
  ['plain @here in a message', 'plainNamesParsed'],
  ['replacing a message over a command’s response_url', 'commandUrlReplaces'],
  ['message for one person in a thread without replies', 'ephemeralInEmptyThread'],
  ['picture sent back as Slack returned it', 'imageSentBack'],
  ['picture put into a message by an edit, as other people see it', 'slackFileSeenAfterEdit'],
  ['stream ended without text', 'emptyStreamStop'],
  ['people of other workspaces', 'strangerTold'],
  ['suggested prompts in the agent’s messages', 'suggestedPrompts'],
  ['user group in a command', 'escapedGroups'],
  ['Slack’s own Stop button', 'stopEndsStreams'],
  ['upload, share and delete a file', 'uploadIsShared'],
  ['markdown block over a response_url', 'markdownOverResponseUrl'],
] as const;

describe('the live check on Slack', () => {
  it('tries everything and leaves nothing behind', async () => {
    const stage = await slackStage();
    const { report, results, rows } = await stage.run();
    expect(report.needsOperator).toBe(false);
    expect(rows.filter(({ result: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(results).toMatchObject({
      'scopes of the token': 'works: all of them',
      'Markdown text in a stream of chunks': 'refused: refused: streaming_mode_mismatch',
      'append after the end': 'refused: refused: message_not_in_streaming_state',
      'a person’s language': 'works: de-DE',
      'too many posts at once': 'works: 429 at post 1; Retry-After 1 s',
      'form with people and files': 'skipped: takes a person: run it again with --with-me',
    });
    expect(leftIn(stage)).toEqual(nothing);
    expect(stage.slack.sockets.opened).toBe(0);
  });

  it('finds and remembers every feature that works', async () => {
    const stage = await slackStage();
    const { results, remembered, report } = await stage.run();
    for (const [step, feature] of featureSteps) {
      expect(results[step], step).toMatch(/^works: /);
      expect(await remembered(slackFeatures[feature], stage.workspace.id), step).toBe('works');
      expect(await remembered(slackFeatures[feature], 'T2'), step).toBeUndefined();
    }
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each(featureSteps)('finds and remembers that a feature doesn’t work: %s', async (step, feature) => {
    const stage = await slackStage({ [feature]: 'refused' } satisfies Partial<Readings>);
    const { results, remembered, report } = await stage.run({ only: [streams, step] });
    expect(results[step]).toMatch(/^refused: /);
    expect(await remembered(slackFeatures[feature], stage.workspace.id)).toBe('refused');
    expect(await remembered(slackFeatures[feature], 'T2')).toBeUndefined();
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('finds what works with a person’s help, and that other people see a picture that was not shared', async () => {
    const stage = await slackStage();
    const { results, remembered, report } = await stage.run({ helper: adaHelps(stage) });
    for (const [step] of otherSteps) expect(results[step], step).toMatch(/^works: /);
    expect(results['picture in a block, as other people see it']).toMatch(/^works: /);
    expect(await remembered(slackFeatures.slackFileImage, stage.workspace.id)).toBe('works');
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each(otherSteps)('finds what doesn’t work with a person’s help: %s', async (step, feature) => {
    const stage = await slackStage({ [feature]: 'refused' } satisfies Partial<Readings>);
    const { results, report } = await stage.run({ helper: adaHelps(stage), only: [streams, step] });
    expect(results[step]).toMatch(/^refused: /);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('leaves nothing behind where nothing works that may be refused', async () => {
    const stage = await slackStage(
      Object.fromEntries([...featureSteps, ...otherSteps].map(([, feature]) => [feature, 'refused'])),
    );
    const { rows, report } = await stage.run({ helper: adaHelps(stage) });
    expect(rows.filter(({ result: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('finds that other people don’t see a picture that was not shared', async () => {
    const stage = await slackStage({ slackFileSeenByAll: 'refused' });
    const only = [
      'picture in a block, uploaded without sharing',
      'picture in a block, as other people see it',
    ];
    const { results, remembered } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['picture in a block, as other people see it']).toMatch(/^refused: /);
    expect(await remembered(slackFeatures.slackFileImage, stage.workspace.id)).toBe('refused');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each([
    [Number.POSITIVE_INFINITY, 'works: after 3 h'],
    [60_000, 'refused: refused: edit_window_closed'],
  ])('finds whether an older message can be edited (window of %d ms)', async (window, expected) => {
    const stage = await slackStage();
    const { workspace, channel, clock, slack } = stage;
    const content = { text: 'an answer', markdown: undefined, blocks: undefined, metadata: undefined };
    const answer = put(slack.world, channel, { user: workspace.botUser, byApp: true, content });
    workspace.editWindowMs = window;
    await clock.advance(3 * 3_600_000);
    const { results } = await stage.run({ only: ['edit of an older message'] });
    expect(results['edit of an older message']).toBe(expected);
    expect(answer.text).toBe('an answer');
    expect(leftIn(stage).messages).toEqual(['an answer']);
  });

  it('tells the owner of the token', async () => {
    const stage = await slackStage();
    const only = ['owner of the token'];
    expect((await stage.run({ only })).results['owner of the token']).toBe(
      `works: the workspace ${stage.workspace.id}`,
    );
    const { slack, channel } = stage;
    const other = slack.addWorkspace('other', 'E0ORG');
    const ada = slack.person(other, { name: 'ada' });
    const room = slack.channel(other, 'trials', [ada]);
    const { token } = slack.install(other);
    const { results } = await stage.run({
      environment: { ...stage.environment, SLACK_BOT_TOKEN: token },
      channel: room.id,
      only,
    });
    expect(results['owner of the token']).toContain('part of the organization E0ORG');
    expect(channel.messages.size).toBe(0);
  });

  it('says that the app isn’t subscribed to the Stop button’s event', async () => {
    const stage = await slackStage();
    (stage.slack.world.settings.events as Set<string>).delete('agent_session_stopped');
    const only = ['event of Slack’s own Stop button', 'Slack’s own Stop button'];
    const { results } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['event of Slack’s own Stop button']).toMatch(
      /^refused: agent_session_stopped is missing: add it at .* or paste what npm run slack:manifest prints/,
    );
    expect(results['Slack’s own Stop button']).toMatch(
      /^needs: Subscribe the app to agent_session_stopped: replace/,
    );
  });

  it('covers every feature that is remembered', () => {
    const features = featureSteps.map(([, feature]) => feature);
    expect(features.toSorted()).toEqual(Object.keys(slackFeatures).toSorted());
  });

  it('tries what needs button presses', async () => {
    const stage = await slackStage();
    const { results } = await stage.run({ helper: adaHelps(stage) });
    expect(results).toMatchObject({
      'form with people and files': 'works: opened; you can close it',
      'mrkdwn over a response_url': 'works: works',
      'command in the direct messages of two people': 'refused: refused: channel_not_found',
      'markdown_text over a response_url': expect.stringMatching(/^refused: refused: \d+ no_text$/),
    });
    expect(stage.slack.sockets.connected).toBe(0);
  });

  it('continues if nobody helps', async () => {
    const stage = await slackStage();
    const { results, report } = await stage.run({ helper: helpful(() => 'nobody') });
    expect(results['form with people and files']).toBe('skipped: nobody did it in time');
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('says that button presses would go to a running bot', async () => {
    const stage = await slackStage();
    const url = (await stage.slack.sockets.open(stage.slack.credentials.appToken)) as { url: string };
    const socket = new WebSocket(url.url);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const only = ['form with people and files'];
    const { results } = await stage.run({ helper: adaHelps(stage), only });
    expect(results['form with people and files']).toMatch(/^skipped: stop the bot first/);
    socket.close();
  });
});

it.each([
  ['chat.startStream', 'internal_error', slackFeatures.streamInDirectMessage],
  ['files.getUploadURLExternal', 'storage_limit_reached', slackFeatures.mp3File],
] as const)('remembers nothing of %s if Slack responds with %s', async (method, code, feature) => {
  const stage = await slackStage();
  stage.slack.api.faults.plan(method, { kind: 'error', code }, 100);
  const { remembered } = await stage.run();
  expect(await remembered(feature, stage.workspace.id)).toBeUndefined();
});

describe('the live check on Slack remembers no refusal that is about the channel', () => {
  /** What is remembered as refused. */
  const refusedIn = async (
    { remembered }: Awaited<ReturnType<SlackStage['run']>>,
    { workspace }: SlackStage,
  ) => {
    const features = Object.values(slackFeatures);
    const known = await Promise.all(features.map((feature) => remembered(feature, workspace.id)));
    return features.filter((_, index) => known[index] === 'refused');
  };

  it.each([
    [
      'if file uploads are disabled',
      ({ workspace }: SlackStage) => {
        workspace.uploadsDisabled = true;
      },
      'mp3 file',
      /^needs: Administrators have disabled file uploads: .* \(file_uploads_disabled\)$/,
    ],
    [
      'if the channel forbids threads',
      ({ channel }: SlackStage) => {
        channel.threads = 'forbidden';
      },
      'markdown block in a message',
      /^needs: The channel doesn’t allow threads, .* \(restricted_action_non_threadable_channel\)$/,
    ],
    [
      'if the channel is shared and allows no files',
      ({ slack }: SlackStage) => {
        const code = 'slack_connect_file_upload_sharing_blocked';
        slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code }, 100);
      },
      'mp3 file',
      /^needs: Administrators don’t allow files in channels shared/,
    ],
    [
      'if Slack responds with an unknown code',
      ({ slack }: SlackStage) => {
        slack.api.faults.plan('chat.startStream', { kind: 'error', code: 'never_heard_of' }, 100);
      },
      'stream in direct messages: start, append, stop',
      /^unclear: Slack answered never_heard_of$/,
    ],
  ] as const)('%s', async (_, shut, step, expected) => {
    const stage = await slackStage();
    shut(stage);
    const outcome = await stage.run();
    expect(outcome.results[step]).toMatch(expected);
    expect(await refusedIn(outcome, stage)).toEqual([]);
  });
});

describe('the live check on Slack cleans up', () => {
  it('after a step that fails', async () => {
    const stage = await slackStage();
    stage.slack.api.faults.plan('chat.update', { kind: 'error', code: 'fatal_error' });
    const { results } = await stage.run();
    expect(results['post, update, delete']).toBe('unclear: Slack answered fatal_error');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each(['chat.startStream', 'files.completeUploadExternal'])(
    'after the response to %s was lost',
    async (method) => {
      const stage = await slackStage();
      stage.slack.api.faults.plan(method, { kind: 'cut', when: 'after' });
      const { rows } = await stage.run();
      expect(rows.map(({ result: { text } }) => text)).toContain('no response from Slack');
      expect(leftIn(stage)).toEqual(nothing);
    },
  );

  it.each([1, 2, 3])('after the response to post %i was lost', async (number) => {
    const stage = await slackStage();
    let posts = 0;
    stage.slack.api.faults.plan(
      'chat.postMessage',
      { kind: 'cut', when: 'after' },
      1,
      () => ++posts === number,
    );
    const { report } = await stage.run();
    expect(report.text).toContain('no response from Slack');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('when it is interrupted, and says so', async () => {
    const stage = await slackStage();
    const controller = new AbortController();
    const { report, rows } = await stage.run({
      signal: controller.signal,
      onRow: ({ name }) => name === 'markdown block in a message' && controller.abort(),
    });
    expect(rows.at(-1)?.name).toBe('markdown block in a message');
    expect(report.text).toContain('Stopped early');
    expect(leftIn(stage)).toEqual(nothing);
  });
});

describe('the live check on Slack needs', () => {
  it('a token', async () => {
    const stage = await slackStage();
    const { report } = await stage.run({ environment: { ...stage.environment, SLACK_BOT_TOKEN: 'xoxb-1' } });
    expect(report).toMatchObject({ needsOperator: true, text: expect.stringContaining('(invalid_auth)') });
  });

  it('a channel that exists, with the bot in it', async () => {
    const stage = await slackStage();
    const { report } = await stage.run({ channel: 'C0NOWHERE' });
    expect(report).toMatchObject({
      needsOperator: true,
      text: expect.stringContaining('no channel C0NOWHERE'),
    });
    const outside = stage.slack.channel(stage.workspace, 'outside', [stage.ada], { withoutBot: true });
    expect((await stage.run({ channel: outside.id })).report.text).toContain('Type /invite @troupe there.');
  });

  it('the scopes of the manifest', async () => {
    const scopes = Object.keys(botScopes).filter((scope) => scope !== 'files:write');
    const stage = await slackStage({}, scopes);
    const { report, results } = await stage.run();
    expect(report.needsOperator).toBe(true);
    expect(results['scopes of the token']).toMatch(/^needs: Give the app files:write: replace/);
    expect(results['upload, share and delete a file']).toMatch(/^needs: Give the app the scope files:write/);
    expect(leftIn(stage)).toEqual(nothing);
  });
});
