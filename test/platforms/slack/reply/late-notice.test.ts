import { beforeEach, expect, test } from 'vitest';
import type { Job, Message } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import { image } from '../../../fakes/outgoing-files.ts';
import type { Fault } from '../../../fakes/slack/faults.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { clip, type Delivering, startDelivering } from '../support/delivering.ts';
import type { Stage } from '../support/stage.ts';

const minute = 60_000;
let delivering: Delivering;
let stage: Stage;
beforeEach(async () => {
  delivering = await startDelivering();
  stage = delivering.stage;
});

const withImage: Message = { text: 'A cat', files: [image] };

async function speak(options: Job['options'] = {}, message = clip): Promise<void> {
  await delivering.speak(stage.ben, stage.general, options, message);
  // The disk takes its own time.
  for (let tries = 0; completions() === 0; tries++) {
    if (tries > 10_000) throw new Error('no upload was completed');
    await stage.quiet();
  }
}

const files = () => delivering.files(stage.general);
const lateWords = (channel = stage.general) =>
  stage.posts(channel).filter((message) => shown(message).includes(words('zh-CN').notPostedYet.here));
const told = (channel = stage.general) => stage.until(() => lateWords(channel).length === 1, 20 * minute);
const completions = () => stage.slack.api.of('files.completeUploadExternal').length;

const broken: readonly [string, Fault][] = [
  ['a broken server', { kind: 'status', status: 502, when: 'before' }],
  ['an error of Slack’s own', { kind: 'error', code: 'internal_error' }],
  ['lost answers', { kind: 'cut', when: 'before' }],
];

test.each(broken)(
  'an upload that %s keeps from its end: who asked is told once, until the file comes, once',
  async (_, fault) => {
    stage.slack.api.faults.plan('files.completeUploadExternal', fault, 1_000);
    await speak();
    await stage.pass(13 * minute);
    expect(stage.posts(stage.general)).toEqual([]);
    await stage.pass(2 * minute);
    expect(lateWords()).toHaveLength(1);
    expect(lateWords()[0]?.pings).toEqual([stage.ben.user.id]);
    await stage.pass(60 * minute);
    expect(lateWords()).toHaveLength(1);
    // Less often by now.
    const before = completions();
    await stage.pass(60 * minute);
    expect(completions() - before).toBeLessThanOrEqual(13 * 4);
    stage.slack.api.faults.clear();
    await stage.until(() => files().length === 1, 10 * minute);
    await stage.pass(60 * minute);
    expect(files()).toHaveLength(1);
    expect(stage.posts(stage.general)).toEqual(files());
  },
);

const carriedOut: readonly [string, Fault][] = [
  ['cut', { kind: 'cut', when: 'after' }],
  ['an error of Slack’s own', { kind: 'error', code: 'internal_error', when: 'after' }],
  ['a page of a broken server', { kind: 'status', status: 502, when: 'after' }],
];

test.each(
  carriedOut.flatMap(([what, fault]) => [
    ['clip', what, fault, clip] as const,
    ['image', what, fault, withImage] as const,
  ]),
)(
  'an upload of a %s that was carried out though its answer was %s: Slack is asked what became of it, and that ends it',
  async (_, __, fault, message) => {
    stage.slack.api.faults.plan('files.completeUploadExternal', fault, 1);
    stage.slack.api.faults.plan(
      'files.completeUploadExternal',
      { kind: 'error', code: 'internal_error' },
      1_000,
    );
    const begun = stage.clock.now();
    await speak({}, message);
    await delivering.delivered();
    expect(stage.clock.now() - begun).toBeLessThan(2 * minute);
    const asked = stage.slack.api.of('files.info').length;
    expect(asked).toBeLessThanOrEqual(10);
    await stage.pass(60 * minute);
    expect(stage.posts(stage.general)).toHaveLength(1);
    expect(stage.slack.api.of('files.info')).toHaveLength(asked);
    expect(stage.slack.api.of('files.getUploadURLExternal')).toHaveLength(1);
  },
);

test('where Slack does not tell what became of an upload either, it goes on, and the file comes once', async () => {
  const away: Fault = { kind: 'status', status: 503, when: 'before' };
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'after' }, 1);
  stage.slack.api.faults.plan('files.completeUploadExternal', away, 1_000);
  await speak();
  stage.slack.api.faults.plan('files.info', away, 1_000);
  await stage.pass(5 * minute);
  expect(await delivering.deliveries.pendingIds()).toHaveLength(1);
  stage.slack.api.faults.clear();
  await delivering.delivered();
  expect(stage.posts(stage.general)).toHaveLength(1);
});

test('a restart tells nobody again', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  await speak();
  await told();
  await delivering.restart();
  await stage.pass(40 * minute);
  expect(lateWords()).toHaveLength(1);
  stage.slack.api.faults.clear();
  await stage.until(() => files().length === 1, 10 * minute);
});

test('what a process that died has told goes when another brings the file', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  await speak();
  await told();
  await delivering.restart(() => stage.slack.api.faults.clear());
  await delivering.delivered();
  await stage.until(() => lateWords().length === 0, minute);
  expect(stage.posts(stage.general)).toEqual(files());
  expect(files()).toHaveLength(1);
});

test('what one person alone is to see is told them alone', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  await speak({ private: true });
  await told(stage.ben.directMessages);
  expect(stage.posts(stage.general)).toEqual([]);
});

test('where Slack takes nothing at all, who asked is told only while it goes on', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'status', status: 503, when: 'before' }, 1_000);
  await speak();
  await stage.pass(29 * minute);
  stage.slack.api.faults.clear();
  await stage.until(() => files().length === 1, 10 * minute);
  await stage.pass(60 * minute);
  expect(files()).toHaveLength(1);
  expect(lateWords().length).toBeLessThanOrEqual(1);
});

test('where Slack took nothing until the file was there, nobody is notified that it was late', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'status', status: 503, when: 'before' }, 1_000);
  await speak();
  await stage.pass(20 * minute);
  const words = () => stage.slack.api.of('chat.postMessage').length;
  const refused = words();
  expect(refused).toBeGreaterThan(0);
  stage.slack.api.faults.clear();
  await stage.until(() => files().length === 1, 8 * minute);
  await delivering.delivered();
  await stage.pass(minute);
  expect(words()).toBe(refused);
});

test('a file that comes in time is not announced', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 2);
  await speak();
  await stage.pass(60 * minute);
  expect(stage.posts(stage.general)).toEqual(files());
  expect(files()).toHaveLength(1);
});

test('where the channel refuses posts too, the requester gets a direct message that fits there', async () => {
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'cut', when: 'before' }, 1_000);
  await speak();
  stage.general.archived = true;
  await stage.until(() => stage.posts(stage.ben.directMessages).length === 1, 20 * minute);
  expect(stage.texts(stage.ben.directMessages)).toEqual([words('zh-CN').notPostedYet.directly]);
  expect(stage.posts(stage.general)).toEqual([]);
});
