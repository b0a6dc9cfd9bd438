import { describe, expect, it } from 'vitest';
import { steps as slackSteps } from '../../src/live-check/slack/check.ts';
import { slackFeatures } from '../../src/platforms/slack/api/errors.ts';
import { botScopes } from '../../src/platforms/slack/setup/manifest.ts';
import type { Readings } from '../fakes/slack/index.ts';
import { helpful } from './discord-stage.ts';
import { type SlackStage, slackStage } from './slack-stage.ts';

/** What is left in channels, direct messages and files. */
function leftIn({ workspace }: SlackStage) {
  const messages = [...workspace.channels.values()].flatMap((channel) => [...channel.messages.values()]);
  return { messages: messages.map(({ text, markdown }) => markdown ?? text), files: workspace.files.size };
}
const nothing = { messages: [], files: 0 };

/** Ada does what she is asked. */
const adaHelps = ({ ada, channel }: SlackStage) =>
  helpful((request) => {
    const newest = [...channel.messages.values()].at(-1);
    if (request.startsWith('Press “Press me”')) return newest && ada.presses(newest, 'Press me');
    if (request.startsWith('In the channel, type “/troupe help @GROUP”'))
      return ada.types('/troupe help @films', channel);
    if (request.startsWith('Look for a picture')) {
      const isSeen = newest && ada.seesIn(newest).length > 0;
      return newest && ada.presses(newest, isSeen ? 'I see it' : 'I don’t see it');
    }
    throw new Error(request);
  });

/** Others try something in a stream only if this works. */
const streams = 'stream in direct messages: start, append, stop';
/** Every step whose outcome an uncertain rule decides, and that rule. */
const decided = [
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
  ['stream in a channel: start, append, stop', 'streamInChannel'],
  ['edit after a stream has ended', 'editAfterStop'],
  ['stream ended without text', 'emptyStreamStop'],
  ['long Chinese text in blocks', 'blocksInCharacters'],
  ['plain @here in a message', 'plainNamesParsed'],
  ['people of other workspaces', 'strangerTold'],
  ['picture sent back as Slack returned it', 'imageSentBack'],
  ['markdown block over a response_url', 'markdownOverResponseUrl'],
  ['user group in a command', 'escapedGroups'],
  ['picture in a block, as other people see it', 'slackFileSeenByAll'],
  ['picture put into a message by an edit, as other people see it', 'slackFileSeenAfterEdit'],
] as const satisfies (readonly [string, keyof Readings])[];
/** Where one of these is refused, some of the others aren’t tried. */
const conditions: readonly string[] = ['streamInDirectMessage', 'agentSessions', 'slackFileImage', 'pngFile'];
const independent = decided.filter(([, rule]) => !conditions.includes(rule));
const refusedIn = (rules: typeof decided | typeof independent) =>
  Object.fromEntries(rules.map(([, rule]) => [rule, 'refused']));

