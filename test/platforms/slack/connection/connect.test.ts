import { beforeEach, describe, expect, test } from 'vitest';
import { slackFeatures } from '../../../../src/platforms/slack/api/errors.ts';
import type { DeletedMessages, HomePage } from '../../../../src/port/index.ts';
import type { Channel, FakePerson, Message, Workspace } from '../../../fakes/slack/index.ts';
import { saysWith, type Script, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let seen: { workspace: string; administrator: boolean; name: string; outsider?: true }[];

const noting: Script = async (asked) => {
  const { administrator, name, outsider } = asked.requester;
  seen.push({ workspace: asked.address.workspace, administrator, name, ...(outsider && { outsider }) });
  await saysWith('edit', 'Edit')(asked);
};

/** Our workspace, and a channel of another one's that is shared with it. */
async function begin(mode: 'socket' | 'oauth', organization: boolean, homePage?: HomePage) {
  seen = [];
  stage = await startStage({
    mode,
    ...(homePage && { homePage }),
    scripts: { ask: noting, imagine: noting },
  });
  const { slack } = stage;
  const home = mode === 'oauth' ? slack.addWorkspace('home', 'E0HOME') : stage.workspace;
  const elsewhere = slack.addWorkspace('elsewhere', 'E0OTHER');
  const hana = slack.person(home, { name: 'hana', admin: true });
  const olga = slack.visitor(home, slack.person(elsewhere, { name: 'olga', admin: true, owner: true }));
  if (mode === 'oauth') expect((await stage.install(hana, organization)).status).toBe(200);
  const shared = slack.channel(home, 'shared', [hana, olga], { owner: elsewhere });
  return { home, hana, olga, shared };
}

describe.each([
  ['with the token of one workspace', 'socket', false],
  ['installed in a workspace', 'oauth', false],
  ['installed in an organization', 'oauth', true],
] as const)('in a channel that another workspace shares, %s', (_, mode, organization) => {
  let home: Workspace;
  let hana: FakePerson;
  let olga: FakePerson;
  let shared: Channel;
  beforeEach(async () => {
    ({ home, hana, olga, shared } = await begin(mode, organization));
  });

  test('mentions of either side are answered with the own installation, in one conversation', async () => {
    hana.says(`${hana.bot} one`, shared);
    await stage.until(() => stage.posts(shared).length === 1);
    await stage.pass(3_000);
    olga.says(`${olga.bot} two`, shared);
    await stage.until(() => stage.posts(shared).length === 2);
    expect(seen.map(({ workspace }) => workspace)).toEqual([home.id, home.id]);
  });

  test('an administrator of the other workspace administers nothing here', async () => {
    olga.says(`${olga.bot} one`, shared);
    hana.says(`${hana.bot} two`, shared);
    await stage.until(() => seen.length === 2);
    const byName = new Map(seen.map(({ name, administrator }) => [name, administrator]));
    expect(byName).toEqual(
      new Map([
        ['olga', false],
        ['hana', true],
      ]),
    );
  });

  test("an outsider's button and form reach the command, in the own workspace", async () => {
    await hana.types('/imagine a cat', shared);
    await stage.until(() => stage.posts(shared).length === 1);
    const [message] = stage.posts(shared);
    if (!message) throw new Error('nothing was posted');
    await olga.presses(message, 'Edit');
    await stage.until(() => olga.form !== undefined);
    await stage.pass(3_000);
    await olga.sends({ prompt: 'a dog' });
    expect(olga.form).toBeUndefined();
    await stage.until(() => seen.length === 2);
    expect(seen[1]).toMatchObject({ name: 'olga', workspace: home.id });
  });

  // Fact: A message’s `team` is its writer’s workspace, a shortcut’s its user’s (interaction payloads)
  test("a shortcut on an outsider's message belongs to the own workspace", async () => {
    const { message } = olga.says('The number is 4711.', shared);
    await hana.picks(message, 'Ask about this');
    await stage.until(() => hana.form !== undefined);
    await hana.sends({ prompt: 'Which number?' });
    await stage.until(() => seen.length === 1);
    expect(seen[0]).toMatchObject({ name: 'hana', workspace: home.id });
  });
});

test('a guest of the own workspace administers nothing', async () => {
  const { home } = await begin('socket', false);
  const gus = stage.slack.person(home, { name: 'gus', admin: true, guest: true });
  const channel = stage.slack.channel(home, 'c', [gus]);
  gus.says(`${gus.bot} hello`, channel);
  await stage.until(() => seen.length === 1);
  expect(seen[0]?.administrator).toBe(false);
});

test('whoever is no full member of the workspace is told apart: guests and people from other workspaces', async () => {
  const { home, hana, olga } = await begin('socket', false);
  const gus = stage.slack.person(home, { name: 'gus', guest: true });
  const people = [gus, hana, olga];
  const channel = stage.slack.channel(home, 'c', people);
  for (const person of people) {
    const before = seen.length;
    person.says(`${person.bot} hello`, channel);
    await stage.until(() => seen.length > before);
  }
  expect(seen.map(({ name, outsider }) => [name, outsider])).toEqual([
    ['gus', true],
    ['hana', undefined],
    ['olga', true],
  ]);
});

test('while Slack doesn’t say in time who somebody is, what it said last counts, without an administrator’s rights', async () => {
  const { home, hana } = await begin('socket', false);
  const channel = stage.slack.channel(home, 'c', [hana]);
  const asks = async () => {
    const before = seen.length;
    hana.says(`${hana.bot} hello`, channel);
    await stage.until(() => seen.length > before);
    return seen.at(-1);
  };
  expect(await asks()).toMatchObject({ name: 'hana', administrator: true });
  await stage.pass(11 * 60_000);
  stage.slack.api.faults.plan('users.info', { kind: 'delay', ms: 5_000 });
  const { name, administrator, outsider } = (await asks()) ?? {};
  expect({ name, administrator, outsider }).toEqual({
    name: 'hana',
    administrator: false,
    outsider: undefined,
  });
});

test('in an organization, a button in the Home tab belongs to the workspace of the tab', async () => {
  const call = { command: 'imagine', options: { prompt: 'a cat' } };
  const homePage = async () => [
    { title: 'Yours', text: 'Here', buttons: [{ id: 'b', label: 'Draw', call }] },
  ];
  const { hana, home } = await begin('oauth', true, homePage);
  await hana.opensHome().done;
  await stage.until(() => hana.home !== undefined);
  hana.mainTeam = stage.slack.addWorkspace('sister', 'E0HOME').id;
  if (hana.home) await hana.pressesIn(hana.home, 'Draw');
  await stage.until(() => seen.length === 1);
  expect(seen[0]).toMatchObject({ name: 'hana', workspace: home.id });
});

describe('in a channel that workspaces of an organization share', () => {
  async function share() {
    const { slack } = stage;
    const home = slack.addWorkspace('home', 'E0HOME');
    const sister = slack.addWorkspace('sister', 'E0HOME');
    const hana = slack.person(home, { name: 'hana', admin: true });
    const yan = slack.person(sister, { name: 'yan' });
    expect((await stage.install(hana, true)).status).toBe(200);
    return { hana, yan, home, shared: slack.channel(home, 'shared', [hana, yan], { sharedWith: [sister] }) };
  }

  /** Somebody of one of them asks; what's deleted there is told as of the other, by whomever. */
  async function told(
    deletes: (sister: FakePerson, shared: Channel, question: Message) => { readonly done: Promise<unknown> },
  ) {
    const heard: DeletedMessages[] = [];
    stage = await startStage({
      mode: 'oauth',
      scripts: { ask: ({ reply }) => reply.say({ text: 'Answer' }).then(() => {}) },
      deleted: async (deleted) => void heard.push(deleted),
    });
    const { hana, yan, shared } = await share();
    const { message: question } = hana.says(`${hana.bot} one`, shared);
    await stage.until(() => stage.posts(shared).length === 1);
    await deletes(yan, shared, question).done;
    const { event_id: event } = await stage.database
      .selectFrom('jobs')
      .select('event_id')
      .executeTakeFirstOrThrow();
    return { heard, event, shared };
  }

  test('a deleted question is known, whichever of them Slack names', async () => {
    const { heard, event } = await told((yan, _, question) => yan.deletes(question));
    expect(heard.flatMap(({ events = [] }) => events)).toContain(event);
  });

  test('so is a deleted channel', async () => {
    const { heard, shared } = await told((yan, channel) => yan.deletesChannel(channel));
    expect(heard).toEqual([{ platform: 'slack', messages: [], place: { channel: shared.id } }]);
  });

  test('nor is a message of a thread quoted any more, where Slack lets an app read little', async () => {
    const contexts: unknown[] = [];
    stage = await startStage({
      mode: 'oauth',
      scripts: {
        ask: async ({ options, reply }) => {
          contexts.push((options as { readonly context?: string }).context);
          await reply.say({ text: 'Answer' });
        },
      },
    });
    const { hana, yan, home, shared } = await share();
    stage.slack.world.readings.quickHistory = 'refused';
    await stage.capabilities.note(home.id, slackFeatures.quickHistory, 'refused');
    const { ts: thread } = hana.says('root', shared).message;
    // Slack shows no more than the first fifteen.
    const said = Array.from({ length: 20 }, (_, at) => hana.says(`message ${at}`, shared, { thread }));
    await Promise.all(said.flatMap(({ deliveries }) => deliveries).map(({ done }) => done));
    await yan.deletes(said[19]!.message).done;
    hana.says(`${hana.bot} well?`, shared, { thread });
    await stage.until(() => contexts.length === 1);
    expect(contexts[0]).toContain('message 18');
    expect(contexts[0]).not.toContain('message 19');
  });

  test('who goes on in a thread of another one’s administers nothing there; it’s theirs once the app has left that', async () => {
    seen = [];
    const ask: Script = async (asked) => {
      await asked.reply.stream({ buttons: () => [] }).finish({ kind: 'done', note: 'Done.' });
      await noting(asked);
    };
    stage = await startStage({ mode: 'oauth', scripts: { ask } });
    const { hana, yan, home, shared } = await share();
    const { slack } = stage;
    const sol = slack.person(yan.workspace, { name: 'sol', admin: true });
    shared.members.add(sol.user.id);
    const { ts: thread } = hana.says(`${hana.bot} one`, shared).message;
    await stage.until(() => seen.length === 1);
    sol.says('two', shared, { thread });
    await stage.until(() => seen.length === 2);
    await Promise.all(slack.leaveOrganization(home).map(({ done }) => done));
    sol.says(`${sol.bot} three`, shared, { thread });
    await stage.until(() => seen.length === 3);
    expect(seen).toEqual([
      { workspace: home.id, name: 'hana', administrator: true },
      { workspace: home.id, name: 'sol', administrator: false, outsider: true },
      { workspace: yan.workspace.id, name: 'sol', administrator: true },
    ]);
  });

  // Fact: To an organization’s app, a channel shared by workspaces is the organization’s: only `internal_team_ids`
  // names them (conversation object)
  test('what anybody chooses in the menu of a message belongs to the same one', async () => {
    seen = [];
    stage = await startStage({ mode: 'oauth', scripts: { ask: noting } });
    const { hana, yan, home, shared } = await share();
    yan.mainTeam = stage.slack.addWorkspace('third', 'E0HOME').id;
    const { message } = hana.says('The number is 4711.', shared);
    for (const person of [hana, yan]) {
      await person.picks(message, 'Ask about this');
      await stage.until(() => person.form !== undefined);
      await person.sends({ prompt: 'Which number?' });
    }
    await stage.until(() => seen.length === 2);
    expect(seen.map(({ workspace }) => workspace)).toEqual([home.id, home.id]);
  });

  // Fact: An event names one of the installations that see it, not always the same (Events API)
  test('a message that comes as of both is answered once', async () => {
    const { shared } = await told((yan, channel, question) => {
      const again = { type: 'app_mention', user: question.user, text: `${yan.bot} one`, ts: question.ts };
      return stage.slack.sendEvent(yan.workspace, { ...again, channel: channel.id, event_ts: question.ts });
    });
    await stage.pass(5_000);
    expect(stage.posts(shared)).toHaveLength(1);
  });
});
