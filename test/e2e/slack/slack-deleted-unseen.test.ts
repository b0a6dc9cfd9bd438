import { expect, it } from 'vitest';
import type { Message } from '../../fakes/slack/index.ts';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** Takes the bot's direct messages from everybody: the app's settings have no messages tab any more. */
function closeDirectMessages({ slack }: SlackScene): void {
  Object.assign(slack.world.settings, { messagesTab: false });
}

/** The bot is taken out of the channel, or invited again. */
function isIn({ general, workspace }: SlackScene, member: boolean): void {
  if (member) general.members.add(workspace.botUser);
  else general.members.delete(workspace.botUser);
}

const hasImage = ({ files, blocks }: Message) =>
  files.length > 0 || blocks.some(({ type }) => type === 'image');

/** Asks for an image by a mention, in a thread or not, that's held: the bot is taken out of the channel until then. */
async function held(scene: SlackScene, thread?: string): Promise<Message> {
  const { ada, general, said, until } = scene;
  const { message } = ada.says(
    `${ada.bot} imagine a lighthouse`,
    general,
    thread === undefined ? {} : { thread },
  );
  await until('that it has begun', () => said().some((one) => textOf(one).endsWith('Drawing…')));
  closeDirectMessages(scene);
  isIn(scene, false);
  await passes(scene, 5);
  return message;
}

/** What waits for its requester, who fetches it elsewhere. */
async function fetched({ ada, slack, until, workspace }: SlackScene) {
  const other = slack.channel(workspace, 'other', [ada]);
  await ada.types('/troupe renders', other);
  const list = await until('what waits', () => ada.whispers.find((one) => one.channel === other.id));
  return JSON.stringify(list.blocks);
}

// Fact: Messages in channels without the bot bring no events, nor later (python-slack-events-api#78,
// python-slack-sdk#576)
it.each(['in the channel', 'in a channel without threads', 'in a thread'])(
  'an image that’s held, and whose question %s is deleted while the bot is out, doesn’t come back to the channel',
  async (where) => {
    const scene = await startSlackScene('socket', { renderTime: 5 });
    const { ada, ben, general, said } = scene;
    if (where === 'in a channel without threads') general.threads = 'forbidden';
    const thread = where === 'in a thread' ? ben.says('Look', general).message.ts : undefined;
    const question = await held(scene, thread);
    ada.deletes(question);
    isIn(scene, true);
    await passes(scene, 65);
    expect(said().filter(hasImage)).toEqual([]);
    expect(said().map(textOf)).toEqual([]);
    expect(await fetched(scene)).toContain('Show 1');
  },
);

it('a held image comes to its question, which stands, once the bot is invited again', async () => {
  const scene = await startSlackScene('socket', { renderTime: 5 });
  const { said } = scene;
  await held(scene);
  isIn(scene, true);
  await passes(scene, 65);
  expect(said().filter(hasImage)).toHaveLength(1);
  expect(said().flatMap(labelsOf)).toContain('Again');
});

it('a held image stays held where Slack doesn’t let its question be read, and comes once it does', async () => {
  const scene = await startSlackScene('socket', { renderTime: 5 });
  const { said, slack } = scene;
  await held(scene);
  const asks = (method: string) =>
    slack.api.faults.plan(method, { kind: 'error', code: 'missing_scope' }, Number.POSITIVE_INFINITY);
  for (const method of ['conversations.history', 'conversations.replies']) asks(method);
  isIn(scene, true);
  await passes(scene, 65);
  expect(said().filter(hasImage)).toEqual([]);
  slack.api.faults.clear();
  await passes(scene, 65);
  expect(said().filter(hasImage)).toHaveLength(1);
});

it('an answer that’s held isn’t given where its question is deleted while the bot is out', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, general, said, until } = scene;
  const { message } = ada.says(`${ada.bot} Write 400 characters about green`, general);
  await until('first words', () => said().length > 0);
  closeDirectMessages(scene);
  isIn(scene, false);
  await passes(scene, 5);
  ada.deletes(message);
  isIn(scene, true);
  await passes(scene, 65);
  expect(said().map(textOf)).toEqual([]);
});

it('a held image comes also where Slack lets the app read once a minute', async () => {
  const scene = await startSlackScene('socket', { renderTime: 5 });
  const { said, slack } = scene;
  slack.world.readings.quickHistory = 'refused';
  await held(scene);
  isIn(scene, true);
  await passes(scene, 65);
  expect(said().filter(hasImage)).toHaveLength(1);
});
