import { describe, expect, it } from 'vitest';
import { AuditChannel } from '../../../src/app/audit/audit-channel.ts';
import { Reports } from '../../../src/app/audit/reports.ts';
import { InputError } from '../../../src/app/faults/explain.ts';
import { alone } from '../../../src/coordination/index.ts';
import { PlaceSettings } from '../../../src/place-settings/index.ts';
import { type Address, type Message, PlatformError } from '../../../src/port/index.ts';
import { createFirstTime, createJobs, type Database, openKeyv } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { databases } from '../../fakes/postgres/index.ts';
import { jobCalled, personCalled } from '../../fakes/records.ts';

const hour = 3_600_000;
const here: Address = { platform: 'slack', workspace: 'W', channel: 'C' };

interface Posted {
  readonly channel: string;
  readonly text: string;
  readonly key: string;
}

/** A process with its database. What it posts stands there once for each key; `fails`: what comes of that in a channel. */
function startProcess(database: Database, clock: FakeClock, posted: Posted[]) {
  const now = () => clock.now();
  const fails = new Map<string, Error>();
  const external = new Set<string>();
  let diesAfterPost = false;
  const post = async ({ channel }: Address, { text = '' }: Message, key: string) => {
    const fault = fails.get(channel);
    if (fault) throw fault;
    if (!posted.some((one) => one.key === key)) posted.push({ channel, text, key });
    if (diesAfterPost) throw new Error('dead');
    return { ...here, channel, message: key };
  };
  const adapter = {
    ...{ post, postThere: post },
    hasChannel: async () => true,
    administers: async () => true,
    isExternal: async ({ channel }: Address) => external.has(channel),
    channelName: async () => undefined,
    channelMention: () => undefined,
    directMessages: async (_: string, person: string) => ({ ...here, channel: `direct ${person}` }),
  };
  const jobs = createJobs(database);
  const shared = {
    ...{ database, jobs, clock, locks: alone().locks },
    adapters: () => adapter as never,
    answers: { messagesOf: async () => [], jobsWith: async () => [] },
  };
  const placeSettings = new PlaceSettings(database, { audit_channel: '' } as never, now);
  const notes = openKeyv(database, 'notes', now);
  const audit = new AuditChannel({
    ...shared,
    keyv: openKeyv(database, 'audit', now),
    placeSettings,
    operators: { on: async () => [], localeOf: async () => 'en' },
    renders: { ofJob: async () => [] },
    mayModerate: async () => true,
    firstTime: createFirstTime(notes),
    log: { warn: () => {} },
  });
  const reports = new Reports({ ...shared, keyv: openKeyv(database, 'reports', now), audit });
  const gave = async (id: string, requester = personCalled('ada'), isOver = true) => {
    await jobs.add(jobCalled(id, { address: here, requester, createdAt: now() }), `event of ${id}`);
    if (isOver) await jobs.end(id, 'done');
  };
  const report = (person: string, job: string) =>
    reports.take({ address: here, requester: personCalled(person) }, { job, reason: '', isAnonymous: false });
  const chooses = (audit_channel: string) =>
    placeSettings.choose(here, 'workspace', { audit_channel }, personCalled('chief'));
  const dieAfterPost = () => {
    diesAfterPost = true;
  };
  return { audit, posted, fails, external, dieAfterPost, gave, report, chooses };
}

async function begin(url?: string) {
  const clock = new FakeClock(10 * 24 * hour);
  const database = await databaseOfTest(url, clock);
  const posted: Posted[] = [];
  return { clock, posted, process: () => startProcess(database, clock, posted) };
}

describe.each(databases)('an audit channel on $name', ({ fresh }) => {
  it('has a line once where the process dies between its record and its post, or right after that', async () => {
    const { clock, posted, process } = await begin(await fresh());
    const [first, second, third] = [process(), process(), process()];
    await first.audit.begin(here, 'audit', personCalled('chief'), 'x');
    await first.chooses('audit');
    clock.step(hour);
    await first.gave('one');
    first.fails.set('audit', new Error('dead'));
    await first.audit.look();
    second.dieAfterPost();
    await second.audit.look();
    await third.gave('two', personCalled('bob'));
    await third.audit.look();
    await third.audit.look();
    const names = posted.slice(1).map(({ text }) => text.split('\n').map((line) => line.split('**')[1]));
    expect(names).toEqual([['ada'], ['bob']]);
    await Promise.all([first, second, third].map(({ audit }) => audit.close()));
  });
});

