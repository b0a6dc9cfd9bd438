import { expect, it } from 'vitest';
import type { FakePerson, Message } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** A question whose answer has begun to grow in its thread, and never ends by itself. */
async function growing(scene: SlackScene): Promise<{ question: Message; answer: Message }> {
  const { message: question } = asks(scene, 'Tell me about green [[stall]]');
  const answer = await scene.until('the answer', () => written(scene.said()));
  return { question, answer };
}
const asks = ({ ada, general }: SlackScene, question: string) => ada.says(`${ada.bot} ${question}`, general);
const written = (messages: readonly Message[]) =>
  messages.find((message) => textOf(message).includes('This is the sandbox'));
/** The service counts what was written once its stream is closed. */
const isStopped = (scene: SlackScene) =>
  scene.until('the end of the stream', async () => (await scene.spent()) > 0);

it('a growing answer that somebody deletes on Slack stops, and goes to its requester alone', async () => {
  const scene = await startSlackScene('socket');
  const { answer } = await growing(scene);
  scene.ben.deletes(answer);
  await isStopped(scene);
  const alone = await scene.until('what was written', () =>
    [
      ...scene.ada.whispers.map(({ text, blocks }) => `${text} ${JSON.stringify(blocks)}`),
      ...scene.said(scene.ada.directMessages).map(textOf),
    ].find((one) => one.includes('This is the sandbox')),
  );
  expect(alone).toContain('it was deleted there');
  expect(written(scene.said())).toBeUndefined();
  const direct = () => scene.said(scene.ada.directMessages);
  expect(direct().flatMap(labelsOf)).toEqual(['Delete']);
  await scene.ada.presses(direct().at(-1)!, 'Delete');
  await scene.until('nothing is left', () => direct().length === 0);
});

it.each(['channel', 'group'] as const)(
  'an answer that writes nothing stops with its %s, and goes to its requester alone',
  async (kind) => {
    const scene = await startSlackScene('socket');
    const { ada, ben, slack, workspace } = scene;
    const channel = slack.channel(workspace, 'talk', [ada, ben], { kind });
    ada.says(`${ada.bot} Tell me about green [[stall]]`, channel);
    await scene.until('the answer', () => written(scene.said(channel)));
    ben.deletesChannel(channel);
    await isStopped(scene);
    const alone = await scene.until('what was written', () => written(scene.said(ada.directMessages)));
    expect(textOf(alone)).toContain('it was deleted there');
  },
);

it('a question on Slack that somebody deletes isn’t answered, though its thread has replies', async () => {
  const scene = await startSlackScene('socket');
  const { question } = await growing(scene);
  scene.slack.api.faults.plan('chat.delete', { kind: 'error', code: 'service_unavailable' });
  scene.ada.deletes(question);
  expect(question.tombstone).toBe(true);
  await isStopped(scene);
  await scene.until('nothing is left', () => scene.said().length === 0);
  expect(scene.said(scene.ada.directMessages)).toEqual([]);
  expect(scene.ada.whispers).toEqual([]);
});

it('answers on Slack are quoted no more, and their buttons do nothing for others, once their question is deleted', async () => {
  const scene = await startSlackScene('socket');
  const { ada, ben, general } = scene;
  const { message: question } = asks(scene, 'The number is 4711');
  const answers = (count: number) =>
    scene.until(`answer ${count}`, () => {
      const found = scene.said().filter((one) => labelsOf(one).includes('Regenerate'));
      return found.length === count && (found as [Message, ...Message[]]);
    });
  const [first] = await answers(1);
  ada.says(`${ada.bot} Hello?`, general, { thread: question.ts });
  await answers(2);
  await ada.presses(first, 'Regenerate');
  const answer = (await answers(3)).at(-1)!;
  // Replies keep its place in the channel.
  ada.deletes(question);
  expect(question.tombstone).toBe(true);
  await scene.until('the refusal', async () => {
    await ben.presses(answer, 'Reply');
    const told = () => ben.whispers.find(({ text }) => text.includes('提问已被删除'));
    return scene.until('a response', () => told() ?? ben.form).then(told);
  });
  ada.says(`${ada.bot} What was the number?`, general, { thread: question.ts });
  expect(textOf((await answers(4)).at(-1)!)).not.toContain('4711');
});