describe('the live check on Slack', () => {
  it('tries what it can by itself', async () => {
    const stage = await slackStage();
    const { report, results, rows } = await stage.run();
    expect(report.needsOperator).toBe(false);
    expect(rows.filter(({ seen: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(results).toMatchObject({
      'log-in': `works: the workspace ${stage.workspace.id}, with all scopes`,
      'stream started without text': 'works: works',
      'user group in a command': 'skipped: takes a person: run it again with --with-me',
    });
    expect(leftIn(stage)).toEqual(nothing);
    expect(stage.slack.sockets.opened).toBe(0);
  });

  it.each([
    ['works', decided, {}],
    ['refused', independent, refusedIn(independent)],
  ] as const)('finds that what is uncertain is or isn’t so: %s', async (kind, tried, readings) => {
    const stage = await slackStage(readings);
    const { results, remembered, report, rows } = await stage.run({ helper: adaHelps(stage) });
    for (const [step] of tried) expect(results[step], step).toMatch(new RegExp(`^${kind}: `));
    for (const feature of Object.values(slackFeatures)) {
      const seen = rows.findLast((row) => row.feature === feature && row.seen.kind !== 'skipped');
      expect(await remembered(feature, stage.workspace.id), feature).toBe(seen?.seen.kind);
      expect(await remembered(feature, 'T2'), feature).toBeUndefined();
    }
    expect(rows.filter(({ seen }) => seen.kind === 'unclear')).toEqual([]);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
    expect(stage.slack.sockets.connected).toBe(0);
  });

  it.each(decided.filter(([, rule]) => conditions.includes(rule)))(
    'finds and remembers that a feature doesn’t work, on which others depend: %s',
    async (step, rule) => {
      const stage = await slackStage({ [rule]: 'refused' });
      const { results, remembered, report } = await stage.run();
      expect(results[step]).toMatch(/^refused: /);
      const feature = slackSteps.find(({ name }) => name === step)?.feature ?? '';
      expect(await remembered(feature, stage.workspace.id)).toBe('refused');
      expect(report.needsOperator).toBe(false);
      expect(leftIn(stage)).toEqual(nothing);
    },
  );

  it('leaves nothing behind where nothing works that may be refused', async () => {
    const stage = await slackStage(refusedIn(decided));
    const { rows, report } = await stage.run({ helper: adaHelps(stage) });
    expect(rows.filter(({ seen: { kind } }) => kind === 'unclear')).toEqual([]);
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('remembers every feature that the bot asks about', () => {
    const features = new Set(slackSteps.flatMap(({ feature }) => feature ?? []));
    expect([...features].toSorted()).toEqual(Object.values(slackFeatures).toSorted());
  });

  it('tells the organization that the workspace is part of', async () => {
    const stage = await slackStage();
    const { slack } = stage;
    const other = slack.addWorkspace('other', 'E0ORG');
    const room = slack.channel(other, 'trials', [slack.person(other, { name: 'ada' })]);
    const environment = { ...stage.environment, SLACK_BOT_TOKEN: slack.install(other).token };
    const { results } = await stage.run({ environment, channel: room.id, only: ['log-in'] });
    expect(results['log-in']).toContain('part of the organization E0ORG');
    expect(stage.channel.messages.size).toBe(0);
  });

  it('says how to subscribe to the Stop button’s event', async () => {
    const stage = await slackStage({ stopEvent: 'refused' });
    const step = 'event of Slack’s own Stop button';
    expect((await stage.run({ only: [step] })).results[step]).toMatch(
      /^refused: agent_session_stopped is missing: add it at .* or paste what npm run slack:manifest prints/,
    );
  });

  it('continues if nobody helps', async () => {
    const stage = await slackStage();
    const { results, report } = await stage.run({ helper: helpful(() => 'nobody') });
    expect(results['markdown block over a response_url']).toBe('skipped: nobody did it in time');
    expect(report.needsOperator).toBe(false);
    expect(leftIn(stage)).toEqual(nothing);
  });

  it('says that button presses would go to a running bot', async () => {
    const stage = await slackStage();
    const url = (await stage.slack.sockets.open(stage.slack.credentials.appToken)) as { url: string };
    const socket = new WebSocket(url.url);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const step = 'markdown block over a response_url';
    const { results } = await stage.run({ helper: adaHelps(stage), only: [step] });
    expect(results[step]).toMatch(/^skipped: stop the bot first/);
    socket.close();
  });
});

describe('the live check on Slack remembers no refusal that is about something else', () => {
  const fails =
    (method: string, code: string) =>
    ({ slack }: SlackStage) =>
      slack.api.faults.plan(method, { kind: 'error', code }, 100);

  it.each([
    [streams, /^unclear: Slack answered internal_error$/, fails('chat.startStream', 'internal_error')],
    [streams, /^unclear: Slack answered never_heard_of$/, fails('chat.startStream', 'never_heard_of')],
    ['mp3 file', /^unclear: /, fails('files.getUploadURLExternal', 'storage_limit_reached')],
    [
      'mp3 file',
      /^needs: Administrators have disabled file uploads: .* \(file_uploads_disabled\)$/,
      ({ workspace }: SlackStage) => {
        workspace.uploadsDisabled = true;
      },
    ],
    [
      'mp3 file',
      /^needs: Administrators don’t allow files in channels shared/,
      fails('files.completeUploadExternal', 'slack_connect_file_upload_sharing_blocked'),
    ],
    [
      'markdown block in a message',
      /^needs: The channel doesn’t allow threads, .* \(restricted_action_non_threadable_channel\)$/,
      ({ channel }: SlackStage) => {
        channel.threads = 'forbidden';
      },
    ],
  ] as const)('%s: %s', async (step, expected, shut) => {
    const stage = await slackStage();
    shut(stage);
    const { results, remembered } = await stage.run({ only: [step] });
    expect(results[step]).toMatch(expected);
    for (const feature of Object.values(slackFeatures))
      expect(await remembered(feature, stage.workspace.id)).toBeUndefined();
  });
});

describe('the live check on Slack cleans up', () => {
  it('after a step that fails', async () => {
    const stage = await slackStage();
    stage.slack.api.faults.plan('chat.stopStream', { kind: 'error', code: 'fatal_error' });
    const { results } = await stage.run({ only: [streams] });
    expect(results[streams]).toBe('unclear: Slack answered fatal_error');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each([
    ['chat.startStream', streams],
    ['files.completeUploadExternal', 'mp3 file'],
  ] as const)('after the response to %s was lost', async (method, step) => {
    const stage = await slackStage();
    stage.slack.api.faults.plan(method, { kind: 'cut', when: 'after' });
    const { results } = await stage.run({ only: [step] });
    expect(results[step]).toBe('unclear: no response from Slack');
    expect(leftIn(stage)).toEqual(nothing);
  });

  it.each([1, 2, 3])('after the response to post %i was lost', async (number) => {
    const stage = await slackStage();
    let posts = 0;
    const isTurn = () => ++posts === number;
    stage.slack.api.faults.plan('chat.postMessage', { kind: 'cut', when: 'after' }, 1, isTurn);
    const { report } = await stage.run({ only: ['markdown block in a message'] });
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
    const environment = { ...stage.environment, SLACK_BOT_TOKEN: 'xoxb-1' };
    expect((await stage.run({ environment })).report).toMatchObject({
      needsOperator: true,
      text: expect.stringContaining('(invalid_auth)'),
    });
    expect((await stage.run({ environment: {} })).report).toMatchObject({
      needsOperator: true,
      text: expect.stringMatching(/^✗ SLACK_BOT_TOKEN is not set/),
    });
  });

  it('a channel that exists, with the bot and a person in it', async () => {
    const { slack, workspace, ada, run } = await slackStage();
    const { report } = await run({ channel: 'C0NOWHERE' });
    expect(report).toMatchObject({
      needsOperator: true,
      text: expect.stringContaining('no channel C0NOWHERE'),
    });
    const outside = slack.channel(workspace, 'outside', [ada], { withoutBot: true });
    expect((await run({ channel: outside.id })).report.text).toContain('Type /invite @troupe there.');
    const empty = slack.channel(workspace, 'empty', []);
    expect((await run({ channel: empty.id })).report.text).toContain('no person is in the channel');
  });

  it('the scopes of the manifest', async () => {
    const scopes = Object.keys(botScopes).filter((scope) => scope !== 'files:write');
    const stage = await slackStage({}, scopes);
    const { report, results } = await stage.run();
    expect(report.needsOperator).toBe(true);
    expect(results['log-in']).toMatch(/^needs: Give the app files:write .*: replace/);
    expect(results['mp3 file']).toMatch(/^needs: Give the app the scope files:write/);
    expect(leftIn(stage)).toEqual(nothing);
  });
});
