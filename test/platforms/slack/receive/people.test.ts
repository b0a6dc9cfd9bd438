import { beforeEach, describe, expect, test } from 'vitest';
import type { Group } from '../../../fakes/slack/index.ts';
import { type Script, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let films: Group;
let seen: { options: Record<string, unknown>; roles: readonly string[] | undefined }[];

const noting: Script = async ({ options, requester, reply }) => {
  seen.push({ options: options as Record<string, unknown>, roles: requester.roles });
  await reply.say({ text: 'noted' });
};

beforeEach(async () => {
  seen = [];
  stage = await startStage({ scripts: { ask: noting, settings: noting, imagine: noting } });
  films = stage.slack.group(stage.workspace, 'films', [stage.ben]);
});

const typed = async (line: string, person = stage.chief) => {
  const before = seen.length;
  await stage.done(person.types(line, stage.general));
  await stage.until(() => seen.length > before);
  return seen.at(-1)?.options ?? {};
};

describe('people and groups in a command', () => {
  test('are ids where people are chosen', async () => {
    const { ben } = stage;
    expect(await typed('/troupe settings --users_ask "@ben @films"')).toEqual({
      users_ask: `<@${ben.user.id}> <!subteam^${films.id}>`,
    });
  });

  test('a group is known by its handle where Slack leaves out its id', async () => {
    stage.slack.world.readings.escapedGroups = 'refused';
    const { ben } = stage;
    expect(await typed('/troupe settings --users_ask "@ben @films"')).toEqual({
      users_ask: `<@${ben.user.id}> <!subteam^${films.id}>`,
    });
  });

  test('are ids beside a budget, too, as a channel is where one is chosen', async () => {
    const { general } = stage;
    const line = '--role_credits "@films=500" --audit_channel #general';
    expect(await typed(`/troupe settings ${line}`)).toEqual({
      role_credits: `<!subteam^${films.id}>=500`,
      audit_channel: `<#${general.id}>`,
    });
  });

  test('are names in words, for people and for the model', async () => {
    const line = '/ask tell @ben and @films in #general about https://a.example/x & <b>, @here';
    expect(await typed(line)).toEqual({
      prompt: 'tell @ben and @films in #general about https://a.example/x & <b>, @here',
    });
    await typed('/imagine @ben in the rain --size 2k');
    const texts = stage.texts(stage.general).join('\n');
    expect(texts).toContain('tell @ben and @films');
    expect(texts).not.toMatch(/[US]0\w{6}/);
  });

  test('that have no name are no ids either', async () => {
    stage.slack.api.faults.plan('users.info', { kind: 'error', code: 'user_not_found' }, 9);
    const { workspace, general, chief, slack } = stage;
    const event = { type: 'app_mention', channel: general.id, user: chief.user.id, ts: slack.world.ts() };
    slack.sendEvent(workspace, { ...event, text: `<@${workspace.botUser}> ask <@U0NOBODY>` });
    await stage.until(() => seen.length === 1);
    expect(seen[0]?.options).toEqual({ prompt: 'ask @…' });
  });
});

// Fact: Events have only the ids of channels and groups (vercel/chat#229)
describe('channels and groups in a message', () => {
  /** What the bot is asked by a message with these words. */
  const asked = async (text: string, channel = stage.general) => {
    const before = seen.length;
    const { workspace, ada, slack } = stage;
    const event = { type: 'app_mention', channel: channel.id, user: ada.user.id, ts: slack.world.ts() };
    slack.sendEvent(workspace, { ...event, text: `<@${workspace.botUser}> ${text}` });
    await stage.until(() => seen.length > before);
    return seen.at(-1)?.options;
  };

  test('are names for the model, in questions and in commands', async () => {
    const { general, outside, slack } = stage;
    const words = `a map of <#${general.id}> and <#${outside.id}|> for <!subteam^${films.id}>`;
    const named = { prompt: 'a map of #general and #outside for @films' };
    expect(await asked(words)).toEqual(named);
    expect(await asked(`/imagine ${words}`)).toEqual(named);
    const looks = slack.api.of('conversations.info').filter(({ args }) => args.channel === outside.id);
    expect(looks).toHaveLength(1);
  });

  test('stay nameless where they are private, and where other organizations read along', async () => {
    const { ada, general, slack, workspace } = stage;
    const secret = slack.channel(workspace, 'secret', [ada], { kind: 'group' });
    expect(await asked(`of <#${secret.id}>`)).toEqual({ prompt: 'of #…' });
    const connected = slack.channel(workspace, 'connected', [ada]);
    slack.addWorkspace('globex').channels.set(connected.id, connected);
    expect(await asked(`of <#${general.id}>`, connected)).toEqual({ prompt: 'of #…' });
  });

  test('lose their names as soon as they’re made private', async () => {
    const { ada, general, slack, workspace } = stage;
    const other = slack.channel(workspace, 'other', [ada]);
    expect(await asked(`of <#${general.id}>`, other)).toEqual({ prompt: 'of #general' });
    await ada.makesPrivate(general).done;
    expect(await asked(`of <#${general.id}>`, other)).toEqual({ prompt: 'of #…' });
  });

  test('keep nobody waiting', async () => {
    await asked('hello');
    stage.slack.api.faults.plan('conversations.info', { kind: 'delay', ms: 60_000 }, 9);
    const began = stage.clock.now();
    expect(await asked(`of <#${stage.outside.id}>`)).toEqual({ prompt: 'of #…' });
    expect(stage.clock.now() - began).toBeLessThan(3_000);
  });
});

describe("somebody's groups", () => {
  test('come with them, and are asked for once in a while', async () => {
    await typed('/ask one', stage.ben);
    await typed('/ask two', stage.ada);
    await typed('/ask three', stage.ben);
    expect(seen.map(({ roles }) => roles)).toEqual([[films.id], undefined, [films.id]]);
    expect(stage.slack.api.of('usergroups.list')).toHaveLength(1);
    stage.slack.group(stage.workspace, 'music', [stage.ben]);
    await stage.pass(10 * 60_000);
    await typed('/ask four', stage.ben);
    expect(seen.at(-1)?.roles).toHaveLength(2);
  });

  test('are not needed: without the scope everything else works', async () => {
    stage.slack.api.faults.plan('usergroups.list', { kind: 'error', code: 'missing_scope' }, 9);
    await typed('/ask one', stage.ben);
    await typed('/ask two', stage.ben);
    expect(seen.map(({ roles }) => roles)).toEqual([undefined, undefined]);
    expect(stage.slack.api.of('usergroups.list')).toHaveLength(1);
  });

  test('can’t be chosen without the scope, which is said; people can', async () => {
    stage.slack.api.faults.plan('usergroups.list', { kind: 'error', code: 'missing_scope' }, 9);
    const { ben, chief, general } = stage;
    for (const reading of ['works', 'refused'] as const) {
      stage.slack.world.readings.escapedGroups = reading;
      await stage.done(chief.types('/troupe settings --users_ask @films', general));
      await stage.quiet();
      expect(chief.whispers.at(-1)?.text).toContain('usergroups:read');
    }
    expect(seen).toEqual([]);
    expect(await typed('/troupe settings --users_ask @ben')).toEqual({ users_ask: `<@${ben.user.id}>` });
  });

  test('that Slack is slow to tell again are those that it told last', async () => {
    await typed('/ask one', stage.ben);
    await stage.pass(11 * 60_000);
    stage.slack.api.faults.plan('usergroups.list', { kind: 'delay', ms: 60_000 });
    await typed('/ask two', stage.ben);
    expect(seen.map(({ roles }) => roles)).toEqual([[films.id], [films.id]]);
  });

  test('that Slack is slow to tell keep nobody waiting', async () => {
    stage.slack.api.faults.plan('usergroups.list', { kind: 'delay', ms: 60_000 });
    const began = stage.clock.now();
    await typed('/ask one', stage.ben);
    expect(stage.clock.now() - began).toBeLessThan(3_000);
  });
});

test.each([
  ['a 429 that doesn’t say how long', { kind: 'too-many', seconds: undefined }],
  ['a refusal of that name', { kind: 'error', code: 'ratelimited' }],
] as const)('a member is one though %s comes first', async (_, fault) => {
  const outsiders: (boolean | undefined)[] = [];
  stage = await startStage({
    scripts: {
      ask: async ({ requester, reply }) => {
        outsiders.push(requester.outsider);
        await reply.say({ text: 'noted' });
      },
    },
  });
  stage.slack.api.faults.plan('users.info', fault);
  await stage.done(stage.ada.types('/ask hello', stage.general));
  await stage.until(() => outsiders.length > 0);
  expect(outsiders).toEqual([undefined]);
});

test('who asks in a thread before Slack says their name is named as Slack itself shows them, not by an id', async () => {
  stage = await startStage();
  const { ada, ben, general, slack } = stage;
  const { message: root } = ben.says('Tides?', general);
  slack.api.faults.plan('users.info', { kind: 'delay', ms: 60_000 }, 5);
  ada.says(`${ada.bot} hello`, general, { thread: root.ts });
  await stage.until(() => stage.posts(general, root.ts).length === 1);
  const [answer] = stage.texts(general, root.ts);
  expect(answer).toContain(`<@${ada.user.id}>: hello`);
  expect(answer).not.toContain(`*${ada.user.id}*`);
});
