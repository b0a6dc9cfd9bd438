import { beforeEach, describe, expect, test } from 'vitest';
import { clip } from '../../../fakes/outgoing-files.ts';
import { type Script, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

/** Posts a file, as `/speak` does after it has paid for it. */
const speak: Script = async ({ reply }) => void (await reply.say({ text: 'hello', files: [clip] }));

describe.each([
  ['of two', 2],
  ['of a group', 3],
])('in direct messages %s, where the bot is not', (_, size) => {
  const between = () =>
    stage.slack.between(stage.workspace, [stage.ada, stage.ben, stage.chief].slice(0, size));

  test('/ask is answered through the response address', async () => {
    const { ada } = await begin();
    const channel = between();
    await ada.types('/ask hello', channel);
    await stage.until(() => stage.texts(channel).some((text) => text.includes('You asked: hello')));
  });

  test('what one person alone is to see comes there', async () => {
    const { ada } = await begin();
    const channel = between();
    await ada.types('/troupe help', channel);
    await stage.until(() => ada.whispers.length > 0);
    expect(ada.whispers[0]).toMatchObject({ channel: channel.id, via: 'response_url' });
    expect(stage.whispers()[0]).toContain('What I can do here');
  });

  test('a wrong option is told there', async () => {
    const { ada } = await begin();
    await ada.types('/video a cat --duration 30', between());
    await stage.until(() => ada.whispers.length > 0);
    expect(stage.whispers()[0]).toContain('Allowed: 4–15');
  });

  test('a file goes to the direct messages with the bot, and that is said there', async () => {
    const { ada } = await begin({ scripts: { speak } });
    const channel = between();
    await ada.types('/speak hello', channel);
    await stage.until(() => stage.posts(ada.directMessages).some(({ files }) => files.length === 1));
    expect(ada.whispers.map((one) => one.channel)).toEqual([channel.id]);
    expect(stage.whispers()[0]).toContain('the result comes in our direct messages');
    expect(stage.posts(channel)).toEqual([]);
    expect(stage.slack.api.calls.filter(({ outcome }) => outcome === 'channel_not_found')).toHaveLength(
      size === 2 ? 0 : 1,
    );
  });

  test('a file asked for by a form goes the same way', async () => {
    const { ada } = await begin({ scripts: { imagine: speak } });
    const channel = between();
    await stage.openForm(ada, '/imagine', channel);
    await ada.sends({ prompt: 'a cat' });
    await stage.until(() => stage.posts(ada.directMessages).some(({ files }) => files.length === 1));
    expect(stage.whispers()[0]).toContain('the result comes in our direct messages');
  });

  test('where the bot can write to nobody directly it says so, and nothing runs', async () => {
    let ran = false;
    const script = async () => {
      ran = true;
    };
    const { ada, slack } = await begin({ scripts: { speak: script } });
    slack.api.faults.plan('conversations.open', { kind: 'error', code: 'cannot_dm_bot' });
    await ada.types('/speak hello', between());
    await stage.until(() => ada.whispers.length > 0);
    expect(stage.whispers()[0]).toContain('Nothing was spent');
    expect(ran).toBe(false);
  });

  test('where Slack fails to open them just now, what was paid for still arrives directly', async () => {
    const { ada, slack } = await begin({ scripts: { speak } });
    slack.api.faults.plan('conversations.open', { kind: 'error', code: 'service_unavailable' });
    await ada.types('/speak hello', between());
    await stage.until(() => stage.posts(ada.directMessages).some(({ files }) => files.length === 1));
    expect(stage.whispers().join()).not.toContain('Nothing was spent');
  });

  test('where Slack does not tell in time, what was paid for still arrives directly', async () => {
    const { ada, slack } = await begin({ scripts: { speak } });
    const late = { kind: 'delay', ms: 5_000 } as const;
    slack.api.faults.plan(size === 2 ? 'conversations.open' : 'conversations.info', late);
    void ada.types('/speak hello', between());
    await stage.until(() => stage.posts(ada.directMessages).some(({ files }) => files.length === 1));
    await stage.until(() => stage.whispers().some((text) => text.includes('sent it to our direct messages')));
  });
});

describe("the bot's own direct messages", () => {
  const help = async () => {
    const { ada } = stage;
    await ada.types('/troupe help', ada.directMessages);
    await stage.until(() => stage.posts(ada.directMessages).length + ada.whispers.length > 0);
    return ada.whispers.length === 0 ? 'posted' : 'whispered';
  };
  beforeEach(() => begin());

  test('are known when they are opened, after a restart too', async () => {
    await stage.ada.opensApp().done;
    await stage.quiet();
    await stage.restart();
    expect(await help()).toBe('posted');
  });

  test('are known by a message', async () => {
    const { ada } = stage;
    ada.says('hello', ada.directMessages);
    await stage.until(() => stage.posts(ada.directMessages).length === 1);
    await stage.pass(5_000);
    await ada.types('/troupe help', ada.directMessages);
    await stage.until(() => stage.posts(ada.directMessages).length === 2);
  });

  test('are answered by the response address as long as nothing has shown that they are the bot’s', async () => {
    expect(await help()).toBe('whispered');
  });
});