it.each(['the file first', 'the text first'])(
  'what announced a video on Slack goes with it, message by message: %s',
  async (order) => {
    const scene = await startSlackScene('socket', { renderTime: 40 });
    const { ada, ben, general } = scene;
    await ada.types('/video a cat', general);
    const parts = () =>
      scene.said().filter((one) => one.files.length > 0 || labelsOf(one).includes('Delete'));
    await scene.until('the video', () => parts().length === 2);
    await scene.saying('Ready');
    for (const part of order === 'the file first' ? parts() : parts().toReversed()) ben.deletes(part);
    await scene.until('nothing is left', () => scene.said().every(({ tombstone }) => tombstone));
  },
);

it('a private answer on Slack whose words are deleted isn’t known any more: Reply says so, and buys nothing', async () => {
  const scene = await startSlackScene('socket');
  const { ada, slack, general } = scene;
  const { message } = ada.says(`${ada.bot} ask repeat: my number is 4711 --private true`, general);
  const answer = await scene.until('the answer', () =>
    ada.whispers.find((one) => labelsOf(one as unknown as Message).includes('Reply')),
  );
  await slack.acknowledged(ada.deletes(message));
  const spent = await scene.spent();
  await scene.fills(ada, ada.presses(answer, 'Reply'), { prompt: 'What was my number?' });
  expect(Object.values(ada.form?.errors ?? {}).join()).toContain('I don’t have this answer any more');
  expect(await scene.spent()).toBe(spent);
});

/** An image in the channel. */
const image = (scene: SlackScene) => scene.labelled('Edit');
/** A form under an image. */
const edits = async ({ fills }: SlackScene, person: FakePerson, drawn: Message, suffix = '') => {
  await fills(person, person.presses(drawn, 'Edit'), { prompt: `the same by night${suffix}` });
};

it('Edit on Slack that’s confirmed after its image was deleted buys nothing, and says why', async () => {
  const scene = await startSlackScene('socket', {}, { CONFIRM_OVER_CREDITS: '10' });
  const { ada, ben, general, slack } = scene;
  const yes = 'Yes, go ahead';
  const asking = () => ada.whispers.find((one) => JSON.stringify(one).includes(yes));
  const question = () => scene.until('the question', asking);
  await ada.types('/imagine a cat', general);
  await ada.presses(await question(), yes);
  const drawn = await image(scene);
  expect(asking()).toBeUndefined();
  await edits(scene, ada, drawn);
  const second = await question();
  await slack.acknowledged(ben.deletes(drawn));
  await ada.presses(second, yes);
  await scene.whispered(ada, 'The result is no longer available');
  expect(await scene.spent()).toBe(22);
  expect(scene.said()).toEqual([]);
});

it('what Edit on Slack makes of an image that’s deleted meanwhile comes to its requester alone', async () => {
  const scene = await startSlackScene('socket', { renderTime: 40 });
  const { ada, ben, general, slack } = scene;
  await ada.types('/imagine a cat', general);
  const drawn = await image(scene);
  await edits(scene, ben, drawn);
  await scene.until('its announcement', () => scene.said().some(({ ts }) => ts !== drawn.ts));
  await slack.acknowledged(ada.deletes(drawn));
  const alone = () => scene.said(ben.directMessages);
  await scene.until('the result', () => alone().length > 0);
  await scene.restart();
  expect(scene.said()).toEqual([]);
  expect(alone().some(({ blocks }) => blocks.some(({ type }) => type === 'image'))).toBe(true);
});

it.each([
  ['Try again', ' [[filter once]]'],
  ['Again', ''],
])(
  '%s under an Edit on Slack buys nothing once its image is deleted, and says why',
  async (label, suffix) => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general, slack } = scene;
    await ada.types('/imagine a cat', general);
    const drawn = await image(scene);
    await edits(scene, ada, drawn, suffix);
    const edited = await scene.until('the end', () =>
      scene.said().find((one) => one.ts !== drawn.ts && labelsOf(one).includes(label)),
    );
    await slack.acknowledged(ben.deletes(drawn));
    const spent = await scene.spent();
    await ada.presses(edited, label);
    await scene.until('why', () =>
      [...ada.whispers, ...scene.said()].some((one) =>
        JSON.stringify(one).includes('The result is no longer available'),
      ),
    );
    expect(await scene.spent()).toBe(spent);
  },
);