it('an audit channel goes on behind a minute with more commands than are looked at together', async () => {
  const { clock, process } = await begin();
  const { audit, posted, gave, chooses } = process();
  await audit.begin(here, 'audit', personCalled('chief'), 'x');
  await chooses('audit');
  clock.step(hour);
  for (let count = 0; count < 510; count++) {
    clock.step(1);
    await gave(`${count}`, personCalled(count < 501 ? 'ada' : 'bob'), count >= 501);
  }
  for (let looks = 0; looks < 3; looks++) await audit.look();
  const lines = posted.slice(1).flatMap(({ text }) => text.split('\n'));
  expect(lines.filter((line) => line.includes('**bob**'))).toHaveLength(9);
  await audit.close();
});

it('nothing is told in a channel where other organizations are, who may come later; administrators learn why', async () => {
  const { clock, process } = await begin();
  const { audit, posted, external, gave, chooses } = process();
  const chief = personCalled('chief');
  external.add('audit');
  await expect(audit.begin(here, 'audit', chief, 'x')).rejects.toThrow(InputError);
  external.clear();
  await audit.begin(here, 'audit', chief, 'x');
  await chooses('audit');
  clock.step(hour);
  await gave('one');
  external.add('audit');
  await audit.look();
  expect(posted.slice(1)).toMatchObject([
    { channel: 'direct chief', text: expect.stringContaining('other organizations') },
  ]);
  external.clear();
  clock.step(hour);
  await audit.look();
  expect(posted.at(-1)).toMatchObject({ channel: 'audit', text: expect.stringContaining('**ada**') });
  await audit.close();
});

describe('reports', () => {
  it('of a person are ten a day, whether they reach anybody or not, and of one result five are told', async () => {
    const { clock, process } = await begin();
    const { posted, fails, gave, report, chooses } = process();
    await chooses('');
    await gave('one');
    for (const person of ['a', 'b', 'c', 'd', 'e', 'f']) expect(await report(person, 'one')).toBe('sent');
    expect(posted).toHaveLength(5);
    fails.set('direct chief', new PlatformError('no-permission'));
    for (let count = 0; count < 9; count++) {
      await gave(`${count}`);
      expect(await report('a', `${count}`)).toBe('nobody');
    }
    await gave('last');
    expect(await report('a', 'last')).toBe('tooMany');
    clock.step(25 * hour);
    expect(await report('a', 'last')).toBe('nobody');
  });

  it('of a person are ten a day, though they send more at the same moment', async () => {
    const { process } = await begin();
    const { posted, gave, report, chooses } = process();
    await chooses('');
    const results = Array.from({ length: 15 }, (_, index) => `${index}`);
    for (const one of results) await gave(one);
    const outcomes = await Promise.all(results.map((one) => report('a', one)));
    expect(outcomes.filter((one) => one === 'sent')).toHaveLength(10);
    expect(posted).toHaveLength(10);
  });

  it('of the same person about the same count once, and nobody is told that somebody has what reached none', async () => {
    const { process } = await begin();
    const { posted, fails, gave, report, chooses } = process();
    await chooses('');
    await gave('one');
    fails.set('direct chief', new PlatformError('no-permission'));
    for (let count = 0; count < 12; count++) expect(await report('a', 'one')).toBe('nobody');
    // Who comes after as many as are told isn’t told that somebody has it, either.
    await gave('two');
    for (const person of ['b', 'c', 'd', 'e', 'f', 'g']) expect(await report(person, 'two')).toBe('nobody');
    fails.clear();
    expect(await report('h', 'two')).toBe('sent');
    for (const person of ['b', 'c', 'd', 'e']) await report(person, 'one');
    expect(posted.map(({ text }) => text.slice(0, 8))).toContain('🚩 **e**');
  });

  it('are sent once somebody has them: where the channel takes none, and nobody can be reached, that’s said', async () => {
    const { clock, process } = await begin();
    const { audit, posted, fails, gave, report, chooses } = process();
    await audit.begin(here, 'audit', personCalled('chief'), 'x');
    await chooses('audit');
    await gave('one');
    expect(await report('a', 'one')).toBe('sent');
    expect(posted.map(({ channel }) => channel)).toEqual(['audit', 'audit']);
    const refusal = new PlatformError('no-permission');
    fails.set('audit', refusal).set('direct chief', refusal);
    expect(await report('b', 'one')).toBe('nobody');
    fails.delete('direct chief');
    clock.step(hour / 2);
    await audit.look();
    const told = posted.filter(
      ({ channel, text }) => channel === 'direct chief' && text.includes('🚩 **b**'),
    );
    expect(told).toHaveLength(1);
    await audit.look();
    expect(posted.filter(({ text }) => text.includes('🚩 **b**'))).toHaveLength(1);
    await audit.close();
  });
});
